// client: link -lEGL -lOpenGL
// client: all-drivers
// client: needs images
/* clGetGLContextInfoKHR: the device that OpenGL renders on is told by its UUID, and stands before the others. */
#include "gl_common.h"

enum { MOST = 16, UUID = 16, DEVICE_UUID = 0x106A };

typedef void (*bytes_indexed)(GLenum, GLuint, GLubyte *);

/* The UUIDs of the devices that OpenGL renders on; their count. */
static int uuids_of_gl(unsigned char (*uuids)[UUID])
{
    int extensions = 0, known = 0, count = 0;
    glGetIntegerv(GL_NUM_EXTENSIONS, &extensions);
    for (int i = 0; i < extensions; i++)
        known |= !strcmp((const char *)glGetStringi(GL_EXTENSIONS, i), "GL_EXT_memory_object");
    if (!known)
        return 0;
    bytes_indexed get = (bytes_indexed)eglGetProcAddress("glGetUnsignedBytei_vEXT");
    glGetIntegerv(GL_NUM_DEVICE_UUIDS_EXT, &count);
    for (int i = 0; i < count && i < MOST; i++)
        get(GL_DEVICE_UUID_EXT, i, uuids[i]);
    NO_GL_ERROR();
    return count < MOST ? count : MOST;
}

static int renders(cl_device_id device, unsigned char (*uuids)[UUID], int count)
{
    unsigned char uuid[UUID];
    MUST(clGetDeviceInfo(device, DEVICE_UUID, sizeof uuid, uuid, NULL));
    for (int i = 0; i < count; i++)
        if (!memcmp(uuids[i], uuid, UUID))
            return 1;
    return 0;
}

int main(void)
{
    unsigned char uuids[MOST][UUID];
    cl_device_id all[MOST], expected[MOST], got[MOST];
    cl_uint count = 0, wanted = 0, matching = 0;
    open_gl();
    int known = uuids_of_gl(uuids);
    MUST(clGetDeviceIDs(pumice_platform(), CL_DEVICE_TYPE_ALL, MOST, all, &count));
    for (int pass = 0; pass < 2; pass++)
        for (cl_uint i = 0; i < count; i++) {
            cl_bool images = CL_FALSE;
            MUST(clGetDeviceInfo(all[i], CL_DEVICE_IMAGE_SUPPORT, sizeof images, &images, NULL));
            if (!images || renders(all[i], uuids, known) == pass)
                continue;
            expected[wanted++] = all[i];
            matching += pass == 0;
        }
    printf("%d UUIDs of OpenGL; %u of %u devices have one of them%s\n", known, matching, wanted,
           matching && expected[0] != all[0] ? ", not the first one" : "");

    clGetGLContextInfoKHR_fn get_info;
    load_function(&get_info, "clGetGLContextInfoKHR");
    cl_context_properties list[] = {
        CL_GL_CONTEXT_KHR, (cl_context_properties)egl_context, CL_EGL_DISPLAY_KHR,
        (cl_context_properties)egl_display, CL_CONTEXT_PLATFORM,
        (cl_context_properties)pumice_platform(), 0,
    };
    size_t size = 0;
    MUST(get_info(list, CL_DEVICES_FOR_GL_CONTEXT_KHR, sizeof got, got, &size));
    EQ(size, wanted * sizeof *got);
    CHECK(!memcmp(got, expected, size));
    MUST(get_info(list, CL_CURRENT_DEVICE_FOR_GL_CONTEXT_KHR, sizeof got, got, &size));
    EQ(size, sizeof *got);
    CHECK(got[0] == expected[0]);

    /* OpenCL uses that device. */
    cl_context context = MADE(clCreateContext, list, 1, got, NULL, NULL);
    cl_command_queue queue = MADE(clCreateCommandQueue, context, got[0], 0);
    int value = 41, read = 0;
    GLuint name;
    glGenBuffers(1, &name);
    glBindBuffer(GL_ARRAY_BUFFER, name);
    glBufferData(GL_ARRAY_BUFFER, sizeof value, &value, GL_STATIC_DRAW);
    cl_mem buffer = MADE(clCreateFromGLBuffer, context, CL_MEM_READ_WRITE, name);
    MUST(clEnqueueAcquireGLObjects(queue, 1, &buffer, 0, NULL, NULL));
    MUST(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof read, &read, 0, NULL, NULL));
    EQ(read, value);
    MUST(clEnqueueReleaseGLObjects(queue, 1, &buffer, 0, NULL, NULL));
    MUST(clReleaseMemObject(buffer));
    MUST(clReleaseCommandQueue(queue));
    release_last(context);
    glDeleteBuffers(1, &name);
    close_gl();
    return finish();
}
