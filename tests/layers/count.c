/* A layer of the Khronos loader that counts the calls of every entry point and passes them on. When the
 * process ends, it adds a line "PROCESS CALLS ENTRIES" to the file that LAYER_CALLS names: the calls
 * and the entry points that were called.
 *
 * The functions differ in their arguments, which a jump leaves as they are. */
#define LAYER_NAME "count"
#include "layer.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#ifndef __x86_64__
#error "the jumps are written for x86-64"
#endif

#define ENTRIES (sizeof(cl_icd_dispatch) / sizeof(void *))
_Static_assert(ENTRIES <= 256, "there are 256 jumps");

/* The assembler's code names these. */
#define FOR_JUMPS __attribute__((visibility("hidden")))
FOR_JUMPS unsigned long long calls[256];
FOR_JUMPS void *targets[256];
FOR_JUMPS extern const char count_jumps[];

/* Each takes 32 bytes: count, then go on to the next layer. */
__asm__(".text\n"
        ".balign 32\n"
        "count_jumps:\n"
        ".set index, 0\n"
        ".rept 256\n"
        ".balign 32\n"
        "lock incq calls + 8 * index(%rip)\n"
        "jmp *targets + 8 * index(%rip)\n"
        ".set index, index + 1\n"
        ".endr\n");

static void tell(void)
{
    const char *path = getenv("LAYER_CALLS");
    FILE *file = path ? fopen(path, "a") : NULL;
    unsigned long long all = 0;
    int entries = 0;
    for (size_t i = 0; i < ENTRIES; i++) {
        all += calls[i];
        entries += calls[i] > 0;
    }
    if (!file)
        return;
    fprintf(file, "%ld %llu %d\n", (long)getpid(), all, entries);
    fclose(file);
}

static void put_entries(void)
{
    void **entry = (void **)&table;
    for (size_t i = 0; i < ENTRIES; i++) {
        targets[i] = entry[i];
        if (entry[i])
            entry[i] = (void *)(count_jumps + 32 * i);
    }
    atexit(tell);
}
