// client: link -lvulkan
/* clImportMemoryARM: buffers that are the process's memory itself, wherever it begins, and buffers of a dma_buf that a
 * Vulkan program exported. */
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <vulkan/vulkan.h>

#include "common.h"

enum {
    TYPE = 0x40B2,
    HOST = 0x40B3,
    DMA_BUF = 0x40B4,
    PROTECTED = 0x40B5,
    CONSISTENT = 0x41E3,
    N = 3000,
};

static cl_mem(CL_API_CALL *import)(cl_context, cl_mem_flags, const intptr_t *, void *, size_t, cl_int *);
static cl_context context;
static cl_command_queue queue;
static cl_kernel kernel;

static cl_int refused(cl_mem_flags flags, const intptr_t *list, void *memory, size_t size)
{
    cl_int error = 1;
    cl_mem made = import(context, flags, list, memory, size, &error);
    CHECK(!made);
    return error;
}

/* The kernel adds 1 to every number: the memory shows it, and the host's changes reach the next launch. */
static void use(cl_mem buffer, volatile int *memory)
{
    size_t global = N;
    MUST(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < N; i++)
            memory[i] = i * (round + 1);
        MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
        MUST(clFinish(queue));
        for (int i = 0; i < N; i++)
            EQ(memory[i], i * (round + 1) + 1);
    }
    cl_int error;
    int *mapped = clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 4, 8, 0, NULL, NULL, &error);
    MUST(error);
    EQ(mapped[0], memory[1]);
    MUST(clEnqueueUnmapMemObject(queue, buffer, mapped, 0, NULL, NULL));
    int got[2], put[2] = {-1, -2};
    MUST(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 8, sizeof got, got, 0, NULL, NULL));
    CHECK(got[0] == memory[2] && got[1] == memory[3]);
    MUST(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 8, sizeof put, put, 0, NULL, NULL));
    CHECK(memory[2] == -1 && memory[3] == -2);
    cl_buffer_region region = {1024, 1024};
    cl_mem part = clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
    MUST(error);
    size_t offset = 0;
    MUST(clGetMemObjectInfo(part, CL_MEM_OFFSET, sizeof offset, &offset, NULL));
    EQ(offset, 1024);
    MUST(clEnqueueFillBuffer(queue, part, put, 4, 0, 4, 0, NULL, NULL));
    MUST(clFinish(queue));
    EQ(memory[256], -1);
    global = 4;
    MUST(clSetKernelArg(kernel, 0, sizeof part, &part));
    MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
    MUST(clFinish(queue));
    EQ(memory[256], 0);
    MUST(clReleaseMemObject(part));
}

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
        cl_int error;
        cl_mem buffer = import(context, CL_MEM_READ_WRITE, i ? list : NULL, memory, size, &error);
        MUST(error);
        size_t told = 0, offset = 77;
        MUST(clGetMemObjectInfo(buffer, CL_MEM_SIZE, sizeof told, &told, NULL));
        MUST(clGetMemObjectInfo(buffer, CL_MEM_OFFSET, sizeof offset, &offset, NULL));
        CHECK(told == size && offset == 0);
        int *mapped = clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_READ, 0, 4, 0, NULL, NULL, &error);
        MUST(error);
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

