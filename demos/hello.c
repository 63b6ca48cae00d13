/* A kernel that prints. The program catches its own standard output to check the lines. */
#include "demo.h"
#include <unistd.h>

static const char *SOURCE =
    "__kernel void hello(float scale) {\n"
    "    int i = get_global_id(0);\n"
    "    float4 v = (float4)(i, i + 0.5f, -i, scale);\n"
    "    printf(\"work-item %d of %d: %.2v4hlf %s %5.1e|%c|%#x|%%\\n\", i, (int)get_global_size(0), v, \"text\", scale * i, 'a' + i, 255 + i);\n"
    "}\n";

int main(int argc, char **argv) {
    demo d = demo_open(argc, argv);
    cl_program program = demo_build(&d, SOURCE, "");
    cl_int err;
    cl_kernel kernel = clCreateKernel(program, "hello", &err);
    CHECK(err);
    cl_float scale = 1.5f;
    CHECK(clSetKernelArg(kernel, 0, sizeof scale, &scale));
    fflush(stdout);
    FILE *caught = tmpfile();
    int saved = dup(1);
    dup2(fileno(caught), 1);
    double ms = demo_run(&d, kernel, 1, (size_t[]){4}, NULL);
    fflush(stdout);
    dup2(saved, 1);
    rewind(caught);
    char text[4096];
    size_t n = fread(text, 1, sizeof text - 1, caught);
    text[n] = 0;
    fputs(text, stdout);
    int found = 0;
    for (int i = 0; i < 4; i++) {
        char want[256];
        snprintf(want, sizeof want, "work-item %d of 4: %.2f,%.2f,%.2f,%.2f text %5.1e|%c|%#x|%%\n", i, (double)i, i + 0.5, i ? -(double)i : 0.0, 1.5, 1.5 * i, 'a' + i, 255 + i);
        if (strstr(text, want)) found++;
        else fprintf(stderr, "missing: %s", want);
    }
    char what[96];
    snprintf(what, sizeof what, "%d of 4 lines as the host formats them", found);
    return demo_result(&d, "printf", found == 4 && n > 0, what, ms);
}
