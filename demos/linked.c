/* A linked list and a hash table that the host builds with plain pointers in shared virtual
 * memory; kernels follow the pointers and write into the nodes. Every value is compared. */
#define CL_TARGET_OPENCL_VERSION 300
#include "demo.h"

enum { LISTS = 256, NODES = 1 << 16, BUCKETS = 1 << 12, KEYS = 1 << 16 };

static const char *SOURCE =
    "typedef struct node { global struct node *next, *chain; uint key, value; } node;\n"
    "kernel void walk(global node *global *heads, global uint *sums) {\n"
    "    uint sum = 0;\n"
    "    for (global node *n = heads[get_global_id(0)]; n; n = n->next) {\n"
    "        sum = sum * 31 + n->value;\n"
    "        n->value += n->key;\n"
    "    }\n"
    "    sums[get_global_id(0)] = sum;\n"
    "}\n"
    "kernel void look_up(global node *global *buckets, global const uint *keys, global uint *found) {\n"
    "    uint key = keys[get_global_id(0)];\n"
    "    global node *n = buckets[key * 2654435761u >> 20];\n"
    "    while (n && n->key != key) n = n->chain;\n"
    "    found[get_global_id(0)] = n ? n->value : 0;\n"
    "}\n";

/* 24 bytes on devices with addresses of 64 bits: those of the node in SOURCE. */
typedef struct node {
    struct node *next, *chain;
    cl_uint key, value;
} node;

static uint32_t bucket_of(uint32_t key) { return key * 2654435761u >> 20; }

static void *shared(demo *d, size_t size) {
    void *memory = clSVMAlloc(d->context, CL_MEM_READ_WRITE, size, 0);
    if (!memory) {
        fprintf(stderr, "clSVMAlloc returned no memory\n");
        exit(1);
    }
    CHECK(clEnqueueSVMMap(d->queue, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, memory, size, 0, NULL, NULL));
    return memory;
}

int main(int argc, char **argv) {
    demo d = demo_open(argc, argv);
    const char *name = "list and hash table (shared memory)";
    cl_device_svm_capabilities there = 0;
    clGetDeviceInfo(d.device, CL_DEVICE_SVM_CAPABILITIES, sizeof there, &there, NULL);
    if (!there) return demo_result(&d, name, 1, "left out: the device has no shared virtual memory", 0);
    cl_program program = demo_build(&d, SOURCE, "-cl-std=CL3.0");
    cl_int err;
    cl_kernel walk = clCreateKernel(program, "walk", &err);
    CHECK(err);
    cl_kernel look_up = clCreateKernel(program, "look_up", &err);
    CHECK(err);

    size_t node_bytes = NODES * sizeof(node), list_bytes = LISTS * sizeof(node *), bucket_bytes = BUCKETS * sizeof(node *);
    node *nodes = shared(&d, node_bytes);
    node **heads = shared(&d, list_bytes), **buckets = shared(&d, bucket_bytes);
    cl_uint *want = calloc(LISTS, sizeof *want), *keys = malloc(KEYS * sizeof *keys);
    memset(heads, 0, list_bytes);
    memset(buckets, 0, bucket_bytes);
    uint32_t seed = 5;
    for (int i = 0; i < NODES; i++) {
        seed = seed * 1664525u + 1013904223u;
        node *n = &nodes[i];
        /* Odd keys are in the table, even ones are not. */
        n->key = 2 * (uint32_t)i + 1;
        n->value = seed >> 8;
        /* Lists and chains go through all of the memory. */
        node **head = &heads[(seed >> 12) % LISTS], **bucket = &buckets[bucket_of(n->key)];
        n->next = *head;
        *head = n;
        n->chain = *bucket;
        *bucket = n;
    }
    for (int l = 0; l < LISTS; l++)
        for (node *n = heads[l]; n; n = n->next) want[l] = want[l] * 31 + n->value;
    for (int i = 0; i < KEYS; i++) {
        seed = seed * 1664525u + 1013904223u;
        keys[i] = (seed >> 10) % (2 * NODES);
    }
    cl_uint *values = malloc(NODES * sizeof *values);
    for (int i = 0; i < NODES; i++) values[i] = nodes[i].value + nodes[i].key;
    CHECK(clEnqueueSVMUnmap(d.queue, nodes, 0, NULL, NULL));
    CHECK(clEnqueueSVMUnmap(d.queue, heads, 0, NULL, NULL));
    CHECK(clEnqueueSVMUnmap(d.queue, buckets, 0, NULL, NULL));

    cl_mem sums = demo_buffer(&d, CL_MEM_WRITE_ONLY, LISTS * sizeof(cl_uint), NULL);
    cl_mem mkeys = demo_buffer(&d, CL_MEM_READ_ONLY, KEYS * sizeof(cl_uint), keys);
    cl_mem found = demo_buffer(&d, CL_MEM_WRITE_ONLY, KEYS * sizeof(cl_uint), NULL);
    /* The nodes are no argument: the kernels reach them by pointers. */
    CHECK(clSetKernelExecInfo(walk, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof nodes, &nodes));
    CHECK(clSetKernelExecInfo(look_up, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof nodes, &nodes));
    CHECK(clSetKernelArgSVMPointer(walk, 0, heads));
    CHECK(clSetKernelArg(walk, 1, sizeof sums, &sums));
    CHECK(clSetKernelArgSVMPointer(look_up, 0, buckets));
    CHECK(clSetKernelArg(look_up, 1, sizeof mkeys, &mkeys));
    CHECK(clSetKernelArg(look_up, 2, sizeof found, &found));
    double ms = demo_run(&d, walk, 1, (size_t[]){LISTS}, NULL);
    ms += demo_run(&d, look_up, 1, (size_t[]){KEYS}, NULL);

    cl_uint *got = malloc(LISTS * sizeof *got), *hits = malloc(KEYS * sizeof *hits);
    CHECK(clEnqueueReadBuffer(d.queue, sums, CL_TRUE, 0, LISTS * sizeof *got, got, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(d.queue, found, CL_TRUE, 0, KEYS * sizeof *hits, hits, 0, NULL, NULL));
    CHECK(clEnqueueSVMMap(d.queue, CL_TRUE, CL_MAP_READ, nodes, node_bytes, 0, NULL, NULL));
    int wrong = 0, missing = 0;
    for (int l = 0; l < LISTS; l++) wrong += got[l] != want[l];
    for (int i = 0; i < NODES; i++) wrong += nodes[i].value != values[i];
    for (int i = 0; i < KEYS; i++) {
        int is_there = keys[i] % 2;
        missing += !is_there;
        wrong += hits[i] != (is_there ? values[keys[i] / 2] : 0);
    }
    CHECK(clEnqueueSVMUnmap(d.queue, nodes, 0, NULL, NULL));
    CHECK(clFinish(d.queue));
    clSVMFree(d.context, nodes);
    clSVMFree(d.context, heads);
    clSVMFree(d.context, buckets);
    char what[96];
    snprintf(what, sizeof what, "%d lists, %d nodes, %d keys (%d missing), %d wrong", LISTS, NODES, KEYS, missing, wrong);
    return demo_result(&d, name, wrong == 0, what, ms);
}
