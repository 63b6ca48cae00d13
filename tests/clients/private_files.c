// client: link-driver
// client: once
// client: without-layers
/* What the driver writes is its user's alone and goes through no symbolic link; a cache that others own
 * or can write to is refused; FIFOs are never waited for; and a process with rights that its user lacks
 * takes nothing from the environment. The client runs itself again as the processes. */
#define _GNU_SOURCE
#include "common.h"
#include <dirent.h>
#include <sched.h>
#include <sys/auxv.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOBODY = 65534 };
static char self[512], folder[64];

static char *in_folder(const char *name)
{
    static char paths[16][256];
    static int next;
    char *path = paths[next++ % 16];
    snprintf(path, 256, "%s/%s", folder, name);
    return path;
}

/* One process: builds a kernel that makes 42 and checks it. */
static int worker(const char *what)
{
    int secure = strcmp(what, "privileged") == 0 || strcmp(what, "left out") == 0;
    EQ(getauxval(AT_SECURE) != 0, secure);
    if (strcmp(what, "left out") == 0) {
        cl_device_id none;
        EQ(clGetDeviceIDs(pumice_platform(), CL_DEVICE_TYPE_ALL, 1, &none, NULL), CL_DEVICE_NOT_FOUND);
        return failures != 0;
    }
    cl_device_id device = pumice_device();
    char name[256] = "";
    MUST(clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL));
    EQ(strcmp(name, "renamed") == 0, strcmp(what, "renamed") == 0);
    cl_context context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    cl_command_queue queue = MADE(clCreateCommandQueueWithProperties, context, device, NULL);
    const char *source = "kernel void k(global int *p) { *p = 42; }";
    cl_program program = PROGRAM(context, source, NULL);
    cl_kernel kernel = MADE(clCreateKernel, program, "k");
    int out = 0;
    cl_mem buffer = MADE(clCreateBuffer, context, 0, sizeof out, NULL);
    MUST(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    MUST(clEnqueueTask(queue, kernel, 0, NULL, NULL));
    MUST(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof out, &out, 0, NULL, NULL));
    EQ(out, 42);
    return failures != 0;
}

/* The status of a process that cannot have an /etc of its own. */
enum { NO_NAMESPACE = 97 };

/* Gives this process an /etc that has nothing but the system's configuration file, which asks for drivers
 * that give wrong results: a process with rights that its user lacks takes it from there alone. */
static int own_etc(void)
{
    char *etc = in_folder("etc");
    if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
        return 0;
    return mount(etc, "/etc", NULL, MS_BIND, NULL) == 0;
}

static void make_etc(void)
{
    CHECK(mkdir(in_folder("etc"), 0755) == 0);
    FILE *file = fopen(in_folder("etc/pumice.conf"), "w");
    fputs("faulty_drivers = on\n", file);
    fclose(file);
}

static void run(const char *what)
{
    int privileged = strcmp(what, "privileged") == 0, left_out = strcmp(what, "left out") == 0;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        alarm(60);
        umask(0);
        if (privileged && getenv("PUMICE_FAULTY_DRIVERS") && !own_etc())
            _exit(NO_NAMESPACE);
        if ((privileged || left_out) && setresuid(NOBODY, 0, 0) != 0)
            _exit(98);
        execl(self, self, what, NULL);
        _exit(99);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == NO_NAMESPACE) {
        fputs("skipped: the system's driver gives wrong results, and no /etc of its own can ask for it\n", stderr);
    } else if (status != 0) {
        fprintf(stderr, "%s: status %#x\n", what, (unsigned)status);
        failures++;
    }
}

/* Returns whether the log contains a text; removes the log. */
static int said(const char *what)
{
    static char text[1 << 16];
    FILE *file = fopen(in_folder("log"), "r");
    size_t size = file ? fread(text, 1, sizeof text - 1, file) : 0;
    text[size] = 0;
    if (file)
        fclose(file);
    unlink(in_folder("log"));
    return strstr(text, what) != NULL;
}

static int mode(const char *path)
{
    struct stat about;
    return lstat(path, &about) == 0 ? (int)(about.st_mode & 07777) : -1;
}

/* Checks or changes every entry of the cache; gives their number. */
static int each_entry(void (*what)(const char *path))
{
    DIR *dir = opendir(in_folder("cache"));
    int entries = 0;
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        if (entry->d_name[0] == '.')
            continue;
        char path[600];
        snprintf(path, sizeof path, "%s/cache/%s", folder, entry->d_name);
        entries++;
        if (what)
            what(path);
    }
    if (dir)
        closedir(dir);
    return entries;
}
static void is_private(const char *path) { EQ(mode(path), 0600); }
static void make_writable(const char *path) { EQ(chmod(path, 0666), 0); }
static void make_pipe(const char *path)
{
    unlink(path);
    EQ(mkfifo(path, 0600), 0);
}
static void make_link(const char *path)
{
    char moved[700];
    snprintf(moved, sizeof moved, "%s/moved", folder);
    EQ(rename(path, moved), 0);
    EQ(symlink(moved, path), 0);
}
static void give_away(const char *path) { EQ(chown(path, NOBODY, (gid_t)-1), 0); }
static void remove_it(const char *path) { unlink(path); }

