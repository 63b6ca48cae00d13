// client: once
// client: needs images
/* The trace is JSON at every moment: of a process that ends as it should, and of one that is killed. Its
 * slices tell sizes. */
#include "traced_run.h"
#include <ctype.h>
#include <signal.h>

/* Reads a JSON value; gives what follows it, NULL where it is none. */
static const char *value(const char *at);

static const char *space(const char *at)
{
    while (at && isspace((unsigned char)*at))
        at++;
    return at;
}

static const char *quoted(const char *at)
{
    if (*at++ != '"')
        return NULL;
    for (; *at != '"'; at++) {
        if ((unsigned char)*at < ' ')
            return NULL;
        if (*at == '\\')
            at++;
    }
    return at + 1;
}

/* The values of an array or object, each behind its name. */
static const char *values(const char *at, char end, int named)
{
    at = space(at + 1);
    if (*at == end)
        return at + 1;
    for (;;) {
        if (named) {
            at = quoted(space(at));
            at = at ? space(at) : NULL;
            if (!at || *at++ != ':')
                return NULL;
        }
        at = space(value(space(at)));
        if (!at)
            return NULL;
        if (*at == end)
            return at + 1;
        if (*at++ != ',')
            return NULL;
    }
}

static const char *value(const char *at)
{
    static const char *const words[] = {"true", "false", "null"};
    if (*at == '[')
        return values(at, ']', 0);
    if (*at == '{')
        return values(at, '}', 1);
    if (*at == '"')
        return quoted(at);
    for (size_t i = 0; i < 3; i++)
        if (!strncmp(at, words[i], strlen(words[i])))
            return at + strlen(words[i]);
    char *end = NULL;
    strtod(at, &end);
    return end == at ? NULL : end;
}

static int is_json(const char *at)
{
    const char *end = space(value(space(at)));
    return end && !*end;
}

/* Launches, copies and reads; then ends, or dies. */
static int worker(int dies)
{
    cl_int error = 0;
    cl_device_id device = NULL;
    MUST(clGetDeviceIDs(pumice_platform(), CL_DEVICE_TYPE_ALL, 1, &device, NULL));
    cl_context context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    cl_command_queue queue = MADE(clCreateCommandQueueWithProperties, context, device, NULL);
    const char *source = "kernel void named(global int *p)"
                         "{ p[get_global_id(1) * 8 + get_global_id(0)] = 1; }";
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
    MUST(clBuildProgram(program, 0, NULL, "", NULL, NULL));
    cl_kernel kernel = MADE(clCreateKernel, program, "named");
    cl_mem a = MADE(clCreateBuffer, context, 0, 256, NULL);
    cl_mem b = MADE(clCreateBuffer, context, 0, 256, NULL);
    MUST(clSetKernelArg(kernel, 0, sizeof a, &a));
    size_t global[] = {8, 6}, local[] = {4, 2};
    MUST(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, global, local, 0, NULL, NULL));
    MUST(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, global, local, 0, NULL, NULL));
    cl_int zero = 0;
    MUST(clEnqueueFillBuffer(queue, b, &zero, sizeof zero, 0, 128, 0, NULL, NULL));
    MUST(clEnqueueCopyBuffer(queue, a, b, 0, 0, 192, 0, NULL, NULL));
    int out[16];
    MUST(clEnqueueReadBuffer(queue, b, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
    EQ(out[15], 1);
    /* The host maps a copy of an image. */
    cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
    cl_image_desc shape = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 3};
    cl_mem image = MADE(clCreateImage, context, 0, &format, &shape, NULL);
    size_t origin[3] = {0}, region[3] = {4, 3, 1}, pitch = 0;
    void *texels = MADE(clEnqueueMapImage, queue, image, CL_TRUE, CL_MAP_READ, origin, region, &pitch, NULL, 0, NULL, NULL);
    MUST(clEnqueueUnmapMemObject(queue, image, texels, 0, NULL, NULL));
    MUST(clFinish(queue));
    if (dies)
        kill(getpid(), SIGKILL);
    return failures != 0;
}

static void check(const char *self, const char *mode, int signal)
{
    EQ(traced_run(self, mode), signal);
    CHECK(is_json(trace));
    /* Both launches; the form of the buffers, which is the driver's, may follow. */
    static const char launch[] =
        "\"args\":{\"kernel\":\"named\",\"global\":[8, 6],\"local\":[4, 2],\"argument_bytes\":256";
    static const char *const parts[] = {
        "\"name\":\"the Vulkan driver compiles\"",
        launch,
        "\"name\":\"build program\"",
        "\"args\":{\"call\":\"build\",\"cache\":\"off\"}",
        "\"name\":\"queue\",\"args\":{\"device\":",
        "\"args\":{\"bytes\":128}",
        "\"args\":{\"bytes\":192}",
        "\"args\":{\"direction\":\"read\",\"bytes\":64}",
        "\"args\":{\"bytes\":48}",
        "\"args\":{\"result\":\"CL_SUCCESS\"}",
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (!strstr(trace, parts[i])) {
            fprintf(stderr, "%s: no %s in the trace:\n%s\n", mode, parts[i], trace);
            failures++;
        }
    EQ(traced_times(launch), 2);
    EQ(traced_times("first_launch"), 1);
}

int main(int argc, char **argv)
{
    if (argc == 2)
        return worker(!strcmp(argv[1], "dies"));
    /* The judge itself. */
    CHECK(is_json("[\n{\"a\":[1,-2.5e3,true],\"b\":\"\\\"\"}\n]\n") && is_json("{}"));
    CHECK(!is_json("[1,") && !is_json("[1,]") && !is_json("{\"a\"}") && !is_json("[1]]") && !is_json("[\"\n\"]"));
    setenv("PUMICE_CACHE", "off", 1);
    check(argv[0], "ends", 0);
    check(argv[0], "dies", SIGKILL);
    return finish();
}
