/* The work of `cargo xtask cluster`: workload PLATFORM DEVICES stencil|matrix|overhead|endless. Checks each
 * value against the host's and prints one line of names with numbers. `endless` is the stencil until a
 * server is lost. */
#include "remote.h"
#include <limits.h>

static const char *source =
    "kernel void relax(global const uint *from, global uint *to, uint width)\n"
    "{\n"
    "    size_t x = get_global_id(0), y = get_global_id(1) + 1, at = y * width + x;\n"
    "    uint west = x ? from[at - 1] : 0, east = x + 1 < width ? from[at + 1] : 0;\n"
    "    to[at] = (west + east + from[at - width] + from[at + width] + 4 * from[at]) >> 3;\n"
    "}\n"
    "kernel __attribute__((reqd_work_group_size(16, 16, 1)))\n"
    "void multiply(global const float *a, global const float *b, global float *c, uint n)\n"
    "{\n"
    "    local float as[16][16], bs[16][16];\n"
    "    size_t x = get_global_id(0), y = get_global_id(1), lx = get_local_id(0), ly = get_local_id(1);\n"
    "    float sum = 0;\n"
    "    for (uint t = 0; t < n; t += 16) {\n"
    "        as[ly][lx] = a[y * n + t + lx];\n"
    "        bs[ly][lx] = b[(t + ly) * n + x];\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "        for (uint k = 0; k < 16; k++)\n"
    "            sum += as[ly][k] * bs[k][lx];\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    }\n"
    "    c[y * n + x] = sum;\n"
    "}\n"
    "kernel void count(global uint *p) { p[get_global_id(0)]++; }\n";

/* First row and number of rows of a device's strip of `rows` rows, in units of `unit`. */
static size_t strip(size_t rows, size_t unit, cl_uint device, size_t *first)
{
    size_t units = rows / unit;
    *first = units * device / device_count * unit;
    return units * (device + 1) / device_count * unit - *first;
}

enum { WIDTH = 1024, HEIGHT = 1024, ROUNDS = 60, ROW = WIDTH * sizeof(cl_uint) };

/* A strip of the grid on one device: two generations with a row of its neighbours above and below, and
 * the strip's own first and last row by themselves, which the neighbours fetch. */
struct strip {
    size_t first, rows;
    cl_mem grid[2], top, bottom;
    /* The commands that filled `top` and `bottom`, and those with which the neighbours read them. */
    cl_event filled[2], fetched[2];
};

static void release(cl_event *event)
{
    if (*event)
        MUST(clReleaseEvent(*event));
    *event = NULL;
}

/* One round of a device's own work: the strip's next generation, and its edges for the neighbours. */
static void relax(struct strip *s, cl_uint device, cl_kernel kernel, int round)
{
    cl_mem from = s->grid[round % 2], to = s->grid[(round + 1) % 2];
    cl_uint width = WIDTH;
    size_t global[2] = {WIDTH, s->rows};
    set(kernel, 0, sizeof from, &from);
    set(kernel, 1, sizeof to, &to);
    set(kernel, 2, sizeof width, &width);
    SUBMIT(clEnqueueNDRangeKernel(queues[device], kernel, 2, NULL, global, NULL, 0, NULL, NULL));
    cl_mem edges[2] = {s->top, s->bottom};
    size_t rows[2] = {1, s->rows};
    for (int edge = 0; edge < 2; edge++) {
        release(&s->filled[edge]);
        SUBMIT(clEnqueueCopyBuffer(queues[device], to, edges[edge], rows[edge] * ROW, 0, ROW,
                                 s->fetched[edge] ? 1 : 0, s->fetched[edge] ? &s->fetched[edge] : NULL,
                                 &s->filled[edge]));
        release(&s->fetched[edge]);
    }
}

/* A neighbour's edge becomes the row beside a device's own strip: a transfer between two devices. */
static void fetch(struct strip *to, cl_uint device, size_t row, struct strip *from, int edge, int round)
{
    SUBMIT(clEnqueueCopyBuffer(queues[device], edge ? from->bottom : from->top, to->grid[(round + 1) % 2], 0,
                             row * ROW, ROW, 1, &from->filled[edge], &from->fetched[edge]));
}

