/* Gravity among 1024 bodies for ten steps, against the same steps on the host. */
#include "demo.h"

enum { BODIES = 1024, STEPS = 10 };
#define DT 0.001f
#define SOFTENING 0.01f

static const char *SOURCE =
    "typedef struct { float4 position; float4 velocity; } body;\n"
    "__kernel void advance(__global const body *in, __global body *out, uint n, float dt, float eps) {\n"
    "    uint i = get_global_id(0);\n"
    "    if (i >= n) return;\n"
    "    body me = in[i];\n"
    "    float3 force = (float3)(0.0f);\n"
    "    for (uint j = 0; j < n; ++j) {\n"
    "        float4 other = in[j].position;\n"
    "        float3 delta = other.xyz - me.position.xyz;\n"
    "        float inverse = rsqrt(dot(delta, delta) + eps);\n"
    "        force += delta * (other.w * inverse * inverse * inverse);\n"
    "    }\n"
    "    me.velocity.xyz += force * dt;\n"
    "    me.position.xyz += me.velocity.xyz * dt;\n"
    "    out[i] = me;\n"
    "}\n";

typedef struct {
    float position[4], velocity[4];
} body;

int main(int argc, char **argv) {
    demo d = demo_open(argc, argv);
    static body start[BODIES], result[BODIES];
    static double p[BODIES][3], v[BODIES][3];
    uint32_t seed = 12345;
    for (int i = 0; i < BODIES; i++) {
        for (int k = 0; k < 3; k++) {
            seed = seed * 1664525u + 1013904223u;
            start[i].position[k] = (float)(seed >> 8) / (1 << 24) - 0.5f;
            p[i][k] = start[i].position[k];
        }
        start[i].position[3] = 1.0f / BODIES;
    }
    cl_program program = demo_build(&d, SOURCE, "");
    cl_int err;
    cl_kernel kernel = clCreateKernel(program, "advance", &err);
    CHECK(err);
    cl_mem m[2] = {demo_buffer(&d, CL_MEM_READ_WRITE, sizeof start, start),
                   demo_buffer(&d, CL_MEM_READ_WRITE, sizeof start, NULL)};
    cl_uint n = BODIES;
    cl_float dt = DT, eps = SOFTENING;
    double ms = 0;
    for (int s = 0; s < STEPS; s++) {
        CHECK(clSetKernelArg(kernel, 0, sizeof(cl_mem), &m[s & 1]));
        CHECK(clSetKernelArg(kernel, 1, sizeof(cl_mem), &m[~s & 1]));
        CHECK(clSetKernelArg(kernel, 2, sizeof n, &n));
        CHECK(clSetKernelArg(kernel, 3, sizeof dt, &dt));
        CHECK(clSetKernelArg(kernel, 4, sizeof eps, &eps));
        ms += demo_run(&d, kernel, 1, (size_t[]){BODIES}, NULL);
    }
    CHECK(clEnqueueReadBuffer(d.queue, m[STEPS & 1], CL_TRUE, 0, sizeof result, result, 0, NULL, NULL));
    for (int s = 0; s < STEPS; s++) {
        static double f[BODIES][3];
        for (int i = 0; i < BODIES; i++) {
            f[i][0] = f[i][1] = f[i][2] = 0;
            for (int j = 0; j < BODIES; j++) {
                double dx = p[j][0] - p[i][0], dy = p[j][1] - p[i][1], dz = p[j][2] - p[i][2];
                double inverse = 1 / sqrt(dx * dx + dy * dy + dz * dz + SOFTENING);
                double g = inverse * inverse * inverse / BODIES;
                f[i][0] += dx * g, f[i][1] += dy * g, f[i][2] += dz * g;
            }
        }
        for (int i = 0; i < BODIES; i++)
            for (int k = 0; k < 3; k++) v[i][k] += f[i][k] * DT, p[i][k] += v[i][k] * DT;
    }
    double worst = 0;
    for (int i = 0; i < BODIES; i++)
        for (int k = 0; k < 3; k++) worst = fmax(worst, fabs(p[i][k] - result[i].position[k]));
    char what[96];
    snprintf(what, sizeof what, "%d bodies, %d steps, largest difference %.1e", BODIES, STEPS, worst);
    return demo_result(&d, "n-body", worst < 1e-5, what, ms);
}
