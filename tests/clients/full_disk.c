// client: once
// client: one-form
// client: without-layers
/* Programs build and run where nothing can be written: the cache, the trace, the dumps and the log lie on a disk that is full
 * at once, a little later or read-only. A process that dies while it writes to the cache leaves nothing that a later one
 * stumbles over. The client runs itself again as the processes, which see the disk in a name space of their own. */
#define _GNU_SOURCE
#include "kernel_run.h"
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char self[512], disk[80], folder[64];

/* One process: builds a kernel of its own with a trace and dumps, and checks what it makes. */
static int worker(int number)
{
    cl_device_id device = pumice_device();
    cl_context context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    cl_command_queue queue = MADE(clCreateCommandQueueWithProperties, context, device, NULL);
    char text[200];
    snprintf(text, sizeof text, "kernel void k(global int *p) { p[get_global_id(0)] = %d; }", number);
    const char *source = text;
    cl_program program = PROGRAM(context, source, NULL);
    check_number(context, queue, program, number);
    MUST(clReleaseProgram(program));
    MUST(clReleaseCommandQueue(queue));
    MUST(clReleaseContext(context));
    return failures != 0;
}

static void put(const char *variable, const char *name)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", name[0] == '@' ? folder : disk, name + 1);
    setenv(variable, path, 1);
}

enum what { BUILD, BUILD_AND_TELL, DIE_WRITING };

/* Runs a process; gives its status. `most` is where a file that is written ends it, for DIE_WRITING. */
static int run(enum what what, int number, int dumps, long most)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        char text[16];
        snprintf(text, sizeof text, "%d", number);
        setenv("PUMICE_CACHE", "on", 1);
        /* The driver's own files are no part of this. */
        setenv("MESA_SHADER_CACHE_DISABLE", "1", 1);
        put("PUMICE_CACHE_DIR", what == BUILD_AND_TELL ? "/cache" : "@cache");
        if (what == BUILD_AND_TELL) {
            put("PUMICE_TRACE", "/trace.json");
            put("PUMICE_LOG_FILE", "/log");
            setenv("PUMICE_LOG", "debug", 1);
            if (dumps)
                put("PUMICE_DUMP", "/dump");
        }
        struct rlimit limit = {(rlim_t)most, (rlim_t)most};
        struct rlimit core = {0, 0};
        setrlimit(RLIMIT_CORE, &core);
        if (what == DIE_WRITING && setrlimit(RLIMIT_FSIZE, &limit) != 0)
            _exit(98);
        execl(self, self, "worker", text, NULL);
        _exit(99);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return status;
}

/* Makes the disk; 0 if the system does not let us. */
static int make_disk(const char *options, unsigned long flags)
{
    umount2(disk, MNT_DETACH);
    return mount("none", disk, "tmpfs", flags, options) == 0;
}

static int to_map(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    return file && fputs(text, file) >= 0 && fclose(file) == 0;
}

/* A name space in which this user may mount; 0 if the system does not let us. */
static int make_space(void)
{
    char users[64], groups[64];
    snprintf(users, sizeof users, "0 %d 1", (int)getuid());
    snprintf(groups, sizeof groups, "0 %d 1", (int)getgid());
    if (unshare(CLONE_NEWNS) != 0) {
        if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0 || !to_map("/proc/self/setgroups", "deny") ||
            !to_map("/proc/self/uid_map", users) || !to_map("/proc/self/gid_map", groups))
            return 0;
    }
    return mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0;
}

static void no_room(void)
{
    /* From no room for anything, to room for some of what is written. */
    const char *rooms[] = {"size=4k", "size=16k", "size=64k", "size=1m,nr_inodes=4"};
    for (int i = 0; i < (int)(sizeof rooms / sizeof rooms[0]); i++) {
        if (!make_disk(rooms[i], 0)) {
            printf("no disk of our own: %s\n", strerror(errno));
            return;
        }
        EQ(run(BUILD_AND_TELL, 100 + i, i % 2, 0), 0);
        /* Again, with what the first one left. */
        EQ(run(BUILD_AND_TELL, 100 + i, i % 2, 0), 0);
    }
    if (make_disk("size=1m", MS_RDONLY)) {
        EQ(run(BUILD_AND_TELL, 200, 0, 0), 0);
        EQ(run(BUILD_AND_TELL, 200, 1, 0), 0);
    }
    umount2(disk, MNT_DETACH);
}

static void deaths(void)
{
    int died = 0;
    for (long most = 1; most < 20000; most *= 16) {
        int status = run(DIE_WRITING, 300, 0, most);
        CHECK(status == 0 || (WIFSIGNALED(status) && WTERMSIG(status) == SIGXFSZ));
        died += status != 0;
        EQ(run(BUILD, 300, 0, 0), 0);
        /* Another program, whose entry is not there yet. */
        EQ(run(BUILD, 301 + died, 0, 0), 0);
        char command[200];
        snprintf(command, sizeof command, "rm -rf %s/cache", folder);
        EQ(system(command), 0);
    }
    CHECK(died > 0);
}

int main(int count, char **arguments)
{
    if (count == 3)
        return worker(atoi(arguments[2]));
    ssize_t size = readlink("/proc/self/exe", self, sizeof self - 1);
    CHECK(size > 0);
    strcpy(folder, "/tmp/pumice-full-disk-XXXXXX");
    CHECK(mkdtemp(folder));
    snprintf(disk, sizeof disk, "%s/disk", folder);
    CHECK(mkdir(disk, 0700) == 0);
    deaths();
    if (make_space())
        no_room();
    else
        printf("no name space of our own: %s\n", strerror(errno));
    char command[200];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    EQ(system(command), 0);
    return finish();
}
