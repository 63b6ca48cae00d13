/* A binary is trusted no further than its Kernel words: Vulkan words in it that nobody made of them are
 * left alone although every hash fits, and damage anywhere gives an error or a program. It keeps the
 * options that it was built with, so that it computes what the program from source does. */
#include "common.h"
#include <stdint.h>

enum { N = 4096, MAGIC = 8, HEADER = 56, KERNEL_WORDS = 16, VULKAN_WORDS = 20, OPTIONS = 24, HASH = 48 };

static cl_device_id device;
static cl_context context;
static cl_command_queue queue;
static const char *source = "kernel void curve(global float *a, global float *b) {\n"
                            " size_t i = get_global_id(0); a[i] = sin(a[i]) / b[i]; }\n"
                            "kernel void count(global int *p) { p[get_global_id(0)] = get_local_size(0); }\n";

static uint32_t word(const unsigned char *at)
{
    uint32_t value;
    memcpy(&value, at, 4);
    return value;
}
static void set_word(unsigned char *at, uint32_t value) { memcpy(at, &value, 4); }

/* One step of the container's hash. */
static uint64_t add(uint64_t hash, uint64_t number)
{
    uint64_t product = (hash ^ number) * 0x100000001b3u;
    return product ^ product >> 32;
}

/* The container's hash covers the options and everything behind the header. */
static void repair(unsigned char *binary, size_t size)
{
    uint32_t options;
    memcpy(&options, binary + OPTIONS, 4);
    uint64_t hash = add(0xcbf29ce484222325u, options);
    for (size_t i = HEADER; i < size; i += 8) {
        uint64_t number = 0;
        memcpy(&number, binary + i, size - i < 8 ? size - i : 8);
        hash = add(hash, number);
    }
    memcpy(binary + HASH, &hash, 8);
}

static cl_program from_source(const char *options)
{
    return PROGRAM(context, source, options);
}

static unsigned char *binary_of(cl_program program, size_t *size)
{
    MUST(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof *size, size, NULL));
    unsigned char *binary = malloc(*size);
    MUST(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL));
    EQ(word(binary + KERNEL_WORDS) * 4 + word(binary + VULKAN_WORDS) * 4 + HEADER, *size);
    return binary;
}

static cl_program from_binary(const unsigned char *binary, size_t size, cl_int *error)
{
    cl_int status = 0;
    return clCreateProgramWithBinary(context, 1, &device, &size, &binary, &status, error);
}

