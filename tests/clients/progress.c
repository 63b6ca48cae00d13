// client: once
/* PUMICE_PROGRESS: lines on stderr about builds and the Vulkan driver's compilation. The client runs itself,
 * with the option and a time of 0, so that all work takes long. */
#define _GNU_SOURCE
#include "common.h"
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

static char text[1 << 16];

static int worker(void)
{
    cl_int error = 0;
    cl_device_id device = pumice_device();
    cl_context context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    cl_command_queue queue = MADE(clCreateCommandQueueWithProperties, context, device, NULL);
    const char *source = "kernel void slow(global int *p) { *p = 7; }";
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
    MUST(clBuildProgram(program, 0, NULL, "", NULL, NULL));
    cl_kernel kernel = MADE(clCreateKernel, program, "slow");
    cl_int number = 0;
    cl_mem buffer = MADE(clCreateBuffer, context, 0, sizeof number, NULL);
    MUST(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    size_t one = 1;
    MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    MUST(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof number, &number, 0, NULL, NULL));
    if (values_matter())
        EQ(number, 7);
    return failures != 0;
}

/* Runs the worker with a value of the option (NULL: none); its stderr, a terminal or a file, is in `text`. */
static void run(const char *self, const char *value, int terminal)
{
    int own = -1, theirs = -1;
    if (terminal) {
        own = posix_openpt(O_RDWR | O_NOCTTY);
        CHECK(own >= 0 && grantpt(own) == 0 && unlockpt(own) == 0);
        theirs = open(ptsname(own), O_RDWR | O_NOCTTY);
    } else {
        char path[] = "/tmp/pumice-progress-XXXXXX";
        own = theirs = mkstemp(path);
        unlink(path);
    }
    CHECK(theirs >= 0);
    pid_t child = fork();
    if (child == 0) {
        if (value)
            setenv("PUMICE_PROGRESS", value, 1);
        else
            unsetenv("PUMICE_PROGRESS");
        dup2(theirs, 2);
        execl("/proc/self/exe", self, "worker", NULL);
        _exit(99);
    }
    int status = 0;
    size_t size = 0;
    if (terminal) {
        /* A terminal holds little: it is read while the worker writes. */
        close(theirs);
        ssize_t got;
        while (size < sizeof text - 1 && (got = read(own, text + size, sizeof text - 1 - size)) > 0)
            size += (size_t)got;
        waitpid(child, &status, 0);
    } else {
        waitpid(child, &status, 0);
        ssize_t got = pread(own, text, sizeof text - 1, 0);
        size = got > 0 ? (size_t)got : 0;
    }
    close(own);
    text[size] = 0;
    EQ(status, 0);
}

static int count(const char *word)
{
    int found = 0;
    for (const char *at = text; (at = strstr(at, word)); at++)
        found++;
    return found;
}

static void expect(const char *word, int times)
{
    int found = count(word);
    if (found != times) {
        fprintf(stderr, "%d times '%s', not %d, in:\n%s\n", found, word, times, text);
        failures++;
    }
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return worker();
    run(argv[0], "0.0", 0);
    expect("pumice: building a program", 2);
    expect(" s so far\n", 2);
    expect("pumice: building a program took ", 1);
    expect("pumice: compiling kernel slow by the Vulkan driver: 0 s so far\n", 1);
    expect("pumice: compiling kernel slow by the Vulkan driver took ", 1);
    expect("\033", 0);
    /* Off, and by default where stderr is no terminal. */
    run(argv[0], "off", 0);
    expect("pumice: building", 0);
    expect("pumice: compiling", 0);
    run(argv[0], NULL, 0);
    expect("pumice: building", 0);
    expect("pumice: compiling", 0);
    run(argv[0], "off", 1);
    expect("pumice: building", 0);
    expect("pumice: compiling", 0);
    /* A line that goes. */
    run(argv[0], "0.0", 1);
    CHECK(count("\r\033[Kpumice: building a program") >= 1);
    CHECK(count("\r\033[Kpumice: compiling kernel slow by the Vulkan driver: ") >= 1);
    expect(" took ", 0);
    size_t length = strlen(text), end = strlen("\r\033[K");
    CHECK(length >= end && !strcmp(text + length - end, "\r\033[K"));
    return finish();
}
