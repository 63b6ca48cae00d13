// client: once
/* Queries that no other client has a reason to make: hints of queues, the size of program-scope
 * variables, what every parameter name answers and how sizes are checked. */
#define _POSIX_C_SOURCE 200809L
#include "common.h"

static cl_context context;
static cl_device_id device;

/* Old programs have a fixed buffer for the list: they get the first names. Other sizes that are too small are errors. */
static void long_lists(void)
{
    char whole[8192], first[2048];
    size_t size = 0;
    MUST(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof whole, whole, &size));
    CHECK(size > 1024);
    EQ(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, 1000, first, NULL), CL_INVALID_VALUE);
    EQ(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, size - 1, whole, NULL),
       (size - 1) & (size - 2) ? CL_INVALID_VALUE : CL_SUCCESS);
    MUST(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof whole, whole, NULL));
    for (size_t room = 1024; room <= sizeof first; room *= 2) {
        MUST(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, room, first, NULL));
        size_t length = strlen(first);
        CHECK(length < room && strncmp(first, whole, length) == 0);
        CHECK(whole[length] == ' ' || whole[length] == 0);
        CHECK(length > room - 80 || whole[length] == 0);
    }
}

static void hints(void)
{
    cl_int error = 0;
    char extensions[8000] = "";
    MUST(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof extensions, extensions, NULL));
    CHECK(strstr(extensions, "cl_khr_priority_hints") && strstr(extensions, "cl_khr_throttle_hints"));
    for (cl_queue_properties value = 1; value <= 4; value *= 2) {
        cl_queue_properties list[] = {CL_QUEUE_PRIORITY_KHR, value, CL_QUEUE_THROTTLE_KHR, value,
                                      CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0},
                            got[7];
        cl_command_queue queue = MADE(clCreateCommandQueueWithProperties, context, device, list);
        size_t size = 0;
        MUST(clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES_ARRAY, sizeof got, got, &size));
        CHECK(size == sizeof list && memcmp(list, got, size) == 0);
        cl_command_queue_properties bits = 0;
        MUST(clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof bits, &bits, NULL));
        EQ(bits, CL_QUEUE_PROFILING_ENABLE);
        MUST(clReleaseCommandQueue(queue));
    }
    static const cl_queue_properties wrong[][2] = {
        {CL_QUEUE_PRIORITY_KHR, 0}, {CL_QUEUE_PRIORITY_KHR, 3}, {CL_QUEUE_THROTTLE_KHR, 8},
        {0x1234, 1},                {CL_QUEUE_PROPERTIES, 64},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        cl_queue_properties list[] = {wrong[i][0], wrong[i][1], 0};
        CHECK(!clCreateCommandQueueWithProperties(context, device, list, &error));
        EQ(error, CL_INVALID_VALUE);
    }
}

static void program_scope(void)
{
    static const char *const sources[] = {
        "global int a[100]; global long b = 7;\n"
        "kernel void k(global long *p) { a[p[0]] = 1; p[0] = b + a[p[1]]; }",
        "kernel void k(global long *p) { p[0] = 1; }",
    };
    for (int i = 0; i < 2; i++) {
        cl_program program = MADE(clCreateProgramWithSource, context, 1, (const char **)&sources[i], NULL);
        MUST(clBuildProgram(program, 0, NULL, "-cl-std=CL3.0", NULL, NULL));
        size_t total = 99;
        MUST(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE,
                                   sizeof total, &total, NULL));
        CHECK(i ? total == 0 : total >= 408 && total < 1000);
        MUST(clReleaseProgram(program));
    }
}

/* Every parameter of a device: the size asked for alone is that of the answer, a smaller room is an
 * error, and asking twice gives the same. */
static void device_parameters(void)
{
    int known = 0;
    for (cl_device_info name = 0x1000; name < 0x1080; name++) {
        size_t size = 0, again = 0;
        static unsigned char one[16384], two[16384];
        if (clGetDeviceInfo(device, name, 0, NULL, &size)) {
            EQ(clGetDeviceInfo(device, name, sizeof one, one, NULL), CL_INVALID_VALUE);
            continue;
        }
        known++;
        CHECK(size <= sizeof one);
        memset(one, 0xaa, sizeof one);
        memset(two, 0xaa, sizeof two);
        MUST(clGetDeviceInfo(device, name, size, one, NULL));
        MUST(clGetDeviceInfo(device, name, sizeof two, two, &again));
        EQ(again, size);
        CHECK(memcmp(one, two, sizeof one) == 0);
        if (size)
            EQ(clGetDeviceInfo(device, name, size - 1, one, NULL), CL_INVALID_VALUE);
    }
    CHECK(known > 90);
}

int main(void)
{
    device = pumice_device();
    context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    long_lists();
    hints();
    program_scope();
    device_parameters();
    release_last(context);
    return finish();
}
