/* One kernel writes packets into a pipe, another reads them. The pipe is far smaller than what
 * goes through it, so both count what they could not write or read. No packet is lost or comes
 * twice. */
#define CL_TARGET_OPENCL_VERSION 300
#include "demo.h"

enum { PACKETS = 1 << 12, ROUNDS = 48, ITEMS = 6000 };

static const char *SOURCE =
    "kernel void produce(write_only pipe uint2 out, uint first, global int *written) {\n"
    "    uint number = first + get_global_id(0);\n"
    "    uint2 packet = (uint2)(number, number * 2654435761u);\n"
    "    if (write_pipe(out, &packet) == 0) written[number] = 1;\n"
    "}\n"
    "kernel void consume(read_only pipe uint2 in, global int *read, global int *broken) {\n"
    "    uint2 packet;\n"
    "    if (read_pipe(in, &packet) != 0) return;\n"
    "    if (packet.y != packet.x * 2654435761u) atomic_inc(broken);\n"
    "    else atomic_inc(&read[packet.x]);\n"
    "}\n";

int main(int argc, char **argv) {
    demo d = demo_open(argc, argv);
    const char *name = "producer and consumer (a pipe)";
    cl_bool there = CL_FALSE;
    clGetDeviceInfo(d.device, CL_DEVICE_PIPE_SUPPORT, sizeof there, &there, NULL);
    if (!there) return demo_result(&d, name, 1, "left out: the device has no pipes", 0);
    cl_program program = demo_build(&d, SOURCE, "-cl-std=CL3.0");
    cl_int err;
    cl_kernel produce = clCreateKernel(program, "produce", &err);
    CHECK(err);
    cl_kernel consume = clCreateKernel(program, "consume", &err);
    CHECK(err);
    cl_mem pipe = clCreatePipe(d.context, 0, sizeof(cl_uint2), PACKETS, NULL, &err);
    CHECK(err);
    size_t count = ROUNDS * ITEMS, bytes = count * sizeof(cl_int);
    cl_int *written = calloc(count, sizeof *written), *read = calloc(count, sizeof *read), broken = 0;
    cl_mem mwritten = demo_buffer(&d, CL_MEM_READ_WRITE, bytes, written);
    cl_mem mread = demo_buffer(&d, CL_MEM_READ_WRITE, bytes, read);
    cl_mem mbroken = demo_buffer(&d, CL_MEM_READ_WRITE, sizeof broken, &broken);
    CHECK(clSetKernelArg(produce, 0, sizeof pipe, &pipe));
    CHECK(clSetKernelArg(produce, 2, sizeof mwritten, &mwritten));
    CHECK(clSetKernelArg(consume, 0, sizeof pipe, &pipe));
    CHECK(clSetKernelArg(consume, 1, sizeof mread, &mread));
    CHECK(clSetKernelArg(consume, 2, sizeof mbroken, &mbroken));
    double start = demo_now_ms();
    for (cl_uint round = 0; round < ROUNDS; round++) {
        cl_uint first = round * ITEMS;
        CHECK(clSetKernelArg(produce, 1, sizeof first, &first));
        CHECK(clEnqueueNDRangeKernel(d.queue, produce, 1, NULL, (size_t[]){ITEMS}, NULL, 0, NULL, NULL));
        CHECK(clEnqueueNDRangeKernel(d.queue, consume, 1, NULL, (size_t[]){ITEMS}, NULL, 0, NULL, NULL));
    }
    CHECK(clFinish(d.queue));
    double ms = demo_now_ms() - start;
    CHECK(clEnqueueReadBuffer(d.queue, mwritten, CL_TRUE, 0, bytes, written, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(d.queue, mread, CL_TRUE, 0, bytes, read, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(d.queue, mbroken, CL_TRUE, 0, sizeof broken, &broken, 0, NULL, NULL));
    CHECK(clReleaseMemObject(pipe));
    int passed = 0, wrong = broken;
    for (size_t i = 0; i < count; i++) {
        passed += read[i];
        wrong += read[i] != written[i];
    }
    /* A pipe of PACKETS takes as many in each round. */
    int ok = wrong == 0 && passed == ROUNDS * PACKETS;
    char what[96];
    snprintf(what, sizeof what, "%d packets through a pipe of %d, %d wrong", passed, PACKETS, wrong);
    return demo_result(&d, name, ok, what, ms);
}
