/* Arithmetic throughput and copy bandwidth of half, char and short, which clpeak does not measure
 * here (half) or at all (char, short). Results are checked against the host; the figures are
 * printed. */
#include "demo.h"

enum { ITEMS = 1 << 16, STEPS = 256 };

/* One chain of multiply-adds per lane, the same on the host in the type's own width. */
static const char *SOURCE =
    "#ifdef USE_HALF\n"
    "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
    "#endif\n"
    "#define CAT_(a, b) a##b\n"
    "#define CAT(a, b) CAT_(a, b)\n"
    "#define V CAT(T, 4)\n"
    "kernel void chain(global V *data, T mul, T add) {\n"
    "    size_t i = get_global_id(0);\n"
    "    V v = data[i];\n"
    "    for (int k = 0; k < STEPS; ++k) v = v * mul + add;\n"
    "    data[i] = v;\n"
    "}\n"
    "kernel void copy(global const V *from, global V *to) {\n"
    "    size_t i = get_global_id(0);\n"
    "    to[i] = from[i];\n"
    "}\n";

int main(int argc, char **argv) {
    demo d = demo_open(argc, argv);
    char extensions[8192] = "";
    clGetDeviceInfo(d.device, CL_DEVICE_EXTENSIONS, sizeof extensions, extensions, NULL);
    int has_half = strstr(extensions, "cl_khr_fp16") != NULL;
    static const struct {
        const char *name;
        size_t size;
    } types[] = {{"half", 2}, {"char", 1}, {"short", 2}};
    int wrong = 0, measured = 0;
    double run_ms = 0;
    char what[256] = "";
    for (int t = 0; t < 3; t++) {
        if (t == 0 && !has_half) continue;
        size_t size = types[t].size, bytes = 4 * ITEMS * size;
        char options[128];
        snprintf(options, sizeof options, "-DT=%s -DSTEPS=%d%s", types[t].name, STEPS, t == 0 ? " -DUSE_HALF" : "");
        cl_program program = demo_build(&d, SOURCE, options);
        cl_int err;
        cl_kernel chain = clCreateKernel(program, "chain", &err);
        CHECK(err);
        cl_kernel copy = clCreateKernel(program, "copy", &err);
        CHECK(err);
        unsigned char *in = malloc(bytes), *out = malloc(bytes), *copied = malloc(bytes);
        for (size_t i = 0; i < 4 * ITEMS; i++) {
            /* Half: 1.0 stays 1.0 under v*0.5+0.5, which every rounding agrees on. */
            uint16_t v = t == 0 ? 0x3c00 : (uint16_t)(i * 37 + 5);
            memcpy(in + i * size, &v, size);
        }
        cl_mem a = demo_buffer(&d, CL_MEM_READ_WRITE, bytes, in), b = demo_buffer(&d, CL_MEM_READ_WRITE, bytes, NULL);
        uint16_t mul = t == 0 ? 0x3800 : 3, add = t == 0 ? 0x3800 : 7;
        CHECK(clSetKernelArg(copy, 0, sizeof a, &a));
        CHECK(clSetKernelArg(copy, 1, sizeof b, &b));
        CHECK(clSetKernelArg(chain, 0, sizeof a, &a));
        CHECK(clSetKernelArg(chain, 1, size, &mul));
        CHECK(clSetKernelArg(chain, 2, size, &add));
        size_t items = ITEMS;
        demo_run(&d, copy, 1, &items, NULL);
        double copy_ms = demo_run(&d, copy, 1, &items, NULL);
        double chain_ms = demo_run(&d, chain, 1, &items, NULL);
        CHECK(clEnqueueReadBuffer(d.queue, a, CL_TRUE, 0, bytes, out, 0, NULL, NULL));
        CHECK(clEnqueueReadBuffer(d.queue, b, CL_TRUE, 0, bytes, copied, 0, NULL, NULL));
        int ok = memcmp(copied, in, bytes) == 0;
        for (size_t i = 0; i < 4 * ITEMS; i++) {
            uint16_t v = 0, got = 0;
            memcpy(&v, in + i * size, size);
            memcpy(&got, out + i * size, size);
            if (t != 0)
                for (int k = 0; k < STEPS; k++) v = (uint16_t)(v * 3 + 7);
            if (size == 1) v &= 0xff;
            if (v != got) ok = 0;
        }
        wrong += !ok;
        measured++;
        run_ms += chain_ms + copy_ms;
        size_t at = strlen(what);
        snprintf(what + at, sizeof what - at, "%s%s %.2f Gop/s %.2f GB/s", at ? ", " : "", types[t].name,
                 2.0 * 4 * ITEMS * STEPS / chain_ms * 1e-6, 2.0 * bytes / copy_ms * 1e-6);
        free(in), free(out), free(copied);
    }
    return demo_result(&d, "half, char, short throughput", !wrong && measured > 0, what, run_ms);
}
