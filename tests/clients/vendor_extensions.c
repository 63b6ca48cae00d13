/* Small extensions: cl_ext_migrate_memobject, cl_intel_create_buffer_with_properties, cl_intel_command_queue_families,
 * cl_arm_non_uniform_work_group_size and the errors of cl_pocl_content_size. */
#include "common.h"

enum {
    MIGRATE_HOST = 1,
    COMMAND_MIGRATE = 0x4040,
    DEVICE_FAMILIES = 0x418B,
    QUEUE_FAMILY = 0x418C,
    QUEUE_INDEX = 0x418D,
};

struct family {
    cl_command_queue_properties properties;
    cl_bitfield capabilities;
    cl_uint count;
    char name[64];
};

static cl_context context;
static cl_command_queue queue;

static void migrate(void)
{
    cl_int(CL_API_CALL * migrate_ext)(cl_command_queue, cl_uint, const cl_mem *, cl_bitfield, cl_uint, const cl_event *,
                                      cl_event *);
    load_function(&migrate_ext, "clEnqueueMigrateMemObjectEXT");
    int numbers[16], got[16];
    for (int i = 0; i < 16; i++)
        numbers[i] = 5 * i;
    cl_mem buffer = MADE(clCreateBuffer, context, CL_MEM_COPY_HOST_PTR, sizeof numbers, numbers);
    cl_event event;
    MUST(migrate_ext(queue, 1, &buffer, 0, 0, NULL, &event));
    cl_command_type type = 0;
    MUST(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
    EQ(type, COMMAND_MIGRATE);
    MUST(migrate_ext(queue, 1, &buffer, MIGRATE_HOST, 1, &event, NULL));
    MUST(clReleaseEvent(event));
    MUST(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    CHECK(!memcmp(got, numbers, sizeof got));
    cl_mem wrong = (cl_mem)context;
    EQ(migrate_ext(NULL, 1, &buffer, 0, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    EQ(migrate_ext(queue, 0, &buffer, 0, 0, NULL, NULL), CL_INVALID_VALUE);
    EQ(migrate_ext(queue, 1, NULL, 0, 0, NULL, NULL), CL_INVALID_VALUE);
    EQ(migrate_ext(queue, 1, &buffer, 2, 0, NULL, NULL), CL_INVALID_VALUE);
    EQ(migrate_ext(queue, 1, &wrong, 0, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    EQ(migrate_ext(queue, 1, &buffer, 0, 1, NULL, NULL), CL_INVALID_EVENT_WAIT_LIST);
    MUST(clReleaseMemObject(buffer));
}

static void create_buffer(void)
{
    cl_mem(CL_API_CALL * create)(cl_context, const cl_mem_properties *, cl_mem_flags, size_t, void *, cl_int *);
    load_function(&create, "clCreateBufferWithPropertiesINTEL");
    const cl_mem_properties none[] = {0}, unknown[] = {0x7777, 1, 0};
    cl_int error;
    cl_mem buffer = MADE(create, context, none, CL_MEM_READ_WRITE, 64, NULL);
    MUST(clReleaseMemObject(buffer));
    buffer = create(context, NULL, 0, 64, NULL, NULL);
    CHECK(buffer);
    MUST(clReleaseMemObject(buffer));
    CHECK(!create(context, unknown, 0, 64, NULL, &error));
    EQ(error, CL_INVALID_VALUE);
    CHECK(!create(context, none, 0, 0, NULL, &error));
    EQ(error, CL_INVALID_BUFFER_SIZE);
    CHECK(!create(context, none, CL_MEM_COPY_HOST_PTR, 64, NULL, &error));
    EQ(error, CL_INVALID_HOST_PTR);
    CHECK(!create(NULL, none, 0, 64, NULL, &error));
    EQ(error, CL_INVALID_CONTEXT);
}

static cl_command_queue with(cl_device_id device, cl_queue_properties family, cl_queue_properties index, cl_int *error)
{
    cl_queue_properties list[] = {QUEUE_FAMILY, family, QUEUE_INDEX, index, 0};
    return clCreateCommandQueueWithProperties(context, device, list, error);
}

static void families(cl_device_id device)
{
    struct family family;
    size_t size = 0;
    MUST(clGetDeviceInfo(device, DEVICE_FAMILIES, sizeof family, &family, &size));
    EQ(size, sizeof family);
    cl_command_queue_properties properties = 0;
    MUST(clGetDeviceInfo(device, CL_DEVICE_QUEUE_ON_HOST_PROPERTIES, sizeof properties, &properties, NULL));
    EQ(family.properties, properties);
    EQ(family.capabilities, 0);
    CHECK(family.count >= 1 && memchr(family.name, 0, sizeof family.name) && family.name[0]);
    cl_int error;
    for (cl_uint i = 0; i < family.count; i++) {
        cl_command_queue made = MADE(with, device, 0, i);
        cl_uint at = 77, of = 77;
        MUST(clGetCommandQueueInfo(made, QUEUE_FAMILY, sizeof of, &of, NULL));
        MUST(clGetCommandQueueInfo(made, QUEUE_INDEX, sizeof at, &at, NULL));
        EQ(of, 0);
        EQ(at, i);
        MUST(clReleaseCommandQueue(made));
    }
    cl_uint at = 77;
    MUST(clGetCommandQueueInfo(queue, QUEUE_INDEX, sizeof at, &at, NULL));
    CHECK(at < family.count);
    CHECK(!with(device, 1, 0, &error));
    EQ(error, CL_INVALID_VALUE);
    CHECK(!with(device, 0, family.count, &error));
    EQ(error, CL_INVALID_VALUE);
    cl_queue_properties lonely[] = {QUEUE_FAMILY, 0, 0};
    CHECK(!clCreateCommandQueueWithProperties(context, device, lonely, &error));
    EQ(error, CL_INVALID_VALUE);
    lonely[0] = QUEUE_INDEX;
    CHECK(!clCreateCommandQueueWithProperties(context, device, lonely, &error));
    EQ(error, CL_INVALID_VALUE);
}

static void non_uniform(cl_device_id device)
{
    const char *source = "#ifndef cl_arm_non_uniform_work_group_size\n#error absent\n#endif\n"
                         "kernel void k(global int *sizes) { sizes[get_global_id(0)] = get_local_size(0); }";
    cl_program program = PROGRAM(context, source, "-cl-std=CL1.2 -cl-arm-non-uniform-work-group-size");
    cl_kernel kernel = MADE(clCreateKernel, program, "k");
    int got[10];
    cl_mem buffer = MADE(clCreateBuffer, context, 0, sizeof got, NULL);
    MUST(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    size_t global = 10, local = 8;
    MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL));
    MUST(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    for (int i = 0; i < 10; i++)
        EQ(got[i], i < 8 ? 8 : 2);
    MUST(clReleaseMemObject(buffer));
    MUST(clReleaseKernel(kernel));
    MUST(clReleaseProgram(program));
}

static void content_size(cl_device_id device)
{
    cl_int(CL_API_CALL * set)(cl_mem, cl_mem);
    load_function(&set, "clSetContentSizeBufferPoCL");
    cl_mem buffer = MADE(clCreateBuffer, context, 0, 256, NULL);
    cl_mem size = MADE(clCreateBuffer, context, 0, 8, NULL);
    cl_mem small = MADE(clCreateBuffer, context, 0, 7, NULL);
    cl_context other = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    cl_mem foreign = MADE(clCreateBuffer, other, 0, 8, NULL);
    MUST(set(buffer, size));
    MUST(set(buffer, buffer));
    MUST(set(size, buffer));
    EQ(set(NULL, size), CL_INVALID_MEM_OBJECT);
    EQ(set(buffer, (cl_mem)context), CL_INVALID_MEM_OBJECT);
    EQ(set(buffer, small), CL_INVALID_VALUE);
    EQ(set(buffer, foreign), CL_INVALID_CONTEXT);
    MUST(clReleaseMemObject(foreign));
    MUST(clReleaseContext(other));
    MUST(clReleaseMemObject(small));
    MUST(clReleaseMemObject(size));
    MUST(clReleaseMemObject(buffer));
}

int main(void)
{
    cl_device_id device = pumice_device();
    static char names[8192];
    MUST(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof names, names, NULL));
    const char *wanted[] = {"cl_ext_migrate_memobject", "cl_intel_create_buffer_with_properties",
                            "cl_intel_command_queue_families", "cl_arm_non_uniform_work_group_size",
                            "cl_pocl_content_size"};
    for (int i = 0; i < 5; i++)
        CHECK(strstr(names, wanted[i]));
    context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    queue = MADE(clCreateCommandQueue, context, device, 0);
    migrate();
    create_buffer();
    families(device);
    non_uniform(device);
    content_size(device);
    MUST(clReleaseCommandQueue(queue));
    release_last(context);
    return finish();
}
