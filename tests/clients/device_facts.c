/* A device tells one story: extensions, features of OpenCL C and queries agree, and what they offer builds, and what they
 * do not offer does not. Prints a row of the guide's table of devices (CLIENT_ROW names the driver in it). */
#include "common.h"

static cl_device_id device;
static cl_context context;
static char extensions[8192];
static cl_name_version features[128];
static size_t feature_count;

static int has_extension(const char *name)
{
    size_t length = strlen(name);
    for (const char *at = extensions; (at = strstr(at, name)); at += length)
        if ((at == extensions || at[-1] == ' ') && (at[length] == ' ' || !at[length]))
            return 1;
    return 0;
}

static int has_feature(const char *name)
{
    for (size_t i = 0; i < feature_count; i++)
        if (!strcmp(features[i].name, name))
            return 1;
    return 0;
}

static cl_ulong number(cl_device_info name, size_t size)
{
    cl_ulong value = 0;
    MUST(clGetDeviceInfo(device, name, size, &value, NULL));
    return value;
}

static int builds(const char *source)
{
    cl_int error = 0;
    cl_program program = MADE(clCreateProgramWithSource, context, 1, &source, NULL);
    error = clBuildProgram(program, 1, &device, "-cl-std=CL3.0", NULL, NULL);
    MUST(clReleaseProgram(program));
    if (error != CL_SUCCESS)
        EQ(error, CL_BUILD_PROGRAM_FAILURE);
    return error == CL_SUCCESS;
}

/* A thing that a device may offer. */
struct thing {
    const char *name;
    /* What tells of it: a query's answer, an extension, a feature; NULL where there is none. */
    int asked;
    const char *extension, *feature;
    /* A kernel that needs it. */
    const char *source;
};

static int check(const struct thing *thing)
{
    if (thing->extension && has_extension(thing->extension) != thing->asked) {
        fprintf(stderr, "%s: the extension disagrees with the query\n", thing->name);
        failures++;
    }
    if (thing->feature && has_feature(thing->feature) != thing->asked) {
        fprintf(stderr, "%s: the feature disagrees with the query\n", thing->name);
        failures++;
    }
    if (builds(thing->source) != thing->asked) {
        fprintf(stderr, "%s: a kernel disagrees with the query\n", thing->name);
        failures++;
    }
    return thing->asked;
}

static const char *shared_memory(void)
{
    cl_ulong caps = number(CL_DEVICE_SVM_CAPABILITIES, sizeof(cl_device_svm_capabilities));
    if (caps & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM)
        return "all memory";
    if (caps & CL_DEVICE_SVM_FINE_GRAIN_BUFFER)
        return caps & CL_DEVICE_SVM_ATOMICS ? "fine-grained, atomics" : "fine-grained";
    return caps & CL_DEVICE_SVM_COARSE_GRAIN_BUFFER ? "coarse-grained" : "no";
}

int main(void)
{
    device = pumice_device();
    context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    MUST(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof extensions, extensions, NULL));
    size_t size = 0;
    MUST(clGetDeviceInfo(device, CL_DEVICE_OPENCL_C_FEATURES, sizeof features, features, &size));
    feature_count = size / sizeof *features;
    char version[128] = "", profile[64] = "";
    MUST(clGetDeviceInfo(device, CL_DEVICE_VERSION, sizeof version, version, NULL));
    MUST(clGetDeviceInfo(device, CL_DEVICE_PROFILE, sizeof profile, profile, NULL));
    int major = 0, minor = 0;
    EQ(sscanf(version, "OpenCL %d.%d", &major, &minor), 2);

    const cl_ulong images = number(CL_DEVICE_IMAGE_SUPPORT, sizeof(cl_bool));
    const struct thing things[] = {
        {"doubles", number(CL_DEVICE_DOUBLE_FP_CONFIG, sizeof(cl_device_fp_config)) != 0, "cl_khr_fp64", "__opencl_c_fp64",
         "kernel void k(global double *p) { p[0] = p[1] * p[2]; }\n"},
        {"halves", has_extension("cl_khr_fp16"), "cl_khr_fp16", NULL, "kernel void k(global half *p) { p[0] = p[1] * p[2]; }\n"},
        {"64-bit atomics", has_extension("cl_khr_int64_base_atomics"), "cl_khr_int64_extended_atomics", NULL,
         "kernel void k(global long *p) { atom_add(p, 3L); }\n"},
        {"images", images != 0, NULL, "__opencl_c_images",
         "kernel void k(read_only image2d_t i, sampler_t s, global float4 *p) { p[0] = read_imagef(i, s, (int2)(0)); }\n"},
        {"images read and written", number(CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS, sizeof(cl_uint)) != 0, NULL,
         "__opencl_c_read_write_images", "kernel void k(read_write image2d_t i) { write_imagef(i, (int2)(1), read_imagef(i, (int2)(0))); }\n"},
        {"pipes", number(CL_DEVICE_PIPE_SUPPORT, sizeof(cl_bool)) != 0, NULL, "__opencl_c_pipes",
         "kernel void k(read_only pipe int p, global int *o) { read_pipe(p, o); }\n"},
        {"device queues", number(CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES, sizeof(cl_device_device_enqueue_capabilities)) != 0, NULL,
         "__opencl_c_device_enqueue",
         "kernel void k(global int *p) { enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), ^{ p[0] = 1; }); }\n"},
        {"sub-groups", number(CL_DEVICE_MAX_NUM_SUB_GROUPS, sizeof(cl_uint)) != 0, NULL, "__opencl_c_subgroups",
         "kernel void k(global int *p) { p[0] = sub_group_reduce_add(p[1]); }\n"},
        {"shuffles", has_extension("cl_khr_subgroup_shuffle"), "cl_khr_subgroup_shuffle", NULL,
         "kernel void k(global int *p) { p[0] = sub_group_shuffle(p[1], 0); }\n"},
    };
    const char *driver = getenv("CLIENT_ROW");
    char name[256] = "";
    MUST(clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL));
    printf("row: | %s | %d.%d%s", driver ? driver : name, major, minor, strcmp(profile, "FULL_PROFILE") ? " embedded" : "");
    for (size_t i = 0; i < sizeof things / sizeof *things; i++)
        printf(" | %s", check(&things[i]) ? "yes" : "no");
    printf(" | %s | %u |\n", shared_memory(), (unsigned)number(CL_DEVICE_MAX_COMPUTE_UNITS, sizeof(cl_uint)));
    release_last(context);
    return finish();
}
