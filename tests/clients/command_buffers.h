/* cl_khr_command_buffer 0.9.8, cl_khr_command_buffer_mutable_dispatch 0.9.5 and
 * cl_khr_command_buffer_multi_device 0.9.2: types, numbers and functions under names of our own, because
 * systems' headers have other versions of them. */
#ifndef PUMICE_COMMAND_BUFFERS_H
#define PUMICE_COMMAND_BUFFERS_H
#include "common.h"

typedef struct command_buffer *buffer_t;
typedef struct mutable_command *command_t;
typedef cl_uint point_t;

typedef struct {
    cl_uint index;
    size_t size;
    const void *value;
} arg_t;

typedef struct {
    cl_uint name;
    size_t size;
    const void *value;
} exec_info_t;

typedef struct {
    command_t command;
    cl_uint num_args, num_svm_args, num_exec_infos, work_dim;
    const arg_t *args, *svm_args;
    const exec_info_t *exec_infos;
    const size_t *offset, *global, *local;
} config_t;

enum {
    CAPABILITIES = 0x12A9,
    SUPPORTED_PROPERTIES = 0x129A,
    REQUIRED_PROPERTIES = 0x12AA,
    NUM_SYNC_DEVICES = 0x12AB,
    SYNC_DEVICES = 0x12AC,
    MUTABLE_CAPABILITIES = 0x12B0,
    PLATFORM_CAPABILITIES = 0x0908,
    FLAGS = 0x1293,
    BUFFER_ASSERTS = 0x12B7,
    SIMULTANEOUS_USE = 1,
    MUTABLE = 2,
    DEVICE_SIDE_SYNC = 4,
    INFO_QUEUES = 0x1294,
    INFO_NUM_QUEUES = 0x1295,
    INFO_REFERENCE_COUNT = 0x1296,
    INFO_STATE = 0x1297,
    INFO_PROPERTIES = 0x1298,
    INFO_CONTEXT = 0x1299,
    RECORDING = 0,
    EXECUTABLE = 1,
    FINALIZED = 2,
    COMMAND_BUFFER_COMMAND = 0x12A8,
    UPDATABLE_FIELDS = 0x12B1,
    COMMAND_ASSERTS = 0x12B8,
    FIELD_OFFSET = 1,
    FIELD_GLOBAL = 2,
    FIELD_LOCAL = 4,
    FIELD_ARGUMENTS = 8,
    FIELD_EXEC_INFO = 16,
    COMMAND_QUEUE = 0x12A0,
    COMMAND_BUFFER = 0x12A1,
    COMMAND_PROPERTIES = 0x12A2,
    COMMAND_KERNEL = 0x12A3,
    COMMAND_DIMENSIONS = 0x12A4,
    COMMAND_OFFSET = 0x12A5,
    COMMAND_GLOBAL = 0x12A6,
    COMMAND_LOCAL = 0x12A7,
    COMMAND_TYPE = 0x12AD,
    INVALID_COMMAND_BUFFER = -1138,
    INVALID_SYNC_POINTS = -1139,
    INCOMPATIBLE_QUEUE = -1140,
    INVALID_MUTABLE_COMMAND = -1141,
};

#define POINTS cl_uint, const point_t *, point_t *, command_t *
#define TARGET buffer_t, cl_command_queue, const cl_ulong *

static buffer_t (*create)(cl_uint, const cl_command_queue *, const cl_ulong *, cl_int *);
static cl_int (*retain)(buffer_t);
static cl_int (*release)(buffer_t);
static cl_int (*finalize)(buffer_t);
static cl_int (*enqueue)(cl_uint, cl_command_queue *, buffer_t, cl_uint, const cl_event *, cl_event *);
static cl_int (*buffer_info)(buffer_t, cl_uint, size_t, void *, size_t *);
static buffer_t (*remap)(buffer_t, cl_bool, cl_uint, cl_command_queue *, cl_uint, const command_t *,
                         command_t *, cl_int *);