static cl_program built_from_binary(const unsigned char *binary, size_t size)
{
    cl_program program = MADE(from_binary, binary, size);
    MUST(clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
    return program;
}

/* Runs `curve` and gives its results. */
static void results(cl_program program, float *out)
{
    static float a[N], b[N];
    for (int i = 0; i < N; i++) {
        a[i] = 1.0f + (float)i * 0.37f;
        b[i] = 3.0f + (float)(i * 7919 % 1013) * 0.11f;
    }
    cl_kernel kernel = MADE(clCreateKernel, program, "curve");
    cl_mem buffers[2];
    for (cl_uint i = 0; i < 2; i++) {
        buffers[i] = MADE(clCreateBuffer, context, CL_MEM_COPY_HOST_PTR, sizeof a, i ? b : a);
        MUST(clSetKernelArg(kernel, i, sizeof buffers[i], &buffers[i]));
    }
    size_t global = N;
    MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
    MUST(clEnqueueReadBuffer(queue, buffers[0], CL_TRUE, 0, sizeof a, out, 0, NULL, NULL));
    for (int i = 0; i < 2; i++)
        MUST(clReleaseMemObject(buffers[i]));
    MUST(clReleaseKernel(kernel));
}

static cl_int launch_uneven(cl_program program)
{
    cl_int error = 0;
    cl_kernel kernel = MADE(clCreateKernel, program, "count");
    cl_mem buffer = MADE(clCreateBuffer, context, 0, 64, NULL);
    MUST(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    size_t global = 10, local = 4;
    error = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
    MUST(clFinish(queue));
    MUST(clReleaseMemObject(buffer));
    MUST(clReleaseKernel(kernel));
    return error;
}

static void options_are_kept(void)
{
    static float native[N], again[N], exact[N];
    const char *options = "-cl-std=CL3.0 -cl-native-math -cl-uniform-work-group-size";
    cl_program program = from_source(options), plain = from_source("-cl-std=CL3.0");
    results(program, native);
    results(plain, exact);
    /* On a device where the option makes no difference, the test would see nothing. */
    CHECK(memcmp(native, exact, sizeof exact) != 0);
    EQ(launch_uneven(program), CL_INVALID_WORK_GROUP_SIZE);
    EQ(launch_uneven(plain), CL_SUCCESS);
    size_t size = 0;
    unsigned char *binary = binary_of(program, &size);
    MUST(clReleaseProgram(program));
    program = built_from_binary(binary, size);
    results(program, again);
    CHECK(memcmp(native, again, sizeof again) == 0);
    EQ(launch_uneven(program), CL_INVALID_WORK_GROUP_SIZE);
    /* A binary of the binary. */
    free(binary);
    binary = binary_of(program, &size);
    MUST(clReleaseProgram(program));
    program = built_from_binary(binary, size);
    results(program, again);
    CHECK(memcmp(native, again, sizeof again) == 0);
    free(binary);
    MUST(clReleaseProgram(program));
    MUST(clReleaseProgram(plain));
}

/* An object keeps the options that are no linker's, as itself and as a binary. Another object without them changes nothing. */
static void objects_keep_options(void)
{
    static const char *const options_of[] = {"-cl-std=CL3.0", "-cl-std=CL3.0 -cl-uniform-work-group-size", "-cl-std=CL1.2"};
    const char *other_source = "float other(float x) { return x + 1; }\n";
    cl_program other = MADE(clCreateProgramWithSource, context, 1, &other_source, NULL);
    MUST(clCompileProgram(other, 0, NULL, "-cl-std=CL3.0", 0, NULL, NULL, NULL, NULL));
    for (int is_binary = 0; is_binary < 2; is_binary++)
        for (int is_uniform = 0; is_uniform < 3; is_uniform++) {
            const char *options = options_of[is_uniform];
            cl_program object = MADE(clCreateProgramWithSource, context, 1, &source, NULL);
            MUST(clCompileProgram(object, 0, NULL, options, 0, NULL, NULL, NULL, NULL));
            if (is_binary) {
                size_t size;
                unsigned char *binary = binary_of(object, &size);
                MUST(clReleaseProgram(object));
                object = MADE(from_binary, binary, size);
                free(binary);
            }
            cl_program objects[] = {object, other};
            cl_program linked = MADE(clLinkProgram, context, 0, NULL, NULL, 2, objects, NULL, NULL);
            EQ(launch_uneven(linked), is_uniform ? CL_INVALID_WORK_GROUP_SIZE : CL_SUCCESS);
            MUST(clReleaseProgram(linked));
            MUST(clReleaseProgram(object));
        }
    MUST(clReleaseProgram(other));
}

/* A build that fails leaves a program what it was made of: it fails again, and links with what it lacks. */
static void a_failed_build_keeps_the_binary(void)
{
    static const char *const parts[] = {
        "float other(float x);\n"
        "kernel void curve(global float *a, global float *b) { b[get_global_id(0)] = other(a[get_global_id(0)]); }\n",
        "float other(float x) { return x + 1; }\n",
    };
    cl_program objects[2];
    for (int i = 0; i < 2; i++) {
        objects[i] = MADE(clCreateProgramWithSource, context, 1, (const char **)&parts[i], NULL);
        MUST(clCompileProgram(objects[i], 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
    }
    cl_program library = MADE(clLinkProgram, context, 0, NULL, "-create-library", 1, objects, NULL, NULL);
    size_t size;
    unsigned char *binary = binary_of(library, &size);
    cl_program program = MADE(from_binary, binary, size);
    for (int i = 0; i < 2; i++) {
        char log_text[1000];
        EQ(clBuildProgram(program, 0, NULL, NULL, NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
        MUST(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log_text, log_text, NULL));
        CHECK(strstr(log_text, "other"));
        cl_program_binary_type type;
        MUST(clGetProgramBuildInfo(program, device, CL_PROGRAM_BINARY_TYPE, sizeof type, &type, NULL));
        EQ(type, CL_PROGRAM_BINARY_TYPE_LIBRARY);
    }
    MUST(clReleaseProgram(objects[0]));
    objects[0] = program;
    cl_program linked = MADE(clLinkProgram, context, 0, NULL, NULL, 2, objects, NULL, NULL);
    MUST(clReleaseProgram(linked));
    for (int i = 0; i < 2; i++)
        MUST(clReleaseProgram(objects[i]));
    MUST(clReleaseProgram(library));
    free(binary);
}

/* Vulkan words behind the Kernel words: rubbish, and a module's beginning. */
static void foreign_words_are_not_run(void)
{
    static float expected[N], got[N];
    cl_program program = from_source("");
    results(program, expected);
    size_t size = 0;
    unsigned char *binary = binary_of(program, &size);
    MUST(clReleaseProgram(program));
    enum { MORE = 64 };
    unsigned char *larger = malloc(size + MORE * 4);
    for (int round = 0; round < 2; round++) {
        memcpy(larger, binary, size);
        for (uint32_t i = 0; i < MORE; i++)
            set_word(larger + size + i * 4, i * 2654435761u);
        if (round == 1)
            memcpy(larger + size, binary + HEADER, MORE * 2);
        set_word(larger + VULKAN_WORDS, word(binary + VULKAN_WORDS) + MORE);
        repair(larger, size + MORE * 4);
        program = built_from_binary(larger, size + MORE * 4);
        results(program, got);
        CHECK(memcmp(expected, got, sizeof got) == 0);
        MUST(clReleaseProgram(program));
    }
    free(larger);
    free(binary);
}

/* Numbers that a round alone decides. */
static uint64_t noise;
static size_t below(size_t n)
{
    noise ^= noise << 13;
    noise ^= noise >> 7;
    noise ^= noise << 17;
    return (size_t)(noise >> 20) % n;
}

/* Damages a binary in one place; gives its new size. */
static size_t damage(unsigned char *binary, size_t size)
{
    size_t words = (size - HEADER) / 4;
    unsigned char *body = binary + HEADER;
    unsigned char *at = body + 4 * below(words);
    switch (below(7)) {
    case 0:
        binary[MAGIC + below(HASH - MAGIC)] ^= (unsigned char)(1u << below(8));
        break;
    case 1:
        body[below(size - HEADER)] ^= (unsigned char)(1u << below(8));
        break;
    case 2:
        set_word(at, word(body + 4 * below(words)));
        break;
    case 3:
        set_word(at, (uint32_t)below(100));
        break;
    case 4: {
        size_t left = (size_t)(body + 4 * words - at);
        memmove(at, body + 4 * below(words - left / 4 + 1), left < 64 ? left : 64);
        break;
    }
    case 5: {
        /* Words are cut off, and the header says so. */
        size_t less = below(words < 20 ? words : 20);
        set_word(binary + KERNEL_WORDS, word(binary + KERNEL_WORDS) - (uint32_t)less);
        return size - 4 * less;
    }
    default:
        return HEADER + below(size - HEADER);
    }
    return size;
}

static void damage_is_no_crash(unsigned first, unsigned rounds)
{
    cl_program program = from_source("");
    size_t size = 0;
    unsigned char *binary = binary_of(program, &size);
    MUST(clReleaseProgram(program));
    unsigned refused = 0, failed = 0, built = 0;
    for (unsigned round = first; round < first + rounds; round++) {
        /* Memory of its own size, so that a read behind its end is seen. */
        unsigned char *whole = malloc(size);
        size_t left = size;
        memcpy(whole, binary, size);
        noise = (round + 1) * 0x9e3779b97f4a7c15u;
        for (size_t more = 1 + below(3); more > 0 && left > HEADER + 4; more--)
            left = damage(whole, left);
        unsigned char *damaged = malloc(left);
        memcpy(damaged, whole, left);
        free(whole);
        if (round % 16)
            repair(damaged, left);
        cl_int error = 0;
        program = from_binary(damaged, left, &error);
        free(damaged);
        if (!program) {
            EQ(error, CL_INVALID_BINARY);
            refused++;
            continue;
        }
        error = clBuildProgram(program, 0, NULL, NULL, NULL, NULL);
        /* A damaged binary that is no executable has nothing to build, or builds as well. */
        CHECK(error == CL_SUCCESS || error == CL_BUILD_PROGRAM_FAILURE);
        *(error ? &failed : &built) += 1;
        MUST(clReleaseProgram(program));
    }
    fprintf(stderr, "of %u damaged binaries %u refused, %u failed to build, %u built\n", rounds, refused, failed, built);
    CHECK(refused > 0 && failed > 0 && (built > 0 || rounds < 400));
    free(binary);
}

/* The text of a file; ends the client if there is none. */
static const char *text_of(const char *path)
{
    static char text[1 << 20];
    FILE *file = fopen(path, "r");
    size_t size = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (size == 0) {
        fprintf(stderr, "%s: no text\n", path);
        exit(2);
    }
    fclose(file);
    return text;
}

/* `binaries FIRST COUNT [FILE.cl]` only damages binaries, of a source of choice: those of the rounds from FIRST on. */
int main(int count, char **arguments)
{
    device = pumice_device();
    context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    queue = MADE(clCreateCommandQueueWithProperties, context, device, NULL);
    if (count > 2) {
        source = count > 3 ? text_of(arguments[3]) : source;
        damage_is_no_crash((unsigned)strtoul(arguments[1], NULL, 10), (unsigned)strtoul(arguments[2], NULL, 10));
    } else {
        options_are_kept();
        objects_keep_options();
        a_failed_build_keeps_the_binary();
        foreign_words_are_not_run();
        damage_is_no_crash(0, 400);
    }
    MUST(clReleaseCommandQueue(queue));
    release_last(context);
    return finish();
}
