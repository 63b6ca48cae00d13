// client: once
/* Options that an application's user sets: the configuration file, the trace, the stages of a
 * build, the choice of devices. The client runs itself again with them. */
#include "common.h"
#include <dirent.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[64] = "/tmp/pumice-options-XXXXXX";
static char text[1 << 20];
static char *self;

/* A little of everything; prints the device's name and type. */
static int worker(void)
{
    cl_int error = 0;
    cl_device_id device = NULL;
    if (clGetDeviceIDs(pumice_platform(), CL_DEVICE_TYPE_ALL, 1, &device, NULL)) {
        puts("no device");
        return 0;
    }
    char name[100];
    cl_device_type type = 0;
    MUST(clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL));
    MUST(clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof type, &type, NULL));
    printf("%s/%d\n", name, (int)type);
    cl_context context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    cl_command_queue queue = MADE(clCreateCommandQueueWithProperties, context, device, NULL);
    const char *source = "kernel void named(global int *p) { p[get_global_id(0)] = 1; }";
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
    MUST(clBuildProgram(program, 0, NULL, "-cl-std=CL3.0", NULL, NULL));
    cl_kernel kernel = MADE(clCreateKernel, program, "named");
    cl_mem buffer = clCreateBuffer(context, 0, 64, NULL, &error);
    MUST(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    EQ(clSetKernelArg(kernel, 7, sizeof buffer, &buffer), CL_INVALID_ARG_INDEX);
    size_t global = 16;
    MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
    int out[16];
    MUST(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
    EQ(out[15], 1);
    return failures != 0;
}

/* Runs the worker with one variable; gives what it printed in `text`. */
static void run(const char *name, const char *value)
{
    int out[2];
    EQ(pipe(out), 0);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        setenv(name, value, 1);
        dup2(out[1], 1);
        close(out[0]);
        execl(self, self, "worker", NULL);
        _exit(99);
    }
    close(out[1]);
    size_t size = 0;
    for (ssize_t more; (more = read(out[0], text + size, sizeof text - 1 - size)) > 0;)
        size += (size_t)more;
    text[size] = 0;
    close(out[0]);
    int status = 0;
    waitpid(child, &status, 0);
    EQ(status, 0);
}

static const char *in_folder(const char *name)
{
    static char path[400];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void write_file(const char *name, const char *contents)
{
    FILE *file = fopen(in_folder(name), "w");
    fputs(contents, file);
    fclose(file);
}

static void read_file(const char *path)
{
    FILE *file = fopen(path, "r");
    size_t size = file ? fread(text, 1, sizeof text - 1, file) : 0;
    text[size] = 0;
    if (file)
        fclose(file);
}

/* Removes a folder of files; says how many there were and whether one begins so. */
static int remove_folder(const char *path, const char *begins, int *found)
{
    DIR *dir = opendir(path);
    int files = 0;
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        if (entry->d_name[0] == '.')
            continue;
        char file[1000];
        snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
        *found |= strncmp(entry->d_name, begins, strlen(begins)) == 0;
        unlink(file);
        files++;
    }
    if (dir)
        closedir(dir);
    EQ(rmdir(path), 0);
    return files;
}

/* Runs the worker with a variable; gives what it logs in `text`. */
static void log_of(const char *name, const char *value)
{
    setenv("PUMICE_LOG_FILE", in_folder("log"), 1);
    run(name, value);
    unsetenv("PUMICE_LOG_FILE");
    read_file(in_folder("log"));
    unlink(in_folder("log"));
}

/* The value of a variable cannot be, and the log says so in these words. */
static void complains(const char *name, const char *value, const char *line)
{
    log_of(name, value);
    if (!strstr(text, line)) {
        fprintf(stderr, "no %s in the log:\n%s", line, text);
        failures++;
    }
}

/* The log says nothing about the variable. */
static void is_taken(const char *name, const char *value)
{
    log_of(name, value);
    if (strstr(text, name)) {
        fprintf(stderr, "%s=%s is not taken:\n%s", name, value, text);
        failures++;
    }
}

