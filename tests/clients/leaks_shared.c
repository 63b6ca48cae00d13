// client: once
/* Command buffers, semaphores, memory of other APIs and of the process, and images of rows are made, used and released again and again; the
 * process keeps no more memory and no more descriptors. `leaks_shared ROUNDS` says how often. */
#define _GNU_SOURCE
#include <sys/mman.h>

#include "command_buffers.h"
#include "usage.h"

enum { N = 4096, OPAQUE_MEMORY = 0x2060, OPAQUE_SEMAPHORE = 0x2055, SYNC_FILE = 0x2058 };

typedef struct semaphore *semaphore_t;
static semaphore_t (*make_semaphore)(cl_context, const cl_ulong *, cl_int *);
static cl_int (*wait_for)(cl_command_queue, cl_uint, const semaphore_t *, const cl_ulong *, cl_uint,
                          const cl_event *, cl_event *);
static cl_int (*signal)(cl_command_queue, cl_uint, const semaphore_t *, const cl_ulong *, cl_uint,
                        const cl_event *, cl_event *);
static cl_int (*release_semaphore)(semaphore_t);
static cl_int (*handle_of)(semaphore_t, cl_device_id, cl_uint, size_t, void *, size_t *);

static const char *source =
    "kernel void add(global int *p, int k) { p[get_global_id(0)] += k; }\n"
    "#ifdef __IMAGE_SUPPORT__\n"
    "kernel void rows(write_only image2d_t to, read_only image2d_t from)\n"
    "{ int2 at = (int2)(get_global_id(0), get_global_id(1)); write_imagei(to, at, read_imagei(from, at) + 1); }\n"
    "#endif\n"
    "kernel void says(global int *p) { if (p[0] == -12345) printf(\"%d\\n\", p[0]); }\n";

static cl_device_id device;
static cl_context context;
static cl_command_queue queues[2];
static cl_kernel add, says, rows;
static cl_mem memory;
/* The kinds of handles of semaphores that the device has. */
static cl_uint semaphore_kinds[2];
static int semaphore_kind_count;
static int shares_memory, has_images;
static cl_int (*take_memory)(cl_command_queue, cl_uint, const cl_mem *, cl_uint, const cl_event *, cl_event *);
static cl_int (*give_memory)(cl_command_queue, cl_uint, const cl_mem *, cl_uint, const cl_event *, cl_event *);

static void command_buffers(int round)
{
    buffer_t buffer = create_with(queues[round & 1], MUTABLE | SIMULTANEOUS_USE);
    command_t command = NULL;
    size_t global = 64;
    int one = 1, two = 2;
    MUST(clSetKernelArg(add, 1, sizeof one, &one));
    MUST(fill_buffer(PLAIN(buffer), memory, &one, 4, 0, N * 4, ALONE));
    for (int i = 0; i < 40; i++)
        MUST(ndrange(PLAIN(buffer), add, 1, NULL, &global, NULL, 0, NULL, NULL, &command));
    MUST(ndrange(PLAIN(buffer), says, 1, NULL, &global, NULL, ALONE));
    MUST(finalize(buffer));
    arg_t arg = {1, sizeof two, &two};
    config_t config = {.command = command, .num_args = 1, .args = &arg};
    for (int i = 0; i < 3; i++) {
        MUST(enqueue(0, NULL, buffer, 0, NULL, NULL));
        MUST(update_one(buffer, &config));
    }
    MUST(release(buffer));
    MUST(clFinish(queues[round & 1]));
}

static void semaphores(void)
{
    cl_int error = 0;
    cl_ulong plain[] = {0x203D, 1, 0};
    semaphore_t made[3] = {make_semaphore(context, plain, &error), NULL, NULL};
    MUST(error);
    int count = 1;
    for (int i = 0; i < semaphore_kind_count; i++) {
        cl_ulong exported[] = {0x203D, 1, 0x203F, semaphore_kinds[i], 0, 0};
        made[count++] = MADE(make_semaphore, context, exported);
    }
    MUST(signal(queues[0], count, made, NULL, 0, NULL, NULL));
    for (int i = 0; i < semaphore_kind_count; i++) {
        int fd = -1;
        MUST(handle_of(made[i + 1], device, semaphore_kinds[i], sizeof fd, &fd, NULL));
        cl_ulong imported[] = {0x203D, 1, semaphore_kinds[i], (cl_ulong)fd, 0};
        semaphore_t back = MADE(make_semaphore, context, imported);
        MUST(wait_for(queues[1], 1, &back, NULL, 0, NULL, NULL));
        MUST(release_semaphore(back));
    }
    MUST(wait_for(queues[1], 1, made, NULL, 0, NULL, NULL));
    for (int i = 0; i < count; i++)
        MUST(release_semaphore(made[i]));
    MUST(clFinish(queues[0]));
    MUST(clFinish(queues[1]));
}

/* A file in memory, which is lavapipe's and SwiftShader's memory for others. */
static void shared_memory(void)
{
    cl_int error = 0;
    int fd = memfd_create("shared", 0);
    CHECK(fd >= 0 && ftruncate(fd, 1 << 16) == 0);
    cl_ulong list[] = {OPAQUE_MEMORY, (cl_ulong)fd, 0};
    cl_mem made = clCreateBufferWithProperties(context, list, 0, 1 << 15, NULL, &error);
    if (!made) {
        close(fd);
        return;
    }
    cl_mem both[2] = {made, NULL};
    int count = 1, one = 1;
    if (has_images) {
        int again = memfd_create("image", 0);
        CHECK(again >= 0 && ftruncate(again, 1 << 16) == 0);
        list[1] = (cl_ulong)again;
        cl_image_format format = {CL_R, CL_SIGNED_INT32};
        cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 64, .image_height = 64};
        both[count++] = MADE(clCreateImageWithProperties, context, list, 0, &format, &desc, NULL);
    }
    MUST(take_memory(queues[0], count, both, 0, NULL, NULL));
    MUST(clEnqueueFillBuffer(queues[0], made, &one, 4, 0, 1 << 15, 0, NULL, NULL));
    MUST(give_memory(queues[0], count, both, 0, NULL, NULL));
    MUST(clFinish(queues[0]));
    for (int i = 0; i < count; i++)
        MUST(clReleaseMemObject(both[i]));
}

