// client: env PUMICE_COARSE=always
// client: once-a-driver
/* Kernels that store before they load through another argument: launches whose arguments overlap see what has been stored, and those
 * whose arguments do not have the same results from kernels that need not look. */
#include "common.h"

static const char *source =
    "kernel void pixels(global const uchar *a, global uchar *o, int n)\n"
    "{ int i = get_global_id(0);\n"
    "  o[3 * i] = a[3 * i + 2]; o[3 * i + 1] = a[3 * i + 1] + 1; o[3 * i + 2] = a[3 * i]; }\n"
    "kernel void sums(global const int *a, global int *o, int n)\n"
    "{ int i = get_global_id(0);\n"
    "  for (int k = 0; k < n; k++) o[i] += a[i] + k; }\n"
    "kernel void some(global const int *a, global int *o, int n)\n"
    "{ int i = get_global_id(0);\n"
    "  for (int k = 0; k < n; k++) if ((a[i] + k) % 5 == 0) o[i] = 7 * o[i] + k; }\n"
    "kernel void pairs(global const int2 *a, global int *o, int n)\n"
    "{ int i = get_global_id(0);\n"
    "  o[2 * i] = a[i].x * n - a[i].y; o[2 * i + 1] = a[i].x + a[i].y; }\n";

enum { ITEMS = 512, BYTES = 8 * ITEMS };

static cl_context context;
static cl_command_queue queue;
static cl_program program;

/* What each kernel does, one work-item after the other. */
static void pixels(const unsigned char *a, unsigned char *o, int n)
{
    (void)n;
    for (int i = 0; i < ITEMS; i++) {
        o[3 * i] = a[3 * i + 2];
        o[3 * i + 1] = (unsigned char)(a[3 * i + 1] + 1);
        o[3 * i + 2] = a[3 * i];
    }
}

static void sums(const unsigned char *bytes, unsigned char *out, int n)
{
    const unsigned *a = (const void *)bytes;
    unsigned *o = (void *)out;
    for (int i = 0; i < ITEMS; i++)
        for (int k = 0; k < n; k++)
            o[i] += a[i] + k;
}

static void some(const unsigned char *bytes, unsigned char *out, int n)
{
    const unsigned *a = (const void *)bytes;
    unsigned *o = (void *)out;
    for (int i = 0; i < ITEMS; i++)
        for (int k = 0; k < n; k++)
            if ((int)(a[i] + k) % 5 == 0)
                o[i] = 7 * o[i] + k;
}

static void pairs(const unsigned char *bytes, unsigned char *out, int n)
{
    const unsigned *a = (const void *)bytes;
    unsigned *o = (void *)out;
    for (int i = 0; i < ITEMS; i++) {
        o[2 * i] = a[2 * i] * n - a[2 * i + 1];
        o[2 * i + 1] = a[2 * i] + a[2 * i + 1];
    }
}

static const struct {
    const char *name;
    void (*on_host)(const unsigned char *, unsigned char *, int);
} kernels[] = {{"pixels", pixels}, {"sums", sums}, {"some", some}, {"pairs", pairs}};
enum { KERNELS = sizeof kernels / sizeof *kernels };

static void set_memory(cl_kernel kernel, cl_uint place, cl_mem memory)
{
    MUST(clSetKernelArg(kernel, place, sizeof memory, &memory));
}

/* Work-items access what no other one does: at so many bytes from the start, the arguments are the same, or lie apart. */
static void run(int which, size_t from, size_t to, cl_mem whole, int shared, int n)
{
    static unsigned char host[2 * BYTES], seen[2 * BYTES];
    for (size_t i = 0; i < sizeof host; i++)
        host[i] = (unsigned char)(i * 7 + i / 256);
    MUST(clEnqueueWriteBuffer(queue, whole, CL_TRUE, 0, sizeof host, host, 0, NULL, NULL));
    cl_kernel kernel = MADE(clCreateKernel, program, kernels[which].name);
    cl_mem parts[2] = {NULL, NULL};
    for (cl_uint place = 0; place < 2; place++) {
        cl_buffer_region region = {place ? to : from, BYTES};
        parts[place] = MADE(clCreateSubBuffer, whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &region);
        set_memory(kernel, place, shared ? whole : parts[place]);
    }
    MUST(clSetKernelArg(kernel, 2, sizeof n, &n));
    size_t global = ITEMS, local = 64;
    MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL));
    MUST(clEnqueueReadBuffer(queue, whole, CL_TRUE, 0, sizeof seen, seen, 0, NULL, NULL));
    kernels[which].on_host(host + (shared ? 0 : from), host + (shared ? 0 : to), n);
    for (size_t i = 0; i < sizeof host; i++)
        if (host[i] != seen[i]) {
            fprintf(stderr, "%s, %zu to %zu, n %d:\n", kernels[which].name, from, to, n);
            EQ(seen[i], host[i]);
            break;
        }
    for (int i = 0; i < 2; i++)
        MUST(clReleaseMemObject(parts[i]));
    MUST(clReleaseKernel(kernel));
}

int main(void)
{
    cl_device_id device = pumice_device();
    context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    queue = MADE(clCreateCommandQueueWithProperties, context, device, NULL);
    program = PROGRAM(context, source, "-cl-std=CL3.0");
    cl_mem whole = MADE(clCreateBuffer, context, 0, 2 * BYTES, NULL);
    const int rounds[] = {0, 1, 9};
    for (int which = 0; which < KERNELS; which++)
        for (int i = 0; i < 3; i++) {
            run(which, 0, BYTES, whole, 0, rounds[i]); /* apart */
            run(which, BYTES, 0, whole, 0, rounds[i]); /* apart */
            run(which, 0, 0, whole, 0, rounds[i]);     /* two sub-buffers of the same bytes */
            run(which, 0, 0, whole, 1, rounds[i]);     /* one buffer twice */
        }
    MUST(clReleaseMemObject(whole));
    MUST(clReleaseProgram(program));
    MUST(clReleaseCommandQueue(queue));
    release_last(context);
    return finish();
}
