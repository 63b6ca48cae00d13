/* What the process uses: memory, descriptors, threads. */
#ifndef PUMICE_CLIENT_USAGE_H
#define PUMICE_CLIENT_USAGE_H
#include <dirent.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

struct usage {
    /* KiB of resident memory. */
    long resident;
    long descriptors, threads;
};

static inline long entries_of(const char *folder)
{
    long count = 0;
    DIR *open = opendir(folder);
    while (open && readdir(open))
        count++;
    if (open)
        closedir(open);
    return count;
}

/* KiB of resident memory; -1 if the system does not tell. */
static inline long resident(void)
{
    long pages = 0, other = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%ld %ld", &other, &pages) != 2) {
        if (file)
            fclose(file);
        return -1;
    }
    fclose(file);
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

static inline struct usage usage(void)
{
    struct usage now = {resident(), entries_of("/proc/self/fd"), entries_of("/proc/self/task")};
    return now;
}

/* Waits until no more descriptors and threads are there than before, for up to a minute: threads of the driver's end
 * when they have nothing left to do. */
static inline struct usage usage_like(struct usage before)
{
    struct timespec pause = {0, 10000000};
    struct usage now = usage();
    for (int i = 0; i < 6000 && (now.threads > before.threads || now.descriptors > before.descriptors); i++) {
        nanosleep(&pause, NULL);
        now = usage();
    }
    return now;
}
#endif
