// client: once-a-driver
/* printf beyond its buffer: what fits comes out whole and in order, what does not is counted, in the log
 * and by the context's callback, and PUMICE_PRINTF_BUFFER makes room for it. The client runs itself
 * again as the processes, whose output it reads. */
#define _GNU_SOURCE
#include "common.h"
#include <sys/wait.h>
#include <unistd.h>

enum { ITEMS = 100000, RECORD = 12, MIB = 1 << 20 };
static char self[512];

static volatile int notified;
static char said[1000];
static void CL_CALLBACK on_notify(const char *text, const void *data, size_t size, void *user)
{
    (void)data, (void)size, (void)user;
    snprintf(said, sizeof said, "%s", text);
    __sync_synchronize();
    notified++;
}

/* Prints a line a work-item; `launches` times as many items as fit, or fewer. */
static int worker(size_t items)
{
    cl_device_id device = pumice_device();
    size_t room = 0;
    MUST(clGetDeviceInfo(device, CL_DEVICE_PRINTF_BUFFER_SIZE, sizeof room, &room, NULL));
    const char *set = getenv("PUMICE_PRINTF_BUFFER");
    EQ(room, (size_t)(set ? atoi(set) : 1) * MIB);
    cl_context context = MADE(clCreateContext, NULL, 1, &device, on_notify, NULL);
    cl_command_queue queue = MADE(clCreateCommandQueueWithProperties, context, device, NULL);
    const char *source = "kernel void k(int n) { printf(\"%d %d\\n\", (int)get_global_id(0), n); }";
    cl_program program = PROGRAM(context, source, NULL);
    cl_kernel kernel = MADE(clCreateKernel, program, "k");
    int n = 7;
    MUST(clSetKernelArg(kernel, 0, sizeof n, &n));
    MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
    MUST(clFinish(queue));
    size_t asked = items * RECORD, fits = (room - 4) / RECORD * RECORD;
    if (asked <= fits) {
        usleep(50000);
        EQ(notified, 0);
    } else {
        for (int i = 0; i < 3000 && !notified; i++)
            usleep(1000);
        EQ(notified, 1);
        char expected[300];
        snprintf(expected, sizeof expected,
                 "kernel `k`: printf: %zu of %zu bytes of output found no room in the buffer of %zu and are "
                 "lost (PUMICE_PRINTF_BUFFER=N makes it N MiB)",
                 asked - fits, asked, room - 4);
        if (strcmp(said, expected) != 0) {
            fprintf(stderr, "%s\n", said);
            failures++;
        }
    }
    /* A launch after one that lost something begins with an empty buffer. */
    size_t few = 10;
    int before = notified;
    MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &few, NULL, 0, NULL, NULL));
    MUST(clFinish(queue));
    usleep(10000);
    EQ(notified, before);
    return failures != 0;
}

/* Runs a worker and checks that it prints every line once, `lines` of them. */
static void run(size_t items, const char *buffer, size_t lines)
{
    int pipes[2];
    CHECK(pipe(pipes) == 0);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        dup2(pipes[1], 1);
        close(pipes[0]);
        close(pipes[1]);
        if (buffer)
            setenv("PUMICE_PRINTF_BUFFER", buffer, 1);
        char number[30];
        snprintf(number, sizeof number, "%zu", items);
        execl(self, self, number, NULL);
        _exit(99);
    }
    close(pipes[1]);
    FILE *output = fdopen(pipes[0], "r");
    static unsigned char seen[ITEMS];
    memset(seen, 0, sizeof seen);
    size_t count = 0;
    char line[4096];
    /* A validation layer says on the same stream that it is there. */
    while (fgets(line, sizeof line, output)) {
        int item = -1, n = 0;
        if (line[0] < '0' || line[0] > '9')
            continue;
        CHECK(sscanf(line, "%d %d\n", &item, &n) == 2);
        CHECK(item >= 0 && (size_t)item < items && n == 7);
        if (item >= 0 && item < ITEMS)
            seen[item]++;
        count++;
    }
    fclose(output);
    int status = 0;
    waitpid(child, &status, 0);
    EQ(status, 0);
    /* The second launch's ten lines come again. */
    EQ(count, lines + 10);
    size_t different = 0;
    for (size_t i = 0; i < ITEMS; i++)
        different += seen[i] != 0;
    CHECK(different >= lines && different <= lines + 10);
}

int main(int argc, char **argv)
{
    if (argc == 2)
        return worker((size_t)atoi(argv[1]));
    (void)argv;
    CHECK(readlink("/proc/self/exe", self, sizeof self - 1) > 0);
    size_t fits = (MIB - 4) / RECORD;
    run(1000, NULL, 1000);
    run(fits, NULL, fits);
    run(fits + 1, NULL, fits);
    run(ITEMS, NULL, fits);
    run(ITEMS, "2", ITEMS);
    return finish();
}
