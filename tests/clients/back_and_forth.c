// client: all-drivers
/* A buffer and an event go back and forth between all devices of a context, a thousand times: each
 * device's kernel waits for the other's event, and its integers of 8, 16 and 64 bits are the device's
 * own or made up of words. With one device its queues take the turns. */
#include "common.h"

enum { N = 61, ROUNDS = 1000, LOOK = 100, MOST = 9 };

struct row {
    cl_ulong wide;
    cl_short narrow;
    cl_uchar bytes[3];
    cl_char sign;
    cl_short padding;
};

static const char *source =
    "struct row { ulong wide; short narrow; uchar bytes[3]; char sign; short padding; };\n"
    "kernel void step(global struct row *rows, ulong by, global uchar *marks)\n"
    "{\n"
    "    size_t i = get_global_id(0);\n"
    "    rows[i].wide = rows[i].wide * 6364136223846793005UL + by / (i + 3) + (rows[i].wide >> 33);\n"
    "    rows[i].narrow = (short)(rows[i].narrow * 3 + (short)by);\n"
    "    rows[i].bytes[by % 3] += (uchar)i;\n"
    "    rows[i].sign = rows[i].sign / (char)3 - (char)i;\n"
    "    marks[i] ^= (uchar)(rows[i].wide >> 56);\n"
    "}\n";

static struct row want[N], got[N];
static cl_uchar want_marks[N], marks[N];

static void step(cl_ulong by)
{
    for (cl_ulong i = 0; i < N; i++) {
        struct row *row = &want[i];
        row->wide = row->wide * 6364136223846793005ULL + by / (i + 3) + (row->wide >> 33);
        row->narrow = (cl_short)(row->narrow * 3 + (cl_short)by);
        row->bytes[by % 3] += (cl_uchar)i;
        row->sign = (cl_char)(row->sign / 3 - (cl_char)i);
        want_marks[i] ^= (cl_uchar)(row->wide >> 56);
    }
}

int main(void)
{
    cl_device_id devices[MOST];
    cl_uint count = 0;
    MUST(clGetDeviceIDs(pumice_platform(), CL_DEVICE_TYPE_ALL, MOST, devices, &count));
    cl_context context = MADE(clCreateContext, NULL, count, devices, NULL, NULL);
    cl_uint turns = count > 1 ? count : 2;
    cl_command_queue queues[MOST];
    for (cl_uint i = 0; i < turns; i++) {
        queues[i] = MADE(clCreateCommandQueueWithProperties, context, devices[i % count], NULL);
    }
    cl_program program = PROGRAM(context, source, NULL);
    cl_kernel kernel = MADE(clCreateKernel, program, "step");
    for (int i = 0; i < N; i++)
        want[i] = (struct row){.wide = 0x9e3779b97f4a7c15ULL * (cl_ulong)(i + 1),
                               .narrow = (cl_short)(i * 777),
                               .sign = (cl_char)(i * 5)};
    cl_mem rows = MADE(clCreateBuffer, context, CL_MEM_COPY_HOST_PTR, sizeof want, want);
    cl_mem bytes = MADE(clCreateBuffer, context, CL_MEM_COPY_HOST_PTR, sizeof marks, want_marks);
    const size_t items = N;
    cl_event last = NULL;
    for (cl_uint round = 0; round < ROUNDS; round++) {
        cl_command_queue queue = queues[round % turns];
        cl_ulong by = (cl_ulong)round * 0x100000001b3ULL;
        cl_event next;
        MUST(clSetKernelArg(kernel, 0, sizeof rows, &rows));
        MUST(clSetKernelArg(kernel, 1, sizeof by, &by));
        MUST(clSetKernelArg(kernel, 2, sizeof bytes, &bytes));
        MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, last ? 1 : 0,
                                    last ? &last : NULL, &next));
        MUST(clFlush(queue));
        if (last)
            MUST(clReleaseEvent(last));
        last = next;
        step(by);
        if (round % LOOK != LOOK - 1)
            continue;
        cl_command_queue other = queues[(round + 1) % turns];
        MUST(clEnqueueReadBuffer(other, rows, CL_TRUE, 0, sizeof got, got, 1, &last, NULL));
        MUST(clEnqueueReadBuffer(other, bytes, CL_TRUE, 0, sizeof marks, marks, 1, &last, NULL));
        if (memcmp(got, want, sizeof got) || memcmp(marks, want_marks, sizeof marks)) {
            fprintf(stderr, "round %u\n", round);
            failures++;
            break;
        }
    }
    MUST(clReleaseEvent(last));
    MUST(clReleaseMemObject(rows));
    MUST(clReleaseMemObject(bytes));
    MUST(clReleaseKernel(kernel));
    MUST(clReleaseProgram(program));
    for (cl_uint i = 0; i < turns; i++)
        MUST(clReleaseCommandQueue(queues[i]));
    release_last(context);
    return finish();
}
