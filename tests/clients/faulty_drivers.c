// client: without-layers
/* A device whose Vulkan driver is known to give wrong results is left out, with one line that says why and
 * what helps, unless PUMICE_FAULTY_DRIVERS or a configuration file asks for it. The tests set the variable
 * for such drivers alone, so that it tells here what is to be expected. The client runs itself again. */
#include "common.h"
#include <sys/wait.h>
#include <unistd.h>

enum { LONG_LOOP = 200000 };

static char self[512], out[4096], err[4096];

/* Prints the first device's name and the length of a loop there; 77 without any device. */
static int worker(void)
{
    cl_device_id device;
    cl_int error = clGetDeviceIDs(pumice_platform(), CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    if (error != CL_SUCCESS) {
        EQ(error, CL_DEVICE_NOT_FOUND);
        cl_uint count = 7;
        EQ(clGetDeviceIDs(pumice_platform(), CL_DEVICE_TYPE_CPU, 0, NULL, &count), CL_DEVICE_NOT_FOUND);
        return failures ? 1 : 77;
    }
    char name[256];
    MUST(clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL));
    cl_context context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    cl_command_queue queue = MADE(clCreateCommandQueueWithProperties, context, device, NULL);
    /* The next number depends on memory, so that no compiler knows the loop's end. */
    const char *source = "kernel void count(global volatile int *p, int n) { for (int i = 0; i < n; i += p[1]) p[0]++; }";
    cl_program program = PROGRAM(context, source, NULL);
    cl_kernel kernel = MADE(clCreateKernel, program, "count");
    int numbers[2] = {0, 1}, rounds = LONG_LOOP;
    cl_mem buffer = MADE(clCreateBuffer, context, CL_MEM_COPY_HOST_PTR, sizeof numbers, numbers);
    MUST(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    MUST(clSetKernelArg(kernel, 1, sizeof rounds, &rounds));
    size_t one = 1;
    MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    MUST(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof numbers, numbers, 0, NULL, NULL));
    printf("%s\n%d\n", name, numbers[0]);
    return 0;
}

/* Reads a file into a text and removes it. */
static void take(const char *path, char *text, size_t size)
{
    FILE *file = fopen(path, "r");
    size_t length = file ? fread(text, 1, size - 1, file) : 0;
    text[length] = 0;
    if (file)
        fclose(file);
    unlink(path);
}

/* Runs the worker with a variable set, or without PUMICE_FAULTY_DRIVERS; gives the exit status, and what it
 * printed in `out` and `err`. */
static int run(const char *name, const char *value)
{
    char paths[2][64] = {"/tmp/pumice-faulty-out-XXXXXX", "/tmp/pumice-faulty-err-XXXXXX"};
    int files[2] = {mkstemp(paths[0]), mkstemp(paths[1])};
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        unsetenv("PUMICE_FAULTY_DRIVERS");
        /* Layers print too. */
        unsetenv("OPENCL_LAYERS");
        if (name)
            setenv(name, value, 1);
        dup2(files[0], 1);
        dup2(files[1], 2);
        execl(self, self, "worker", NULL);
        _exit(99);
    }
    int status = 0;
    waitpid(child, &status, 0);
    close(files[0]);
    close(files[1]);
    take(paths[0], out, sizeof out);
    take(paths[1], err, sizeof err);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Expects that `err` is one line with these parts, the first of them at its start. */
static void one_line(const char *const *parts)
{
    char *end = strchr(err, '\n');
    CHECK(end && end[1] == 0);
    CHECK(strncmp(err, parts[0], strlen(parts[0])) == 0);
    for (; *parts; parts++)
        if (!strstr(err, *parts)) {
            fprintf(stderr, "no \"%s\" in: %s", *parts, err);
            failures++;
        }
}

static const char cure[] = "a work-item's loops end after 65,535 rounds in sum; install Mesa 23.0 or newer (Debian 12: apt "
                           "install -t bookworm-backports mesa-vulkan-drivers)";

static void faulty(void)
{
    EQ(run("PUMICE_FAULTY_DRIVERS", "on"), 0);
    char name[256] = "", *end = strchr(out, '\n');
    CHECK(end && end - out < 200);
    snprintf(name, sizeof name, "%.*s", (int)(end - out), out);
    /* The fault is there, so that the line is right. */
    CHECK(atoi(end + 1) < LONG_LOOP);
    one_line((const char *[]){"pumice: error: device: ", " gives wrong results: ", cure, NULL});

    char start[512];
    snprintf(start, sizeof start, "pumice: error: device: no devices: %s is left out: its driver, ", name);
    const char *parts[] = {start, " gives wrong results: ", cure,
                           ", name another driver with VK_DRIVER_FILES, or set PUMICE_FAULTY_DRIVERS=on to use it "
                           "all the same (pumice-info tells more)\n", NULL};
    EQ(run(NULL, NULL), 77);
    one_line(parts);
    EQ(run("PUMICE_FAULTY_DRIVERS", "off"), 77);
    one_line(parts);
    EQ(run("PUMICE_LOG", "off"), 77);
    EQ(err[0], 0);

    char path[] = "/tmp/pumice-faulty-conf-XXXXXX";
    int file = mkstemp(path);
    const char text[] = "faulty_drivers = on\n";
    EQ(write(file, text, sizeof text - 1), sizeof text - 1);
    close(file);
    EQ(run("PUMICE_CONFIG", path), 0);
    CHECK(strncmp(out, name, strlen(name)) == 0);
    unlink(path);
}

static void faultless(void)
{
    EQ(run(NULL, NULL), 0);
    EQ(err[0], 0);
    char *end = strchr(out, '\n');
    CHECK(end);
    EQ(end ? atoi(end + 1) : 0, LONG_LOOP);
}

int main(int argc, char **argv)
{
    (void)argv;
    if (argc == 2)
        return worker();
    CHECK(readlink("/proc/self/exe", self, sizeof self - 1) > 0);
    if (getenv("PUMICE_FAULTY_DRIVERS"))
        faulty();
    else
        faultless();
    return finish();
}
