/* clImportMemoryARM: buffers that are the process's memory itself, wherever it begins. */
#include <sys/mman.h>

#include "import_memory.h"

static void host_memory(cl_device_id device)
{
    const size_t size = N * sizeof(int);
    char *pages = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(pages != MAP_FAILED);
    cl_uint bits = 0;
    MUST(clGetDeviceInfo(device, CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof bits, &bits, NULL));
    const intptr_t list[] = {TYPE, HOST, 0}, other[] = {TYPE, 0x7777, 0}, twice[] = {TYPE, HOST, TYPE, HOST, 0};
    const intptr_t protected[] = {PROTECTED, 1, 0}, consistent[] = {CONSISTENT, 1, 0};
    const size_t starts[] = {0, bits / 8, 3 * bits / 8};
    for (int i = 0; i < 3; i++) {
        int *memory = (int *)(pages + starts[i]);
        cl_mem buffer = MADE(import, context, CL_MEM_READ_WRITE, i ? list : NULL, memory, size);
        size_t told = 0, offset = 77;
        MUST(clGetMemObjectInfo(buffer, CL_MEM_SIZE, sizeof told, &told, NULL));
        MUST(clGetMemObjectInfo(buffer, CL_MEM_OFFSET, sizeof offset, &offset, NULL));
        CHECK(told == size && offset == 0);
        int *mapped = MADE(clEnqueueMapBuffer, queue, buffer, CL_TRUE, CL_MAP_READ, 0, 4, 0, NULL, NULL);
        CHECK(mapped == memory);
        MUST(clEnqueueUnmapMemObject(queue, buffer, mapped, 0, NULL, NULL));
        use(buffer, memory);
        MUST(clReleaseMemObject(buffer));
    }
    /* What malloc gives begins anywhere. */
    char *allocated = malloc(size + 64);
    cl_int error;
    cl_mem buffer = import(context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, list, allocated, size, &error);
    if (buffer) {
        use(buffer, (int *)allocated);
        MUST(clReleaseMemObject(buffer));
    } else {
        /* Devices with descriptors bind buffers at multiples only. */
        EQ(error, CL_INVALID_OPERATION);
    }
    free(allocated);

    EQ(refused(0, NULL, NULL, size), CL_INVALID_VALUE);
    EQ(refused(0, NULL, pages, 0), CL_INVALID_BUFFER_SIZE);
    EQ(refused(CL_MEM_COPY_HOST_PTR, NULL, pages, size), CL_INVALID_VALUE);
    EQ(refused(CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, NULL, pages, size), CL_INVALID_VALUE);
    EQ(refused(0, other, pages, size), CL_INVALID_PROPERTY);
    EQ(refused(0, twice, pages, size), CL_INVALID_PROPERTY);
    EQ(refused(0, protected, pages, size), CL_INVALID_PROPERTY);
    EQ(refused(0, consistent, pages, size), CL_INVALID_PROPERTY);
    MUST(munmap(pages + (1 << 15), 1 << 15));
    EQ(refused(0, NULL, pages, (1 << 15) + 1), CL_INVALID_OPERATION);
    EQ(refused(0, NULL, pages + (1 << 15), 64), CL_INVALID_OPERATION);
    CHECK(!import(NULL, 0, NULL, pages, 64, &error));
    EQ(error, CL_INVALID_CONTEXT);
    MUST(munmap(pages, 1 << 15));
}

int main(void)
{
    cl_device_id device = pumice_device();
    static char names[8192];
    MUST(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof names, names, NULL));
    int here = strstr(names, "cl_arm_import_memory_host") != NULL;
    int fds = strstr(names, "cl_arm_import_memory_dma_buf") != NULL;
    EQ(strstr(names, "cl_arm_import_memory ") != NULL, here || fds);
    begin(device);
    static char memory[64];
    if (here)
        host_memory(device);
    else
        EQ(refused(0, NULL, memory, 64), CL_INVALID_PROPERTY);
    end();
    return finish();
}
