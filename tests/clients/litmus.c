/* Litmus tests of OpenCL's memory model: message passing, store buffering, load buffering, independent reads of
 * independent writes, write-to-read causality and coherence, at each scope, in global and local memory.
 *
 * An instance of a test has two places, x and y, and two to four work-items that meet once and never wait. The test
 * fails on outcomes that the memory model forbids and on no others; outcomes that it allows are counted. LITMUS_ROUNDS
 * sets the number of launches of each test, LITMUS_ONLY takes the tests whose names contain a word, LITMUS_SHOW=1
 * prints the counts, LITMUS_GATE is the number of rounds in which work-groups look for each other. */
#include "common.h"

enum { INSTANCES = 4096, LOCAL = 64, ROLES = 4, RESULTS = 2, STRIDE = 3 };
#define NONE 77u

/* What an instance ends with: two values of each work-item, and what its places hold at the end. */
struct outcome {
    cl_uint r[ROLES][RESULTS], x, y;
};

enum { ANY_SCOPE, TOTAL_ORDER, NOWHERE };

struct litmus {
    const char *name;
    int roles;
    /* Bodies by role, with the places x and y and the results a and b. */
    const char *body[ROLES];
    int (*forbidden)(const struct outcome *);
    /* TOTAL_ORDER: sequential consistency holds for operations of the whole device (OpenCL API 3.0, 3.3.4).
     * NOWHERE: the outcome is allowed; its count shows that work-items do meet. */
    int holds;
};

static int mp(const struct outcome *o) { return o->r[1][0] == 1 && o->r[1][1] == 0; }
static int sb(const struct outcome *o) { return o->r[0][0] == 0 && o->r[1][0] == 0; }
static int lb(const struct outcome *o) { return o->r[0][0] == 1 && o->r[1][0] == 1; }
static int iriw(const struct outcome *o)
{
    return o->r[2][0] == 1 && o->r[2][1] == 0 && o->r[3][0] == 1 && o->r[3][1] == 0;
}
static int wrc(const struct outcome *o) { return o->r[1][0] == 1 && o->r[2][0] == 1 && o->r[2][1] == 0; }
static int corr(const struct outcome *o) { return o->r[1][0] > o->r[1][1]; }
/* The own write came first where the other is seen behind it. */
static int cowr(const struct outcome *o) { return o->r[0][0] == 0 || (o->r[0][0] == 2 && o->x == 1); }
/* What is seen before the own write came before it. */
static int corw(const struct outcome *o) { return o->r[0][0] == 1 || (o->r[0][0] == 2 && o->x == 2); }
static int s(const struct outcome *o) { return o->r[1][0] == 1 && o->x == 2; }
static int add(const struct outcome *o) { return o->x != 4 || o->r[0][0] == o->r[1][0] || o->r[2][0] == o->r[3][0]; }

#define STORE(at, value, order) "atomic_store_explicit(" #at ", " #value ", memory_order_" #order ", SCOPE);"
#define LOAD(to, at, order) #to " = atomic_load_explicit(" #at ", memory_order_" #order ", SCOPE);"
#define FENCE(order) "atomic_work_item_fence(FLAGS, memory_order_" #order ", SCOPE);"
#define ADD(to, at) #to " = atomic_fetch_add_explicit(" #at ", 1u, memory_order_relaxed, SCOPE);"

