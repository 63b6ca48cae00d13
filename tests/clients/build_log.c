/* What a user sees of a broken kernel: three mistakes give three diagnostics with line, column,
 * source line and caret; random bytes and truncated sources give errors, not crashes. */
#include "common.h"
#include <stdint.h>

static cl_context context;
static cl_device_id device;

static int build(const char *source, size_t size, char *log, size_t room) {
    cl_int err;
    cl_program program = clCreateProgramWithSource(context, 1, &source, &size, &err);
    if (err) return err;
    cl_int result = clBuildProgram(program, 1, &device, "", NULL, NULL);
    cl_build_status status = CL_BUILD_NONE;
    clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_STATUS, sizeof status, &status, NULL);
    if ((result == CL_SUCCESS) != (status == CL_BUILD_SUCCESS)) {
        printf("FAIL build returned %d but the status is %d\n", result, status);
        exit(1);
    }
    log[0] = 0;
    clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, room, log, NULL);
    clReleaseProgram(program);
    return result;
}

int main(void) {
    device = pumice_device();
    context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    static char log[1 << 20];

    static const char broken[] =
        "kernel void three(global int *out, float4 v) {\n"
        "    int a = missing + 1;\n"
        "    out[0] = a\n"
        "    out[1] = v.q;\n"
        "}\n";
    int result = build(broken, sizeof broken - 1, log, sizeof log);
    if (result != CL_BUILD_PROGRAM_FAILURE) {
        printf("FAIL expected -11, got %d\n", result);
        return 1;
    }
    /* Position, the source line and a caret under the right column for each mistake. */
    static const char *wanted[] = {
        ":2:13: error: ", "    int a = missing + 1;\n            ^", ":3:15: error: ", "    out[0] = a\n              ^", ":4:16: error: ",
    };
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (!strstr(log, wanted[i])) {
            printf("FAIL the log lacks \"%s\":\n%s\n", wanted[i], log);
            return 1;
        }
    /* Arguments that no device has room for: refused before anything is made of them. */
    static const char huge[] =
        "struct S { int x[1 << 24]; };\n"
        "kernel void k(global int *out, struct S s) { out[0] = s.x[out[1]]; }\n";
    static char huge_log[4096];
    result = build(huge, sizeof huge - 1, huge_log, sizeof huge_log);
    if (result != CL_BUILD_PROGRAM_FAILURE ||
        !strstr(huge_log, "error: kernel 'k': argument 1 ('s') takes 67108864 bytes")) {
        printf("FAIL a huge argument gave %d:\n%s\n", result, huge_log);
        return 1;
    }
    int errors = 0;
    for (const char *at = log; (at = strstr(at, "error: ")); at++) errors++;
    if (errors != 3) {
        printf("FAIL %d errors instead of 3:\n%s\n", errors, log);
        return 1;
    }

    uint64_t state = 88172645463325252ull;
    for (int round = 0; round < 200; round++) {
        char noise[600];
        for (size_t i = 0; i < sizeof noise; i++) {
            state ^= state << 13, state ^= state >> 7, state ^= state << 17;
            noise[i] = round & 1 ? (char)(32 + state % 95) : (char)state;
        }
        noise[0] = '}';
        if (build(noise, sizeof noise, log, sizeof log) == CL_SUCCESS) {
            printf("FAIL noise compiles\n");
            return 1;
        }
        if (!log[0]) {
            printf("FAIL noise gives an empty log\n");
            return 1;
        }
    }
    for (size_t cut = 1; cut < sizeof broken; cut++) build(broken, cut, log, sizeof log);
    clReleaseContext(context);
    return finish();
}
