// client: once
/* The program cache between processes: a second one finds what the first built, two at once do not
 * disturb each other, and damage, changed headers, a folder that cannot be and the bound on its size
 * cost time only. The client runs itself again as the processes; they check the kernel's result. */
#include "kernel_run.h"
#include <dirent.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[256], cache[300], header[300], log_file[300];
static char *self;

/* One process: builds in one of the API's ways and checks what the kernel computes. */
static int worker(const char *way, int value)
{
    cl_device_id device = pumice_device();
    cl_context context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    cl_command_queue queue = MADE(clCreateCommandQueueWithProperties, context, device, NULL);
    char options[600], text[400];
    snprintf(options, sizeof options, "-I %s -DFACTOR=3", folder);
    /* Some ways have source of their own, so that their entries are theirs alone. */
    snprintf(text, sizeof text,
             "#include \"value.h\"\n#warning %s\nkernel void k(global int *p) {\n"
             " p[get_global_id(0)] = VALUE * FACTOR; }\n",
             way);
    const char *source = text;
    cl_program program = MADE(clCreateProgramWithSource, context, 1, &source, NULL);
    if (strcmp(way, "link") == 0) {
        MUST(clCompileProgram(program, 0, NULL, options, 0, NULL, NULL, NULL, NULL));
        cl_program whole = MADE(clLinkProgram, context, 0, NULL, "", 1, &program, NULL, NULL);
        MUST(clReleaseProgram(program));
        program = whole;
    } else {
        MUST(clBuildProgram(program, 0, NULL, options, NULL, NULL));
    }
    char info[4000] = "";
    MUST(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof info, info, NULL));
    if (strcmp(way, "link") != 0)
        CHECK(strstr(info, "#warning"));
    check_number(context, queue, program, value * 3);
    return failures != 0;
}

static pid_t start(const char *way, int value)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        char number[16];
        snprintf(number, sizeof number, "%d", value);
        setenv("PUMICE_CACHE", "on", 1);
        setenv("PUMICE_CACHE_DIR", cache, 1);
        setenv("PUMICE_LOG", "cache=debug", 1);
        setenv("PUMICE_LOG_FILE", log_file, 1);
        execl(self, self, "worker", folder, way, number, NULL);
        _exit(99);
    }
    return child;
}

static void end(pid_t child)
{
    int status = 0;
    waitpid(child, &status, 0);
    EQ(status, 0);
}

/* Counts an entry's occurrences in the log since the last call. */
static char said[1 << 16];
static void take_log(void)
{
    FILE *file = fopen(log_file, "r");
    size_t size = file ? fread(said, 1, sizeof said - 1, file) : 0;
    said[size] = 0;
    if (file)
        fclose(file);
    unlink(log_file);
}
static int count(const char *what)
{
    int found = 0;
    for (const char *at = said; (at = strstr(at, what)); at++)
        found++;
    return found;
}

static void run(const char *way, int value)
{
    end(start(way, value));
    take_log();
}

static void write_header(int value)
{
    FILE *file = fopen(header, "w");
    fprintf(file, "#define VALUE %d\n", value);
    fclose(file);
}

/* Calls a function for every entry. */
static int each_entry(void (*what)(const char *path))
{
    DIR *dir = opendir(cache);
    int entries = 0;
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        if (entry->d_name[0] == '.')
            continue;
        char path[600];
        snprintf(path, sizeof path, "%s/%s", cache, entry->d_name);
        entries++;
        if (what)
            what(path);
    }
    if (dir)
        closedir(dir);
    return entries;
}
/* The counts that processes left behind. */
static void lookups(unsigned long long *hits, unsigned long long *misses)
{
    char path[400];
    snprintf(path, sizeof path, "%s/.lookups", cache);
    FILE *file = fopen(path, "r");
    unsigned long long record[2];
    *hits = *misses = 0;
    while (file && fread(record, sizeof record, 1, file) == 1) {
        *hits += record[0];
        *misses += record[1];
    }
    CHECK(file);
    fclose(file);
}