static const struct litmus tests[] = {
    {"message passing", 2,
     {STORE(x, 1, relaxed) STORE(y, 1, release), LOAD(a, y, acquire) LOAD(b, x, relaxed)}, mp, ANY_SCOPE},
    /* No race: x is read only where the flag says that it is written. */
    {"message passing, plain data", 2,
     {"*(SPACE uint *)x = 1;" STORE(y, 1, release), LOAD(a, y, acquire) "b = 1; if (a) b = *(SPACE uint *)x;"},
     mp, ANY_SCOPE},
    {"message passing, fences", 2,
     {STORE(x, 1, relaxed) FENCE(release) STORE(y, 1, relaxed), LOAD(a, y, relaxed) FENCE(acquire) LOAD(b, x, relaxed)},
     mp, ANY_SCOPE},
    {"message passing, by exchange", 2,
     {STORE(x, 1, relaxed) "atomic_fetch_add_explicit(y, 1u, memory_order_release, SCOPE);",
      "a = atomic_fetch_or_explicit(y, 0u, memory_order_acquire, SCOPE);" LOAD(b, x, relaxed)},
     mp, ANY_SCOPE},
    {"store buffering", 2,
     {STORE(x, 1, seq_cst) LOAD(a, y, seq_cst), STORE(y, 1, seq_cst) LOAD(a, x, seq_cst)}, sb, TOTAL_ORDER},
    {"store buffering, fences", 2,
     {STORE(x, 1, relaxed) FENCE(seq_cst) LOAD(a, y, relaxed), STORE(y, 1, relaxed) FENCE(seq_cst) LOAD(a, x, relaxed)},
     sb, TOTAL_ORDER},
    {"load buffering", 2,
     {LOAD(a, x, acquire) STORE(y, 1, release), LOAD(a, y, acquire) STORE(x, 1, release)}, lb, ANY_SCOPE},
    {"load buffering, fences", 2,
     {LOAD(a, x, relaxed) FENCE(acq_rel) STORE(y, 1, relaxed), LOAD(a, y, relaxed) FENCE(acq_rel) STORE(x, 1, relaxed)},
     lb, ANY_SCOPE},
    {"independent reads of independent writes", 4,
     {STORE(x, 1, seq_cst), STORE(y, 1, seq_cst), LOAD(a, x, seq_cst) LOAD(b, y, seq_cst),
      LOAD(a, y, seq_cst) LOAD(b, x, seq_cst)}, iriw, TOTAL_ORDER},
    {"write-to-read causality", 4,
     {STORE(x, 1, release), LOAD(a, x, acquire) STORE(y, 1, release), LOAD(a, y, acquire) LOAD(b, x, relaxed), ""},
     wrc, ANY_SCOPE},
    {"a write behind a message", 2,
     {STORE(x, 2, relaxed) STORE(y, 1, release), LOAD(a, y, acquire) "if (a) " STORE(x, 1, relaxed)}, s, ANY_SCOPE},
    {"coherence of reads", 2,
     {STORE(x, 1, relaxed) STORE(x, 2, relaxed), LOAD(a, x, relaxed) LOAD(b, x, relaxed)}, corr, ANY_SCOPE},
    {"coherence of a write and a read", 2,
     {STORE(x, 1, relaxed) LOAD(a, x, relaxed), STORE(x, 2, relaxed)}, cowr, ANY_SCOPE},
    {"coherence of a read and a write", 2,
     {LOAD(a, x, relaxed) STORE(x, 1, relaxed), STORE(x, 2, relaxed)}, corw, ANY_SCOPE},
    {"store buffering, relaxed", 2,
     {STORE(x, 1, relaxed) LOAD(a, y, relaxed), STORE(y, 1, relaxed) LOAD(a, x, relaxed)}, sb, NOWHERE},
    {"message passing, relaxed", 2,
     {STORE(x, 1, relaxed) STORE(y, 1, relaxed), LOAD(a, y, relaxed) LOAD(b, x, relaxed)}, mp, NOWHERE},
    {"additions", 4, {ADD(a, x), ADD(a, x), ADD(a, x), ADD(a, x)}, add, ANY_SCOPE},
};

/* The work-items of an instance: in different work-groups, in one, or in one sub-group. */
enum { APART, IN_GROUP, IN_SUB_GROUP };

static const struct place {
    const char *name, *scope, *feature;
    int together, local, shared;
} places[] = {
    {"device", "memory_scope_device", "__opencl_c_atomic_scope_device", APART, 0, 0},
    {"device, one group", "memory_scope_device", "__opencl_c_atomic_scope_device", IN_GROUP, 0, 0},
    {"all devices", "memory_scope_all_devices", "__opencl_c_atomic_scope_all_devices", APART, 0, 1},
    {"group", "memory_scope_work_group", NULL, IN_GROUP, 0, 0},
    {"group, local memory", "memory_scope_work_group", NULL, IN_GROUP, 1, 0},
    {"sub-group", "memory_scope_sub_group", "__opencl_c_subgroups", IN_SUB_GROUP, 0, 0},
    {"sub-group, local memory", "memory_scope_sub_group", "__opencl_c_subgroups", IN_SUB_GROUP, 1, 0},
};

/* Work-groups that are apart, one of each role, go through the instances in the same order; they begin together if they
 * find each other within some rounds, else not. `spin` changes who meets whom, from launch to launch. */
