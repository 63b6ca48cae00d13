/* For a client that runs itself with PUMICE_TRACE and reads the trace. */
#ifndef PUMICE_CLIENT_TRACED_RUN_H
#define PUMICE_CLIENT_TRACED_RUN_H

#include "common.h"
#include <sys/wait.h>
#include <unistd.h>

/* The trace of the last run. */
static char trace[1 << 20];

/* Runs a program with one argument; gives the status of waitpid. */
static inline int traced_run(const char *program, const char *argument)
{
    char path[] = "/tmp/pumice-trace-XXXXXX";
    int file = mkstemp(path);
    CHECK(file >= 0);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        setenv("PUMICE_TRACE", path, 1);
        execl(program, program, argument, NULL);
        _exit(99);
    }
    int status = 0;
    waitpid(child, &status, 0);
    ssize_t size = read(file, trace, sizeof trace - 1);
    CHECK(size > 0);
    trace[size > 0 ? size : 0] = 0;
    close(file);
    unlink(path);
    return status;
}

/* How often the trace has a text. */
static inline int traced_times(const char *word)
{
    int found = 0;
    for (const char *at = trace; (at = strstr(at, word)); at++)
        found++;
    return found;
}

#endif