static void truncate_it(const char *path)
{
    struct stat about;
    stat(path, &about);
    EQ(truncate(path, about.st_size / 2), 0);
}
static void garble(const char *path)
{
    FILE *file = fopen(path, "r+");
    fseek(file, 200, SEEK_SET);
    fputs("\x5a\xa5garbled", file);
    fclose(file);
}
/* The program's entry, and on drivers that have pipeline caches (lavapipe has none) theirs. */
static int of_program_or_driver(int entries)
{
    return entries == 1 || entries == 2;
}
static void remove_it(const char *path) { unlink(path); }

int main(int argc, char **argv)
{
    self = argv[0];
    if (argc == 5) {
        snprintf(folder, sizeof folder, "%s", argv[2]);
        return worker(argv[3], atoi(argv[4]));
    }
    snprintf(folder, sizeof folder, "/tmp/pumice-cache-XXXXXX");
    CHECK(mkdtemp(folder));
    snprintf(cache, sizeof cache, "%s/cache", folder);
    snprintf(header, sizeof header, "%s/value.h", folder);
    snprintf(log_file, sizeof log_file, "%s/log", folder);
    write_header(5);

    /* The second process hits, and has the first one's log. */
    run("build", 5);
    EQ(count(" is there\n"), 0);
    int entries = each_entry(NULL);
    CHECK(entries >= 1);
    struct stat about;
    CHECK(stat(cache, &about) == 0 && (about.st_mode & 077) == 0);
    run("build", 5);
    EQ(count(" is there\n"), 1);
    EQ(count(" is not there\n"), 0);
    EQ(each_entry(NULL), entries);
    /* Compiling and linking, each by itself. */
    run("link", 5);
    EQ(count(" is not there\n"), 2);
    run("link", 5);
    EQ(count(" is there\n"), 2);
    unsigned long long hits, misses;
    lookups(&hits, &misses);
    EQ(hits, 3);
    EQ(misses, 3);

    /* A header that has changed is a miss, and then a hit again. */
    write_header(6);
    run("build", 6);
    EQ(count(" has changed\n"), 1);
    run("build", 6);
    EQ(count(" is there\n"), 1);

    /* Damage is found, removed and repaired. */
    each_entry(truncate_it);
    run("build", 6);
    CHECK(of_program_or_driver(count(": damaged; the program is compiled again\n")));
    run("build", 6);
    EQ(count(" is there\n"), 1);
    each_entry(garble);
    run("build", 6);
    CHECK(of_program_or_driver(count(": damaged; the program is compiled again\n")));
    run("build", 6);
    EQ(count(" is there\n"), 1);

    /* Several at once, with nothing there and with all. */
    each_entry(remove_it);
    for (int round = 0; round < 2; round++) {
        pid_t children[4];
        for (int i = 0; i < 4; i++)
            children[i] = start(i % 2 ? "link" : "build", 6);
        for (int i = 0; i < 4; i++)
            end(children[i]);
        take_log();
        EQ(count("damaged"), 0);
    }
    EQ(count(" is there\n"), 6);

    /* A bound that nothing fits: every build is a miss, and right. */
    each_entry(remove_it);
    setenv("PUMICE_CACHE_SIZE", "0", 1);
    run("build", 6);
    EQ(each_entry(NULL), 0);
    CHECK(count("may hold") >= count(" is not there\n") && count(" is not there\n") > 0);
    unsetenv("PUMICE_CACHE_SIZE");

    /* A folder that cannot be is said once and done without. */
    lookups(&hits, &misses);
    CHECK(hits >= 12 && misses >= 8);
    char counts[400];
    snprintf(counts, sizeof counts, "%s/.lookups", cache);
    EQ(unlink(counts), 0);
    snprintf(counts, sizeof counts, "%s/.size", cache);
    EQ(unlink(counts), 0);
    EQ(rmdir(cache), 0);
    FILE *file = fopen(cache, "w");
    fclose(file);
    run("link", 6);
    EQ(count("going on without a cache"), 1);

    unlink(cache);
    unlink(header);
    unlink(log_file);
    EQ(rmdir(folder), 0);
    return finish();
}