static const char *frame =
    "kernel void test(global atomic_uint *mem, global uint *out, uint spin, global atomic_uint *gate) {\n"
    "    uint item = get_local_id(0);\n"
    "#if IN_LOCAL\n"
    "    local atomic_uint cells[2 * LOCAL];\n"
    "#endif\n"
    "#if TOGETHER == 0\n"
    "    uint role = get_group_id(0);\n"
    "    if (item == 0) {\n"
    "        atomic_fetch_add_explicit(gate, 1u, memory_order_relaxed, memory_scope_device);\n"
    "        for (uint t = 0; t < GATE; t++)\n"
    "            if (atomic_load_explicit(gate, memory_order_relaxed, memory_scope_device) >= ROLES) break;\n"
    "    }\n"
    "    barrier(CLK_GLOBAL_MEM_FENCE);\n"
    "    for (uint round = 0; round < INSTANCES / LOCAL; round++) {\n"
    "    uint i = (round * LOCAL + item + role * spin) % INSTANCES;\n"
    "#elif TOGETHER == 1\n"
    "    {\n"
    "    uint role = item % ROLES, n = LOCAL / ROLES;\n"
    "    uint i = get_group_id(0) * n + (item / ROLES + role * spin) % n;\n"
    "#else\n"
    "    {\n"
    "    uint lane = get_sub_group_local_id(), role = lane % ROLES, n = get_max_sub_group_size() / ROLES;\n"
    "    uint i = (get_group_id(0) * LOCAL + item - lane) / ROLES + (lane / ROLES + role * spin) % n;\n"
    "#endif\n"
    "    uint a = NONE, b = NONE;\n"
    "    global atomic_uint *gx = mem + 2 * STRIDE * i, *gy = gx + STRIDE;\n"
    "#if IN_LOCAL\n"
    "    local atomic_uint *x = cells + 2 * (i % (LOCAL / ROLES)), *y = x + 1;\n"
    "    if (role == 0) { atomic_init(x, 0u); atomic_init(y, 0u); }\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "#else\n"
    "    global atomic_uint *x = gx, *y = gy;\n"
    "#endif\n"
    "    if (role == 0) { BODY0 }\n"
    "    else if (role == 1) { BODY1 }\n"
    "    else if (role == 2) { BODY2 }\n"
    "    else { BODY3 }\n"
    "#if IN_LOCAL\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    if (role == 0) {\n"
    "        atomic_store_explicit(gx, atomic_load_explicit(x, memory_order_relaxed, memory_scope_work_group),\n"
    "                              memory_order_relaxed, memory_scope_work_group);\n"
    "        atomic_store_explicit(gy, atomic_load_explicit(y, memory_order_relaxed, memory_scope_work_group),\n"
    "                              memory_order_relaxed, memory_scope_work_group);\n"
    "    }\n"
    "#endif\n"
    "    out[(2 * role) * INSTANCES + i] = a;\n"
    "    out[(2 * role + 1) * INSTANCES + i] = b;\n"
    "    }\n"
    "}\n";

static cl_device_id device;
static cl_context context;
static cl_command_queue queue;
static size_t lanes;

static cl_program build(const char *text, const char *options)
{
    cl_program program = MADE(clCreateProgramWithSource, context, 1, &text, NULL);
    if (clBuildProgram(program, 1, &device, options, NULL, NULL) != CL_SUCCESS) {
        static char log[8192];
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        fprintf(stderr, "%s\n%s\n", text, log);
        exit(1);
    }
    return program;
}

/* Whether the feature is one of the device's. */
static int has_feature(const char *name)
{
    static cl_name_version list[256];
    size_t bytes = 0;
    MUST(clGetDeviceInfo(device, CL_DEVICE_OPENCL_C_FEATURES, sizeof list, list, &bytes));
    for (size_t i = 0; i < bytes / sizeof *list; i++)
        if (!strcmp(list[i].name, name))
            return 1;
    return 0;
}

static cl_uint cells[2 * STRIDE * INSTANCES], results[2 * ROLES * INSTANCES];

