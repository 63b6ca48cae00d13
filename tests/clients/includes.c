// client: once
/* Files that #include may open: FIFOs and devices never, and with PUMICE_INCLUDES none or those of the
 * -I folders. The client runs itself again with the option. */
#include "common.h"
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[64] = "/tmp/pumice-includes-XXXXXX";
static char log_text[1 << 16];

/* Builds a source with -I of the folder `listed`, and of one whose name is not UTF-8; gives the error, and the log in `log_text`. */
static cl_int build(const char *source)
{
    cl_device_id device = pumice_device();
    cl_context context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    cl_program program = MADE(clCreateProgramWithSource, context, 1, &source, NULL);
    char options[300];
    snprintf(options, sizeof options, "-I %s/listed -I %s/caf\xe9", folder, folder);
    cl_int result = clBuildProgram(program, 0, NULL, options, NULL, NULL);
    MUST(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log_text, log_text, NULL));
    MUST(clReleaseProgram(program));
    release_last(context);
    return result;
}

/* The build of `#include "name"`; 1 where it succeeds, else 0 with `why` in the log and no word of the file. */
static int includes(const char *name, const char *why)
{
    char source[500];
    snprintf(source, sizeof source, "#include \"%s\"\nkernel void k(global int *p) { *p = VALUE; }\n", name);
    cl_int result = build(source);
    if (result == CL_SUCCESS)
        return 1;
    EQ(result, CL_BUILD_PROGRAM_FAILURE);
    if (!strstr(log_text, why)) {
        fprintf(stderr, "%s: the log lacks '%s':\n%s\n", name, why, log_text);
        failures++;
    }
    CHECK(!strstr(log_text, "hidden_text"));
    return 0;
}

/* `mode` is the option's value. */
static int worker(const char *mode)
{
    char path[200];
    const char *kind = "it is not a regular file", *closed = kind;
    int any = strcmp(mode, "on") == 0, listed = strcmp(mode, "listed") == 0;
    if (!any)
        closed = listed ? "PUMICE_INCLUDES is `listed`" : "PUMICE_INCLUDES is `off`";
    /* With `listed` what lies in the folder is told of as it is. */
    EQ(includes("pipe.h", any || listed ? kind : closed), 0);
    EQ(includes("inside.h", closed), any || listed);
    EQ(includes("second.h", closed), any || listed);
    EQ(includes("/dev/zero", closed), 0);
    EQ(includes("/dev/tty", closed), 0);
    EQ(includes("out.h", closed), any);
    EQ(includes("../outside.h", closed), any);
    snprintf(path, sizeof path, "%s/outside.h", folder);
    EQ(includes(path, closed), any);
    snprintf(path, sizeof path, "%s/absent.h", folder);
    EQ(includes(path, any ? "not found" : closed), 0);
    EQ(includes("large.h", any || listed ? "it is larger than 64 MiB" : closed), 0);
    if (!any) {
        char source[900];
        snprintf(source, sizeof source,
                 "#if __has_include(\"%s/outside.h\") || __has_include(\"../outside.h\") || "
                 "__has_include(\"/dev/zero\") || __has_include(\"%s/listed/pipe.h\")\n#error seen\n#endif\n"
                 "#if __has_include(\"inside.h\") != %d || __has_include(<inside.h>) != %d\n#error unseen\n#endif\n",
                 folder, folder, listed, listed);
        EQ(build(source), CL_SUCCESS);
    }
    return failures != 0;
}

static void write_file(const char *name, const char *text, long size)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    CHECK(file && fputs(text, file) >= 0);
    if (file) {
        fflush(file);
        CHECK(size == 0 || ftruncate(fileno(file), size) == 0);
        fclose(file);
    }
}

int main(int count, char **arguments)
{
    if (count == 3) {
        snprintf(folder, sizeof folder, "%s", arguments[2]);
        return worker(arguments[1]);
    }
    CHECK(mkdtemp(folder) != NULL);
    char path[200];
    snprintf(path, sizeof path, "%s/listed", folder);
    EQ(mkdir(path, 0700), 0);
    snprintf(path, sizeof path, "%s/caf\xe9", folder);
    EQ(mkdir(path, 0700), 0);
    snprintf(path, sizeof path, "%s/listed/pipe.h", folder);
    EQ(mkfifo(path, 0600), 0);
    snprintf(path, sizeof path, "%s/listed/out.h", folder);
    EQ(symlink("../outside.h", path), 0);
    write_file("outside.h", "#define VALUE 1 // hidden_text\n", 0);
    write_file("listed/inside.h", "#define VALUE 2\n", 0);
    write_file("caf\xe9/second.h", "#define VALUE 4\n", 0);
    write_file("listed/large.h", "#define VALUE 3\n", (64L << 20) + 1);
    static const char *modes[] = {"on", "listed", "off"};
    for (int mode = 0; mode < 3; mode++) {
        pid_t child = fork();
        if (child == 0) {
            setenv("PUMICE_INCLUDES", modes[mode], 1);
            /* A FIFO that is opened would wait for ever. */
            alarm(60);
            execl(arguments[0], arguments[0], modes[mode], folder, NULL);
            _exit(99);
        }
        int status = 0;
        EQ(waitpid(child, &status, 0), child);
        if (status != 0) {
            fprintf(stderr, "PUMICE_INCLUDES=%s: status %x\n", modes[mode], status);
            failures++;
        }
    }
    static const char *names[] = {"listed/pipe.h", "listed/out.h", "listed/inside.h", "listed/large.h", "listed",
                                  "caf\xe9/second.h", "caf\xe9", "outside.h", ""};
    for (int name = 0; name < 9; name++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[name]);
        CHECK(remove(path) == 0);
    }
    return finish();
}