static cl_int (*update)(buffer_t, cl_uint, const cl_uint *, const void *const *);
static cl_int (*command_info)(command_t, cl_uint, size_t, void *, size_t *);
static cl_int (*barrier)(TARGET, POINTS);
static cl_int (*copy_buffer)(TARGET, cl_mem, cl_mem, size_t, size_t, size_t, POINTS);
static cl_int (*copy_rect)(TARGET, cl_mem, cl_mem, const size_t *, const size_t *, const size_t *, size_t,
                           size_t, size_t, size_t, POINTS);
static cl_int (*buffer_to_image)(TARGET, cl_mem, cl_mem, size_t, const size_t *, const size_t *, POINTS);
static cl_int (*copy_image)(TARGET, cl_mem, cl_mem, const size_t *, const size_t *, const size_t *, POINTS);
static cl_int (*image_to_buffer)(TARGET, cl_mem, cl_mem, const size_t *, const size_t *, size_t, POINTS);
static cl_int (*fill_buffer)(TARGET, cl_mem, const void *, size_t, size_t, size_t, POINTS);
static cl_int (*fill_image)(TARGET, cl_mem, const void *, const size_t *, const size_t *, POINTS);
static cl_int (*ndrange)(TARGET, cl_kernel, cl_uint, const size_t *, const size_t *, const size_t *, POINTS);
static cl_int (*svm_memcpy)(TARGET, void *, const void *, size_t, POINTS);
static cl_int (*svm_memfill)(TARGET, void *, const void *, size_t, size_t, POINTS);

static inline void load_functions(void)
{
    struct {
        void *to;
        const char *name;
    } all[] = {
        {&create, "clCreateCommandBufferKHR"},
        {&retain, "clRetainCommandBufferKHR"},
        {&release, "clReleaseCommandBufferKHR"},
        {&finalize, "clFinalizeCommandBufferKHR"},
        {&enqueue, "clEnqueueCommandBufferKHR"},
        {&buffer_info, "clGetCommandBufferInfoKHR"},
        {&remap, "clRemapCommandBufferKHR"},
        {&update, "clUpdateMutableCommandsKHR"},
        {&command_info, "clGetMutableCommandInfoKHR"},
        {&barrier, "clCommandBarrierWithWaitListKHR"},
        {&copy_buffer, "clCommandCopyBufferKHR"},
        {&copy_rect, "clCommandCopyBufferRectKHR"},
        {&buffer_to_image, "clCommandCopyBufferToImageKHR"},
        {&copy_image, "clCommandCopyImageKHR"},
        {&image_to_buffer, "clCommandCopyImageToBufferKHR"},
        {&fill_buffer, "clCommandFillBufferKHR"},
        {&fill_image, "clCommandFillImageKHR"},
        {&ndrange, "clCommandNDRangeKernelKHR"},
        {&svm_memcpy, "clCommandSVMMemcpyKHR"},
        {&svm_memfill, "clCommandSVMMemFillKHR"},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        void *function = extension_function(all[i].name);
        memcpy(all[i].to, &function, sizeof function);
    }
}

/* A command without wait list, sync point and handle. */
#define ALONE 0, NULL, NULL, NULL
/* The only queue, no properties. */
#define PLAIN(buffer) buffer, NULL, NULL

static inline cl_int update_one(buffer_t buffer, const config_t *config)
{
    cl_uint kind = 0;
    const void *configs[] = {config};
    return update(buffer, 1, &kind, configs);
}

static inline buffer_t create_with(cl_command_queue queue, cl_ulong flags)
{
    cl_ulong properties[] = {FLAGS, flags, 0};
    buffer_t made = MADE(create, 1, &queue, properties);
    return made;
}

static inline cl_uint state_of(buffer_t buffer)
{
    cl_uint state = 99;
    MUST(buffer_info(buffer, INFO_STATE, sizeof state, &state, NULL));
    return state;
}
#endif
