/* The log of the layer `gpu_like`, where it is on: a line for each batch that the device's queues have run. */
#ifndef PUMICE_CLIENT_QUEUE_LOG_H
#define PUMICE_CLIENT_QUEUE_LOG_H
#include <stdio.h>
#include <stdlib.h>

/* The number of batches so far; 0 without the layer. */
static int batches(void)
{
    const char *path = getenv("LAYER_QUEUES");
    FILE *log = path ? fopen(path, "r") : NULL;
    int lines = 0;
    for (int c; log && (c = fgetc(log)) != EOF;)
        lines += c == '\n';
    if (log)
        fclose(log);
    return lines;
}

#endif