static void modes(void)
{
    setenv("PUMICE_TRACE", in_folder("trace"), 1);
    setenv("PUMICE_DUMP", in_folder("dump"), 1);
    run("plain");
    EQ(mode(in_folder("log")), 0600);
    EQ(mode(in_folder("trace")), 0600);
    EQ(mode(in_folder("dump")), 0700);
    unlink(in_folder("log"));
    unlink(in_folder("trace"));
    /* Nothing is written through links. */
    EQ(symlink(in_folder("target"), in_folder("log")), 0);
    EQ(symlink(in_folder("target"), in_folder("trace")), 0);
    run("plain");
    EQ(access(in_folder("target"), F_OK), -1);
    unlink(in_folder("log"));
    unlink(in_folder("trace"));
    /* Nobody reads these. */
    EQ(mkfifo(in_folder("log"), 0600), 0);
    EQ(mkfifo(in_folder("trace"), 0600), 0);
    EQ(mkfifo(in_folder("options"), 0600), 0);
    setenv("PUMICE_CONFIG", in_folder("options"), 1);
    run("plain");
    unlink(in_folder("log"));
    unlink(in_folder("trace"));
    unsetenv("PUMICE_TRACE");
    unsetenv("PUMICE_DUMP");
    run("plain");
    EQ(said("options: it is not a regular file\n"), 1);
    unlink(in_folder("options"));
    unsetenv("PUMICE_CONFIG");
}

static void cache(void)
{
    setenv("PUMICE_CACHE", "on", 1);
    run("plain");
    int entries = each_entry(is_private);
    CHECK(entries > 0);
    EQ(mode(in_folder("cache")), 0700);
    EQ(said(" is there\n"), 0);
    run("plain");
    EQ(said(" is there\n"), 1);
    /* Entries that another could have written are removed and made again. */
    void (*const spoil[])(const char *) = {make_writable, make_pipe, make_link, give_away};
    const char *const why[] = {"other users may write to it (mode 666); the program is compiled again\n",
                               "it is not a regular file; the program is compiled again\n",
                               "it is not a regular file; the program is compiled again\n",
                               "it belongs to user 65534, this process runs as user 0; "
                               "the program is compiled again\n"};
    for (int i = 0; i < (geteuid() == 0 ? 4 : 3); i++) {
        each_entry(spoil[i]);
        run("plain");
        EQ(said(why[i]), 1);
        EQ(each_entry(is_private), entries);
        run("plain");
        EQ(said(" is there\n"), 1);
    }
    /* A folder that another could have put entries into is not used at all. */
    EQ(chmod(in_folder("cache"), 0777), 0);
    run("plain");
    EQ(said("the folder is not used: other users may write to it (mode 777); going on without a cache\n"), 1);
    each_entry(remove_it);
    run("plain");
    EQ(each_entry(NULL), 0);
    EQ(chmod(in_folder("cache"), 0700), 0);
    if (geteuid() == 0) {
        give_away(in_folder("cache"));
        unlink(in_folder("log"));
        run("plain");
        EQ(each_entry(NULL), 0);
        EQ(said("the folder is not used: it belongs to user 65534"), 1);
    }
    unlink(in_folder("cache/.lookups"));
    unlink(in_folder("cache/.size"));
    rmdir(in_folder("cache"));
    setenv("PUMICE_CACHE", "off", 1);
}

static void privileged(void)
{
    setenv("PUMICE_DEVICE_NAME", "renamed", 1);
    run("renamed");
    CHECK(mode(in_folder("log")) >= 0);
    unlink(in_folder("log"));
    if (geteuid() != 0) {
        fputs("skipped: only root can start a process with rights that its user lacks\n", stderr);
        return;
    }
    make_etc();
    /* The environment cannot bring a driver back that gives wrong results. */
    if (getenv("PUMICE_FAULTY_DRIVERS"))
        run("left out");
    run("privileged");
    EQ(access(in_folder("log"), F_OK), -1);
    /* Nor does it open another Vulkan loader, look for its user's files or keep a cache there. */
    setenv("PUMICE_VULKAN_LIBRARY", "/nonexistent/libvulkan.so", 1);
    setenv("PUMICE_CONFIG", in_folder("options"), 1);
    setenv("XDG_CONFIG_HOME", folder, 1);
    setenv("XDG_CACHE_HOME", folder, 1);
    setenv("HOME", folder, 1);
    unsetenv("PUMICE_CACHE");
    unsetenv("PUMICE_CACHE_DIR");
    for (int i = 0; i < 2; i++) {
        FILE *file = fopen(in_folder(i ? "options" : "pumice.conf"), "w");
        fprintf(file, "device_name = renamed\nlog = debug\nlog_file = %s/log\n", folder);
        fclose(file);
    }
    run("privileged");
    EQ(access(in_folder("log"), F_OK), -1);
    EQ(access(in_folder("pumice"), F_OK), -1);
}

int main(int argc, char **argv)
{
    if (argc == 2)
        return worker(argv[1]);
    CHECK(readlink("/proc/self/exe", self, sizeof self - 1) > 0);
    snprintf(folder, sizeof folder, "/tmp/pumice-private-XXXXXX");
    CHECK(mkdtemp(folder));
    setenv("PUMICE_LOG", "debug", 1);
    setenv("PUMICE_LOG_FILE", in_folder("log"), 1);
    setenv("PUMICE_CACHE", "off", 1);
    setenv("PUMICE_CACHE_DIR", in_folder("cache"), 1);
    modes();
    cache();
    privileged();
    char command[128];
    snprintf(command, sizeof command, "rm -r %s", folder);
    EQ(system(command), 0);
    (void)argv;
    return finish();
}
