/* Shared by all clients: checks that count, a device, reading of a small file. */
#ifndef PUMICE_CLIENT_COMMON_H
#define PUMICE_CLIENT_COMMON_H
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int failures;

#define CHECK(cond)                                                    \
    do {                                                               \
        if (!(cond)) {                                                 \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #cond); \
            failures++;                                                \
        }                                                              \
    } while (0)

#define EQ(actual, expected)                                                                 \
    do {                                                                                     \
        long long a_ = (long long)(actual), e_ = (long long)(expected);                      \
        if (a_ != e_) {                                                                      \
            fprintf(stderr, "%s:%d: %s is %lld, not %s (%lld)\n", __FILE__, __LINE__,        \
                    #actual, a_, #expected, e_);                                             \
            failures++;                                                                      \
        }                                                                                    \
    } while (0)

/* Ends the client, once: exit() of two threads at a time crashes in glibc before 2.41. */
static inline void give_up(void)
{
    static int ends;
    static __thread int is_mine;
    if (is_mine)
        _exit(1);
    while (__atomic_exchange_n(&ends, 1, __ATOMIC_SEQ_CST))
        pause();
    is_mine = 1;
    exit(1);
}

#define MUST(call)                                                                    \
    do {                                                                              \
        cl_int must_ = (call);                                                        \
        if (must_ != CL_SUCCESS) {                                                    \
            fprintf(stderr, "%s:%d: %s gave %d\n", __FILE__, __LINE__, #call, must_); \
            give_up();                                                                \
        }                                                                             \
    } while (0)

/* What a function makes whose last argument is the error; ends the client if there is one. */
#define MADE(create, ...)                                                                     \
    __extension__({                                                                           \
        cl_int made_error_;                                                                   \
        __auto_type made_ = create(__VA_ARGS__, &made_error_);                                \
        if (made_error_ != CL_SUCCESS) {                                                      \
            fprintf(stderr, "%s:%d: %s gave %d\n", __FILE__, __LINE__, #create, made_error_); \
            give_up();                                                                        \
        }                                                                                     \
        made_;                                                                                \
    })

/* A program built from source; ends the client with the build log if that fails. */
#define PROGRAM(context, source, options) program_at(__FILE__, __LINE__, context, source, options)
static inline cl_program program_at(const char *file, int line, cl_context context, const char *source, const char *options)
{
    cl_program program = MADE(clCreateProgramWithSource, context, 1, &source, NULL);
    cl_int error = clBuildProgram(program, 0, NULL, options, NULL, NULL);
    if (error == CL_SUCCESS)
        return program;
    cl_device_id device = NULL;
    clGetProgramInfo(program, CL_PROGRAM_DEVICES, sizeof device, &device, NULL);
    static char log[16384];
    clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
    fprintf(stderr, "%s:%d: clBuildProgram gave %d\n%s", file, line, error, log);
    give_up();
    return NULL;
}

/* False on a device that executes nothing (CLIENT_VALUES=ignore): a client goes on there where it would
 * end at the first wrong value, since all are wrong. */
static inline int values_matter(void)
{
    const char *values = getenv("CLIENT_VALUES");
    return !values || strcmp(values, "ignore");
}

/* A call that waits for kernels which enqueue others. Where nothing executes, their queue is as it was, and the call
 * says that they have come to no good end. */
#define MUST_END(call)                                                                \
    do {                                                                              \
        cl_int ended_ = (call);                                                       \
        if (values_matter() || ended_ != CL_OUT_OF_RESOURCES)                         \
            MUST(ended_);                                                             \
    } while (0)

/* Rounds of something that shows faults by its number: a tenth under Vulkan layers, which look at each alike and slowly. */
static inline int rounds_of(int rounds)
{
    const char *layers = getenv("VK_INSTANCE_LAYERS");
    return layers && *layers ? rounds / 10 : rounds;
}

/* The Pumice platform, wherever the loader lists it. */
static inline cl_platform_id pumice_platform(void)
{
    cl_platform_id platforms[16];
    cl_uint count = 0;
    MUST(clGetPlatformIDs(16, platforms, &count));
    for (cl_uint i = 0; i < count && i < 16; i++) {
        char name[64] = "";
        clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof name, name, NULL);
        if (strcmp(name, "Pumice") == 0)
            return platforms[i];
    }
    fprintf(stderr, "no Pumice platform\n");
    exit(1);
}

/* The address of an extension's function; ends the client if there is none. */
static inline void *extension_function(const char *name)
{
    void *found = clGetExtensionFunctionAddressForPlatform(pumice_platform(), name);
    if (!found) {
        fprintf(stderr, "%s has no address\n", name);
        exit(1);
    }
    return found;
}

/* Stores it in a pointer to a function. */
static inline void load_function(void *to, const char *name)
{
    void *found = extension_function(name);
    memcpy(to, &found, sizeof found);
}

static inline cl_device_id pumice_device(void)
{
    cl_device_id device = NULL;
    MUST(clGetDeviceIDs(pumice_platform(), CL_DEVICE_TYPE_ALL, 1, &device, NULL));
    return device;
}

static volatile int context_gone;
static void CL_CALLBACK on_context_gone(cl_context context, void *data)
{
    (void)context;
    (void)data;
    context_gone = 1;
}

/* Releases a context and checks that nothing of the driver's own still holds it. */
static inline void release_last(cl_context context)
{
    MUST(clSetContextDestructorCallback(context, on_context_gone, NULL));
    MUST(clReleaseContext(context));
    struct timespec t = {0, 1000000};
    for (int i = 0; i < 3000 && !context_gone; i++)
        nanosleep(&t, NULL);
    EQ(context_gone, 1);
}

static inline int finish(void)
{
    if (failures)
        return 1;
    puts("ok");
    return 0;
}
#endif
