/* Preloaded into clients: a process that a signal ends writes its name and the signal to the file that CRASHES names,
 * so that the crash of a client's child is seen too.
 *     gcc -shared -fPIC -o libcrashes.so tests/layers/crashes.c
 *     CRASHES=/tmp/crashes LD_PRELOAD=$PWD/libcrashes.so ./client */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char line[200];
static const char *file;
static char stack[1 << 16];

static void on_signal(int number)
{
    int to = open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    size_t length = strlen(line);
    line[length++] = (char)('0' + number / 10);
    line[length++] = (char)('0' + number % 10);
    line[length++] = '\n';
    if (to >= 0 && write(to, line, length) < 0)
        line[0] = 0;
    signal(number, SIG_DFL);
    raise(number);
}

__attribute__((constructor)) static void watch(void)
{
    static const int fatal[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGSYS};
    file = getenv("CRASHES");
    if (!file)
        return;
    strncpy(line, program_invocation_short_name, sizeof line - 20);
    strcat(line, ": signal ");
    /* The stack may be what ran out. */
    stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
    sigaltstack(&other, NULL);
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK | (int)SA_RESETHAND};
    for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++)
        sigaction(fatal[i], &action, NULL);
}