/* Memory of this process, with an image of its rows and one of a buffer's. */
static void rows_of_memory(int round)
{
    static cl_mem (*import)(cl_context, cl_mem_flags, const void *, void *, size_t, cl_int *);
    static int pages[1 << 16] __attribute__((aligned(4096)));
    cl_int error = 0;
    if (!import)
        load_function(&import, "clImportMemoryARM");
    cl_mem given = import(context, 0, NULL, pages, sizeof pages, &error);
    if (!given) {
        EQ(error, CL_INVALID_PROPERTY);
        given = MADE(clCreateBuffer, context, 0, sizeof pages, NULL);
    }
    cl_mem made = MADE(clCreateBuffer, context, 0, sizeof pages, NULL);
    cl_image_format format = {CL_R, CL_SIGNED_INT32};
    cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 200, .image_height = 256};
    desc.image_row_pitch = 1024;
    cl_mem images[2];
    for (int i = 0; i < 2; i++) {
        desc.buffer = i ? made : given;
        images[i] = MADE(clCreateImage, context, 0, &format, &desc, NULL);
        MUST(clSetKernelArg(rows, i, sizeof images[i], &images[i]));
    }
    size_t sizes[2] = {200, 256};
    MUST(clEnqueueNDRangeKernel(queues[round & 1], rows, 2, NULL, sizes, NULL, 0, NULL, NULL));
    MUST(clFinish(queues[round & 1]));
    cl_mem all[] = {images[0], images[1], given, made};
    for (int i = 0; i < 4; i++)
        MUST(clReleaseMemObject(all[i]));
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : rounds_of(600);
    load_functions();
    load_function(&make_semaphore, "clCreateSemaphoreWithPropertiesKHR");
    load_function(&wait_for, "clEnqueueWaitSemaphoresKHR");
    load_function(&signal, "clEnqueueSignalSemaphoresKHR");
    load_function(&release_semaphore, "clReleaseSemaphoreKHR");
    load_function(&handle_of, "clGetSemaphoreHandleForTypeKHR");
    device = pumice_device();
    char names[8192] = "";
    MUST(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof names, names, NULL));
    if (strstr(names, "cl_khr_external_semaphore_opaque_fd"))
        semaphore_kinds[semaphore_kind_count++] = OPAQUE_SEMAPHORE;
    if (strstr(names, "cl_khr_external_semaphore_sync_fd"))
        semaphore_kinds[semaphore_kind_count++] = SYNC_FILE;
    shares_memory = strstr(names, "cl_khr_external_memory_opaque_fd") != NULL;
    if (shares_memory) {
        load_function(&take_memory, "clEnqueueAcquireExternalMemObjectsKHR");
        load_function(&give_memory, "clEnqueueReleaseExternalMemObjectsKHR");
    }
    context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    cl_ulong orders[] = {0, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE};
    for (int i = 0; i < 2; i++) {
        cl_ulong list[] = {CL_QUEUE_PROPERTIES, orders[i], 0};
        queues[i] = MADE(clCreateCommandQueueWithProperties, context, device, list);
    }
    cl_program program = PROGRAM(context, source, NULL);
    add = MADE(clCreateKernel, program, "add");
    says = MADE(clCreateKernel, program, "says");
    cl_bool images = CL_FALSE;
    MUST(clGetDeviceInfo(device, CL_DEVICE_IMAGE_SUPPORT, sizeof images, &images, NULL));
    has_images = images;
    if (has_images) {
        rows = MADE(clCreateKernel, program, "rows");
    }
    memory = MADE(clCreateBuffer, context, 0, N * 4, NULL);
    MUST(clSetKernelArg(add, 0, sizeof memory, &memory));
    MUST(clSetKernelArg(says, 0, sizeof memory, &memory));
    struct usage first = {0, 0, 0};
    for (int round = 0; round < rounds; round++) {
        command_buffers(round);
        semaphores();
        if (shares_memory)
            shared_memory();
        if (has_images)
            rows_of_memory(round);
        if (round == rounds / 3)
            first = usage();
        if (rounds > 1000 && round % 1000 == 0)
            printf("%d rounds: %ld KiB, %ld descriptors\n", round, usage().resident, usage().descriptors);
    }
    struct usage last = usage_like(first);
    printf("%ld KiB and %ld descriptors after a third, %ld and %ld at the end\n", first.resident, first.descriptors,
           last.resident, last.descriptors);
    /* The device's driver may keep a little memory for reasons of its own. */
    CHECK(last.resident - first.resident < 4096 + rounds / 2);
    CHECK(last.descriptors <= first.descriptors + 2);
    clReleaseMemObject(memory), clReleaseKernel(add), clReleaseKernel(says);
    if (rows)
        clReleaseKernel(rows);
    clReleaseProgram(program);
    clReleaseCommandQueue(queues[0]), clReleaseCommandQueue(queues[1]);
    release_last(context);
    return failures != 0;
}