static void stencil(int rounds)
{
    static cl_uint want[2][HEIGHT + 2][WIDTH], got[HEIGHT][WIDTH];
    static struct strip strips[MOST_DEVICES];
    for (size_t y = 1; y <= HEIGHT; y++)
        for (size_t x = 0; x < WIDTH; x++)
            want[0][y][x] = (cl_uint)((x * 2654435761u ^ y * 40503u) & 0xffffff);
    cl_program program = build(source);
    cl_kernel kernel = kernel_of(program, "relax");
    for (cl_uint i = 0; i < device_count; i++) {
        struct strip *s = &strips[i];
        s->rows = strip(HEIGHT, 1, i, &s->first);
        s->top = buffer(ROW);
        s->bottom = buffer(ROW);
        for (int g = 0; g < 2; g++) {
            s->grid[g] = buffer((s->rows + 2) * ROW);
            /* Both generations: the rows beyond the whole grid are never written again. */
            SUBMIT(clEnqueueWriteBuffer(queues[i], s->grid[g], CL_FALSE, 0, (s->rows + 2) * ROW,
                                      want[0][s->first], 0, NULL, NULL));
        }
        /* The first launch makes the driver compile; its result is computed again. */
        relax(s, i, kernel, 0);
    }
    finish_all();
    if (rounds != ROUNDS)
        puts("begun");
    double start = seconds_now();
    for (int round = 0; round < rounds; round++) {
        for (cl_uint i = 0; i < device_count; i++)
            relax(&strips[i], i, kernel, round);
        for (cl_uint i = 0; i < device_count; i++) {
            if (i > 0)
                fetch(&strips[i], i, 0, &strips[i - 1], 1, round);
            if (i + 1 < device_count)
                fetch(&strips[i], i, strips[i].rows + 1, &strips[i + 1], 0, round);
        }
        for (cl_uint i = 0; i < device_count; i++)
            MUST(clFlush(queues[i]));
        /* The queues stay short. */
        if (round % ROUNDS == ROUNDS - 1)
            finish_all();
    }
    double seconds = seconds_now() - start;
    for (cl_uint i = 0; i < device_count; i++) {
        struct strip *s = &strips[i];
        SUBMIT(clEnqueueReadBuffer(queues[i], s->grid[ROUNDS % 2], CL_FALSE, ROW, s->rows * ROW,
                                   got[s->first], 0, NULL, NULL));
    }
    finish_all();
    for (int round = 0; round < ROUNDS; round++)
        for (size_t y = 1; y <= HEIGHT; y++)
            for (size_t x = 0; x < WIDTH; x++) {
                cl_uint(*from)[WIDTH] = want[round % 2];
                cl_uint west = x ? from[y][x - 1] : 0, east = x + 1 < WIDTH ? from[y][x + 1] : 0;
                want[(round + 1) % 2][y][x] =
                    (west + east + from[y - 1][x] + from[y + 1][x] + 4 * from[y][x]) >> 3;
            }
    CHECK(!memcmp(got, want[ROUNDS % 2][1], sizeof got));
    printf("seconds %.4f checked %d host %zu peers %zu\n", seconds, WIDTH * HEIGHT,
           (size_t)3 * HEIGHT * ROW, (size_t)2 * (device_count - 1) * ROUNDS * ROW);
    for (cl_uint i = 0; i < device_count; i++) {
        for (int edge = 0; edge < 2; edge++) {
            release(&strips[i].filled[edge]);
            release(&strips[i].fetched[edge]);
            MUST(clReleaseMemObject(strips[i].grid[edge]));
        }
        MUST(clReleaseMemObject(strips[i].top));
        MUST(clReleaseMemObject(strips[i].bottom));
    }
    MUST(clReleaseKernel(kernel));
    MUST(clReleaseProgram(program));
}

enum { SIDE = 768, WHOLE = SIDE * SIDE * sizeof(float) };