static void wrong_values(void)
{
    complains("PUMICE_DEVICES", "seven", ": PUMICE_DEVICES: there is no device seven; there are 0 (");
    complains("PUMICE_DEVICE_TYPE", "fpga",
              ": PUMICE_DEVICE_TYPE=fpga: not cpu, gpu or accelerator; devices keep their types\n");
    complains("PUMICE_ABI", "registers",
              ": PUMICE_ABI=registers: not addresses, descriptors or mixed; each device takes its own\n");
    complains("PUMICE_PRINTF_BUFFER", "much",
              ": PUMICE_PRINTF_BUFFER=much: not a number of MiB from 1 to ");
    complains("PUMICE_INCLUDES", "perhaps", ": PUMICE_INCLUDES=perhaps: not on, listed or off; no file is read\n");
    complains("PUMICE_SLICES", "few",
              ": PUMICE_SLICES=few: neither a number of work-groups nor off; launches are cut as usual\n");
    complains("PUMICE_TRACE", "/nowhere/trace",
              ": PUMICE_TRACE: no trace is written: /nowhere/trace: No such file or directory");
    complains("PUMICE_DUMP", "/proc/nowhere", ": PUMICE_DUMP: no stages are written: /proc/nowhere/");
    complains("PUMICE_CHECK", "bound", ": PUMICE_CHECK: there is no check `bound`: nothing is checked\n");
    complains("PUMICE_FAULTS", "flood", ": PUMICE_FAULTS: there is no fault `flood`\n");
    complains("PUMICE_MASK", "shaderFloat64,shaderInt46",
              ": PUMICE_MASK: there is no feature `shaderInt46`; did you mean shaderInt64?\n");
    complains("PUMICE_MASK", "+hostAddresses", ": PUMICE_MASK: there is no feature `+hostAddresses`\n");
    complains("PUMICE_DEVICE_NAME", "caf\xe9", ": PUMICE_DEVICE_NAME=caf\xef\xbf\xbd: not UTF-8; it counts as not set\n");
    is_taken("PUMICE_MASK", "shaderFloat64, VK_EXT_memory_budget,vulkan1.2,denormals,+exactFma,sampleExactly,+launchPromises");
    /* There is no cache, but its size is looked at. */
    setenv("PUMICE_CACHE", "on", 1);
    setenv("PUMICE_CACHE_DIR", "/proc/version/cache", 1);
    complains("PUMICE_CACHE_SIZE", "huge",
              ": PUMICE_CACHE_SIZE=huge: not a number of MiB; the cache may have ");
    setenv("PUMICE_CACHE", "off", 1);
    unsetenv("PUMICE_CACHE_DIR");
}

int main(int argc, char **argv)
{
    self = argv[0];
    if (argc == 2)
        return worker();
    CHECK(mkdtemp(folder));
    setenv("PUMICE_CACHE", "off", 1);

    /* A file, with a section for this program and one for another. */
    const char *name = strrchr(self, '/') ? strrchr(self, '/') + 1 : self;
    char config[400];
    snprintf(config, sizeof config,
             "# of all programs\ndevice_name = Everybody's\ndevice_type=accelerator\n"
             "[somebody-else]\ndevice_name = Another\n[%s]\ndevice_type = gpu\n",
             name);
    write_file("config", config);
    run("PUMICE_CONFIG", in_folder("config"));
    CHECK(strstr(text, "Everybody's/4\n"));
    /* The environment goes before it. */
    setenv("PUMICE_CONFIG", in_folder("config"), 1);
    run("PUMICE_DEVICE_NAME", "Named");
    CHECK(strstr(text, "Named/4\n"));
    unsetenv("PUMICE_CONFIG");
    unlink(in_folder("config"));
    /* The user's own folder. */
    write_file("pumice.conf", "device_name = Mine\ndevice_type = cpu\nno_such_option = 1\n");
    run("XDG_CONFIG_HOME", folder);
    CHECK(strstr(text, "Mine/2\n"));
    setenv("XDG_CONFIG_HOME", folder, 1);
    setenv("PUMICE_LOG_FILE", in_folder("log"), 1);
    run("PUMICE_LOG", "driver=warn");
    read_file(in_folder("log"));
    CHECK(strstr(text, "pumice.conf:3: no option `no_such_option`\n"));
    unsetenv("XDG_CONFIG_HOME");
    unsetenv("PUMICE_LOG_FILE");
    unlink(in_folder("pumice.conf"));
    unlink(in_folder("log"));

    /* Devices by number and name. */
    run("PUMICE_DEVICES", "0");
    CHECK(!strstr(text, "no device\n"));
    run("PUMICE_DEVICES", "no such device");
    CHECK(strstr(text, "no device\n"));

    /* The trace has calls with their results, the build's stages and the kernel. */
    run("PUMICE_TRACE", in_folder("trace"));
    read_file(in_folder("trace"));
    static const char *const lines[] = {
        "[\n{\"ph\":", "\"name\":\"clBuildProgram\"", "\"result\":\"CL_INVALID_ARG_INDEX\"",
        "\"name\":\"compile\"", "\"name\":\"named\"", "\"name\":\"queue 0: ",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        if (!strstr(text, lines[i])) {
            fprintf(stderr, "no %s in the trace\n", lines[i]);
            failures++;
        }
    unlink(in_folder("trace"));

    wrong_values();

    /* Every stage of the build. */
    char stages[400];
    snprintf(stages, sizeof stages, "%s", in_folder("dump"));
    run("PUMICE_DUMP", stages);
    DIR *dir = opendir(stages);
    int builds = 0;
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        if (entry->d_name[0] == '.')
            continue;
        char build[700];
        snprintf(build, sizeof build, "%s/%s", stages, entry->d_name);
        int found = 0;
        int files = remove_folder(build, "vulkan.spv", &found);
        CHECK(found && files > 15);
        builds++;
    }
    if (dir)
        closedir(dir);
    EQ(builds, 1);
    EQ(rmdir(stages), 0);
    EQ(rmdir(folder), 0);
    return finish();
}