static void run(const struct litmus *t, const struct place *p, int rounds)
{
    static char text[16384], options[256];
    snprintf(text, sizeof text,
             "#define ROLES %d\n#define TOGETHER %d\n#define IN_LOCAL %d\n#define SCOPE %s\n#define SPACE %s\n"
             "#define FLAGS %s\n#define BODY0 %s\n#define BODY1 %s\n#define BODY2 %s\n#define BODY3 %s\n%s",
             t->roles, p->together, p->local, p->scope, p->local ? "local" : "global",
             p->local ? "CLK_LOCAL_MEM_FENCE" : "CLK_GLOBAL_MEM_FENCE", t->body[0], t->body[1],
             t->body[2] ? t->body[2] : "", t->body[3] ? t->body[3] : "", frame);
    snprintf(options, sizeof options, "-cl-std=CL3.0 -DINSTANCES=%du -DLOCAL=%du -DNONE=%du -DSTRIDE=%d -DGATE=%su", INSTANCES,
             LOCAL, NONE, STRIDE, getenv("LITMUS_GATE") ? getenv("LITMUS_GATE") : "50000");
    cl_program program = build(text, options);
    cl_kernel kernel = MADE(clCreateKernel, program, "test");
    cl_mem mem = NULL;
    cl_uint *shared = NULL;
    if (p->shared) {
        shared = clSVMAlloc(context, CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS, sizeof cells, 0);
        CHECK(shared != NULL);
        MUST(clSetKernelArgSVMPointer(kernel, 0, shared));
    } else {
        mem = MADE(clCreateBuffer, context, 0, sizeof cells, NULL);
        MUST(clSetKernelArg(kernel, 0, sizeof mem, &mem));
    }
    cl_mem out = MADE(clCreateBuffer, context, 0, sizeof results, NULL);
    MUST(clSetKernelArg(kernel, 1, sizeof out, &out));
    cl_mem gate = MADE(clCreateBuffer, context, 0, sizeof(cl_uint), NULL);
    MUST(clSetKernelArg(kernel, 3, sizeof gate, &gate));
    size_t global = (size_t)t->roles * (p->together == APART ? LOCAL : INSTANCES), local = LOCAL;
    long weak = 0;
    int whole = !strcmp(p->scope, "memory_scope_device") || p->shared;
    int strong = t->holds == ANY_SCOPE || (t->holds == TOTAL_ORDER && whole);
    for (int round = 0; round < rounds; round++) {
        cl_uint spin = (cl_uint)(round * 5), zero = 0;
        MUST(clEnqueueFillBuffer(queue, gate, &zero, sizeof zero, 0, sizeof zero, 0, NULL, NULL));
        if (shared)
            memset(shared, 0, sizeof cells);
        else
            MUST(clEnqueueFillBuffer(queue, mem, &zero, sizeof zero, 0, sizeof cells, 0, NULL, NULL));
        MUST(clSetKernelArg(kernel, 2, sizeof spin, &spin));
        MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL));
        MUST(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof results, results, 0, NULL, NULL));
        if (shared)
            memcpy(cells, shared, sizeof cells);
        else
            MUST(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, sizeof cells, cells, 0, NULL, NULL));
        for (int i = 0; i < INSTANCES; i++) {
            struct outcome o = {.x = cells[2 * STRIDE * i], .y = cells[2 * STRIDE * i + STRIDE]};
            for (int role = 0; role < t->roles; role++)
                for (int k = 0; k < RESULTS; k++)
                    o.r[role][k] = results[(2 * role + k) * INSTANCES + i];
            if (!t->forbidden(&o))
                continue;
            weak++;
            if (strong && values_matter() && weak <= 3) {
                fprintf(stderr, "%s, %s: launch %d, instance %d: %u %u, %u %u, %u %u, %u %u, at the end %u %u\n", t->name,
                        p->name, round, i, o.r[0][0], o.r[0][1], o.r[1][0], o.r[1][1], o.r[2][0], o.r[2][1], o.r[3][0],
                        o.r[3][1], o.x, o.y);
                failures++;
            }
        }
    }
    if (getenv("LITMUS_SHOW"))
        printf("%-42s %-26s %s %ld of %ld\n", t->name, p->name, strong ? "forbidden" : "allowed", weak,
               (long)rounds * INSTANCES);
    MUST(clReleaseMemObject(out));
    MUST(clReleaseMemObject(gate));
    if (mem)
        MUST(clReleaseMemObject(mem));
    MUST(clReleaseKernel(kernel));
    MUST(clReleaseProgram(program));
    if (shared)
        clSVMFree(context, shared);
}

/* The size of sub-groups; 0 without them. */
static size_t sub_group_size(void)
{
    if (!has_feature("__opencl_c_subgroups"))
        return 0;
    cl_program program = build("kernel void test(global int *p) { *p = 1; }", "");
    cl_kernel kernel = MADE(clCreateKernel, program, "test");
    size_t local = LOCAL, size = 0;
    MUST(clGetKernelSubGroupInfo(kernel, device, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, sizeof local, &local, sizeof size,
                                 &size, NULL));
    MUST(clReleaseKernel(kernel));
    MUST(clReleaseProgram(program));
    return size;
}

int main(void)
{
    device = pumice_device();
    context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    queue = MADE(clCreateCommandQueueWithProperties, context, device, NULL);
    const char *more = getenv("LITMUS_ROUNDS");
    int rounds = more ? atoi(more) : 6;
    const char *only = getenv("LITMUS_ONLY");
    lanes = sub_group_size();
    cl_device_svm_capabilities svm = 0;
    MUST(clGetDeviceInfo(device, CL_DEVICE_SVM_CAPABILITIES, sizeof svm, &svm, NULL));
    for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
        const struct place *p = &places[k];
        if (p->feature && !has_feature(p->feature))
            continue;
        if (p->shared && !(svm & CL_DEVICE_SVM_ATOMICS))
            continue;
        for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
            if (only && !strstr(tests[i].name, only))
                continue;
            /* All work-items of an instance fit into a sub-group, and sub-groups into a group. */
            if (p->together == IN_SUB_GROUP && (lanes < (size_t)tests[i].roles || LOCAL % lanes))
                continue;
            run(&tests[i], p, rounds);
        }
    }
    MUST(clReleaseCommandQueue(queue));
    release_last(context);
    return finish();
}