/* C = A B: each device has rows of A and C, and a copy of B that comes from the first device. */
static void matrix(void)
{
    static float a[SIDE][SIDE], b[SIDE][SIDE], c[SIDE][SIDE];
    static int want[SIDE];
    /* Small integers, so that every sum is exact. */
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) {
            a[y][x] = (float)((x * 7 + y * 3) % 9 - 4);
            b[y][x] = (float)((x * 5 + y * 11) % 9 - 4);
        }
    cl_program program = build(source);
    cl_kernel kernel = kernel_of(program, "multiply");
    cl_mem all = buffer(WHOLE), parts[MOST_DEVICES], results[MOST_DEVICES];
    size_t first[MOST_DEVICES], rows[MOST_DEVICES], local[2] = {16, 16};
    cl_uint n = SIDE;
    double start = 0;
    /* The first pass makes the driver compile; the second is timed. */
    for (int pass = 0; pass < 2; pass++) {
        memset(c, 0, sizeof c);
        start = seconds_now();
        cl_event written, there[MOST_DEVICES];
        SUBMIT(clEnqueueWriteBuffer(queues[0], all, CL_FALSE, 0, WHOLE, b, 0, NULL, &written));
        for (cl_uint i = 0; i < device_count; i++) {
            rows[i] = strip(SIDE, 16, i, &first[i]);
            size_t bytes = rows[i] * SIDE * sizeof(float);
            parts[i] = buffer(bytes);
            results[i] = buffer(bytes);
            SUBMIT(clEnqueueMigrateMemObjects(queues[i], 1, &all, 0, 1, i ? &there[i - 1] : &written, &there[i]));
            SUBMIT(clEnqueueWriteBuffer(queues[i], parts[i], CL_FALSE, 0, bytes, a[first[i]], 0, NULL, NULL));
            size_t global[2] = {SIDE, rows[i]};
            set(kernel, 0, sizeof parts[i], &parts[i]);
            set(kernel, 1, sizeof all, &all);
            set(kernel, 2, sizeof results[i], &results[i]);
            set(kernel, 3, sizeof n, &n);
            SUBMIT(clEnqueueNDRangeKernel(queues[i], kernel, 2, NULL, global, local, 1, &there[i], NULL));
            SUBMIT(clEnqueueReadBuffer(queues[i], results[i], CL_FALSE, 0, bytes, c[first[i]], 0, NULL, NULL));
            MUST(clFlush(queues[i]));
        }
        finish_all();
        start = seconds_now() - start;
        for (cl_uint i = 0; i < device_count; i++) {
            MUST(clReleaseEvent(there[i]));
            MUST(clReleaseMemObject(parts[i]));
            MUST(clReleaseMemObject(results[i]));
        }
        MUST(clReleaseEvent(written));
    }
    for (int y = 0; y < SIDE; y++) {
        memset(want, 0, sizeof want);
        for (int k = 0; k < SIDE; k++)
            for (int x = 0; x < SIDE; x++)
                want[x] += (int)a[y][k] * (int)b[k][x];
        for (int x = 0; x < SIDE && !failures; x++)
            EQ(c[y][x], want[x]);
    }
    printf("seconds %.4f checked %d host %zu peers %zu\n", start, SIDE * SIDE, (size_t)3 * WHOLE,
           (size_t)(device_count - 1) * WHOLE);
    MUST(clReleaseMemObject(all));
    MUST(clReleaseKernel(kernel));
    MUST(clReleaseProgram(program));
}

/* Microseconds per command of a kernel of one work-item: many in a row, each awaited, and each on the
 * next device after the one before has ended. */
static void overhead(void)
{
    enum { MANY = 1000, SINGLE = 200 };
    cl_program program = build(source);
    cl_kernel kernel = kernel_of(program, "count");
    cl_mem counter = buffer(sizeof(cl_uint));
    cl_uint value = 0, want = 0;
    size_t one = 1;
    MUST(clEnqueueWriteBuffer(queues[0], counter, CL_TRUE, 0, sizeof value, &value, 0, NULL, NULL));
    set(kernel, 0, sizeof counter, &counter);
    for (cl_uint i = 0; i < device_count; i++) {
        MUST(clEnqueueNDRangeKernel(queues[i], kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
        MUST(clFinish(queues[i]));
        want++;
    }
    double start = seconds_now();
    for (int i = 0; i < MANY; i++)
        MUST(clEnqueueNDRangeKernel(queues[0], kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    MUST(clFinish(queues[0]));
    double many = (seconds_now() - start) / MANY * 1e6;
    start = seconds_now();
    for (int i = 0; i < SINGLE; i++) {
        MUST(clEnqueueNDRangeKernel(queues[0], kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
        MUST(clFinish(queues[0]));
    }
    double single = (seconds_now() - start) / SINGLE * 1e6;
    cl_event last = NULL;
    start = seconds_now();
    for (int i = 0; i < SINGLE; i++) {
        cl_event next;
        MUST(clEnqueueNDRangeKernel(queues[(cl_uint)i % device_count], kernel, 1, NULL, &one, NULL, last ? 1 : 0,
                                    last ? &last : NULL, &next));
        release(&last);
        last = next;
    }
    MUST(clWaitForEvents(1, &last));
    double hop = (seconds_now() - start) / SINGLE * 1e6;
    MUST(clEnqueueReadBuffer(queues[0], counter, CL_TRUE, 0, sizeof value, &value, 1, &last, NULL));
    release(&last);
    want += MANY + 2 * SINGLE;
    EQ(value, want);
    printf("many %.1f single %.1f hop %.1f checked 1\n", many, single, hop);
    MUST(clReleaseMemObject(counter));
    MUST(clReleaseKernel(kernel));
    MUST(clReleaseProgram(program));
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        fprintf(stderr, "workload PLATFORM DEVICES stencil|matrix|overhead|endless\n");
        return 2;
    }
    int wanted = atoi(argv[2]);
    if (wanted < 1 || wanted > MOST_DEVICES) {
        fprintf(stderr, "1 to %d devices\n", MOST_DEVICES);
        return 2;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    open_devices(argv[1], (cl_uint)wanted);
    if (!strcmp(argv[3], "stencil"))
        stencil(ROUNDS);
    else if (!strcmp(argv[3], "endless"))
        stencil(INT_MAX);
    else if (!strcmp(argv[3], "matrix"))
        matrix();
    else
        overhead();
    close_devices();
    return failures ? 1 : 0;
}