#define VK(call)                                                                        \
    do {                                                                                \
        VkResult result_ = (call);                                                      \
        if (result_ != VK_SUCCESS) {                                                    \
            fprintf(stderr, "%s:%d: %s gave %d\n", __FILE__, __LINE__, #call, result_); \
            exit(1);                                                                    \
        }                                                                               \
    } while (0)

/* A dma_buf of the first Vulkan device, and where the host sees it. */
static int export(VkDevice *device, VkDeviceMemory *memory, int **mapped)
{
    VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_1};
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &application};
    VkInstance instance;
    VK(vkCreateInstance(&info, NULL, &instance));
    uint32_t count = 1;
    VkPhysicalDevice physical = VK_NULL_HANDLE;
    VkResult listed = vkEnumeratePhysicalDevices(instance, &count, &physical);
    CHECK(listed == VK_SUCCESS || listed == VK_INCOMPLETE);
    float priority = 1;
    VkDeviceQueueCreateInfo queues = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                      .queueCount = 1,
                                      .pQueuePriorities = &priority};
    const char *names[] = {"VK_KHR_external_memory_fd", "VK_EXT_external_memory_dma_buf"};
    VkDeviceCreateInfo create = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                 .queueCreateInfoCount = 1,
                                 .pQueueCreateInfos = &queues,
                                 .enabledExtensionCount = 2,
                                 .ppEnabledExtensionNames = names};
    VK(vkCreateDevice(physical, &create, NULL, device));
    const VkExternalMemoryHandleTypeFlagBits kind = VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT;
    VkExternalMemoryBufferCreateInfo external = {.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO,
                                                 .handleTypes = kind};
    VkBufferCreateInfo buffer_info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                      .pNext = &external,
                                      .size = 1 << 14,
                                      .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT};
    VkBuffer buffer;
    VK(vkCreateBuffer(*device, &buffer_info, NULL, &buffer));
    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(*device, buffer, &needs);
    VkExportMemoryAllocateInfo exported = {.sType = VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO, .handleTypes = kind};
    VkMemoryAllocateInfo allocation = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                       .pNext = &exported,
                                       .allocationSize = needs.size,
                                       .memoryTypeIndex = (uint32_t)__builtin_ctz(needs.memoryTypeBits)};
    VkResult allocated = vkAllocateMemory(*device, &allocation, NULL, memory);
    if (allocated != VK_SUCCESS)
        return -1;
    VK(vkBindBufferMemory(*device, buffer, *memory, 0));
    void *address;
    VK(vkMapMemory(*device, *memory, 0, VK_WHOLE_SIZE, 0, &address));
    *mapped = address;
    PFN_vkGetMemoryFdKHR get_fd = (PFN_vkGetMemoryFdKHR)vkGetDeviceProcAddr(*device, "vkGetMemoryFdKHR");
    VkMemoryGetFdInfoKHR get = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR, .memory = *memory, .handleType = kind};
    int fd = -1;
    VK(get_fd(*device, &get, &fd));
    return fd;
}

static void dma_buf(void)
{
    const intptr_t list[] = {TYPE, DMA_BUF, CONSISTENT, 1, 0};
    int none = -1;
    EQ(refused(0, list, &none, 64), CL_INVALID_PROPERTY);
    EQ(refused(0, list, NULL, 64), CL_INVALID_VALUE);
    VkDevice device;
    VkDeviceMemory memory;
    int *mapped;
    int fd = export(&device, &memory, &mapped);
    if (fd < 0) {
        /* The kernel of the machine lets nobody make one. */
        puts("no dma_buf can be made");
        return;
    }
    cl_int error;
    cl_mem buffer = import(context, CL_MEM_READ_WRITE, list, &fd, N * sizeof(int), &error);
    MUST(error);
    use(buffer, mapped);
    MUST(clReleaseMemObject(buffer));
    EQ(refused(0, list, &fd, 1 << 24), CL_INVALID_BUFFER_SIZE);
    /* The descriptor is still the application's. */
    CHECK(fcntl(fd, F_GETFD) >= 0);
    close(fd);
    vkFreeMemory(device, memory, NULL);
}

int main(void)
{
    cl_device_id device = pumice_device();
    static char names[8192];
    MUST(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof names, names, NULL));
    int host = strstr(names, "cl_arm_import_memory_host") != NULL;
    int fds = strstr(names, "cl_arm_import_memory_dma_buf") != NULL;
    EQ(strstr(names, "cl_arm_import_memory ") != NULL, host || fds);
    load_function(&import, "clImportMemoryARM");
    cl_int error;
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    MUST(error);
    queue = clCreateCommandQueue(context, device, 0, &error);
    MUST(error);
    const char *source = "kernel void k(global int *a) { a[get_global_id(0)] += 1; }";
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
    MUST(error);
    MUST(clBuildProgram(program, 1, &device, NULL, NULL, NULL));
    kernel = clCreateKernel(program, "k", &error);
    MUST(error);
    static char memory[64];
    if (host)
        host_memory(device);
    else
        EQ(refused(0, NULL, memory, 64), CL_INVALID_PROPERTY);
    if (fds)
        dma_buf();
    MUST(clReleaseKernel(kernel));
    MUST(clReleaseProgram(program));
    MUST(clReleaseCommandQueue(queue));
    release_last(context);
    return finish();
}
