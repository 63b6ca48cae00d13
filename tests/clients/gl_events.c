// client: link -lEGL -lOpenGL
// client: once
// client: needs images
/* cl_khr_gl_event and cl_khr_egl_event: events of fences, the order that a current context of OpenGL gets without a
 * wait, and sharing with OpenGL ES. */
#include "gl_common.h"

typedef cl_event(CL_API_CALL *from_gl_sync)(cl_context, cl_GLsync, cl_int *);
typedef cl_event(CL_API_CALL *from_egl_sync)(cl_context, void *, void *, cl_int *);

static from_gl_sync create_from_gl_sync;
static from_egl_sync create_from_egl_sync;
static cl_context context;
static cl_command_queue queue;
static cl_kernel add;

enum { N = 4096 };

static GLuint make_buffer(int start)
{
    static int values[N];
    for (int i = 0; i < N; i++)
        values[i] = start + i;
    GLuint name;
    glGenBuffers(1, &name);
    glBindBuffer(GL_ARRAY_BUFFER, name);
    glBufferData(GL_ARRAY_BUFFER, sizeof values, values, GL_STATIC_DRAW);
    return name;
}

static int wrong_values(GLuint name, int start)
{
    int wrong = 0;
    glBindBuffer(GL_ARRAY_BUFFER, name);
    const int *got = glMapBufferRange(GL_ARRAY_BUFFER, 0, N * sizeof *got, GL_MAP_READ_BIT);
    for (int i = 0; i < N; i++)
        wrong += got[i] != start + i;
    glUnmapBuffer(GL_ARRAY_BUFFER);
    return wrong;
}

static void run_add(cl_mem buffer)
{
    size_t global = N;
    MUST(clSetKernelArg(add, 0, sizeof buffer, &buffer));
    MUST(clEnqueueNDRangeKernel(queue, add, 1, NULL, &global, NULL, 0, NULL, NULL));
}

static void check_event(cl_event event, cl_command_type type)
{
    cl_command_type got = 0;
    cl_command_queue of = queue;
    cl_context in = NULL;
    MUST(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof got, &got, NULL));
    MUST(clGetEventInfo(event, CL_EVENT_COMMAND_QUEUE, sizeof of, &of, NULL));
    MUST(clGetEventInfo(event, CL_EVENT_CONTEXT, sizeof in, &in, NULL));
    EQ(got, type);
    CHECK(of == NULL);
    CHECK(in == context);
    EQ(clSetUserEventStatus(event, CL_COMPLETE), CL_INVALID_EVENT);
    cl_ulong time;
    EQ(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof time, &time, NULL),
       CL_PROFILING_INFO_NOT_AVAILABLE);
}

static void use_event(cl_event event, cl_mem buffer)
{
    /* Only acquires and releases wait for fences. */
    EQ(clEnqueueMarkerWithWaitList(queue, 1, &event, NULL), CL_INVALID_EVENT);
    cl_event done;
    MUST(clEnqueueAcquireGLObjects(queue, 1, &buffer, 1, &event, &done));
    run_add(buffer);
    MUST(clEnqueueReleaseGLObjects(queue, 1, &buffer, 0, NULL, NULL));
    MUST(clFinish(queue));
    MUST(clWaitForEvents(1, &event));
    cl_int status = 9;
    MUST(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    EQ(status, CL_COMPLETE);
    MUST(clReleaseEvent(event));
    MUST(clReleaseEvent(done));
}

static void fences(void)
{
    cl_int error;
    GLuint name = make_buffer(100);
    cl_mem buffer = MADE(clCreateFromGLBuffer, context, CL_MEM_READ_WRITE, name);
    GLsync sync = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
    glFlush();
    cl_event event = MADE(create_from_gl_sync, context, (cl_GLsync)sync);
    check_event(event, CL_COMMAND_GL_FENCE_SYNC_OBJECT_KHR);
    use_event(event, buffer);
    EQ(wrong_values(name, 101), 0);
    glDeleteSync(sync);

    EGLSyncKHR fence = eglCreateSync(egl_display, EGL_SYNC_FENCE_KHR, NULL);
    CHECK(fence != EGL_NO_SYNC);
    glFlush();
    event = MADE(create_from_egl_sync, context, fence, egl_display);
    check_event(event, 0x202F);
    use_event(event, buffer);
    EQ(wrong_values(name, 102), 0);
    eglDestroySync(egl_display, fence);

    /* The event outlives the fence. */
    GLuint large[2];
    glGenBuffers(2, large);
    for (int i = 0; i < 2; i++) {
        glBindBuffer(GL_COPY_READ_BUFFER + i, large[i]);
        glBufferData(GL_COPY_READ_BUFFER + i, 8 << 20, NULL, GL_STATIC_DRAW);
    }
    for (int round = 0; round < 10; round++) {
        glCopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, 0, 0, 8 << 20);
        sync = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
        event = MADE(create_from_gl_sync, context, (cl_GLsync)sync);
        glDeleteSync(sync);
        use_event(event, buffer);
        fence = eglCreateSync(egl_display, EGL_SYNC_FENCE_KHR, NULL);
        event = MADE(create_from_egl_sync, context, fence, egl_display);
        eglDestroySync(egl_display, fence);
        use_event(event, buffer);
    }
    EQ(wrong_values(name, 122), 0);
    glDeleteBuffers(2, large);

    cl_device_id device = pumice_device();
    cl_context plain = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    CHECK(create_from_gl_sync(NULL, (cl_GLsync)sync, &error) == NULL);
    EQ(error, CL_INVALID_CONTEXT);
    CHECK(create_from_gl_sync(plain, (cl_GLsync)sync, &error) == NULL);
    EQ(error, CL_INVALID_CONTEXT);
    CHECK(create_from_gl_sync(context, NULL, &error) == NULL);
    EQ(error, CL_INVALID_GL_OBJECT);
    CHECK(create_from_gl_sync(context, (cl_GLsync)(intptr_t)0x12340, &error) == NULL);
    EQ(error, CL_INVALID_GL_OBJECT);
    CHECK(create_from_egl_sync(plain, fence, egl_display, &error) == NULL);
    EQ(error, CL_INVALID_CONTEXT);
    CHECK(create_from_egl_sync(context, (void *)(intptr_t)0x12340, egl_display, &error) == NULL);
    EQ(error, -1093 /* CL_INVALID_EGL_OBJECT_KHR */);
    MUST(clReleaseContext(plain));
    MUST(clReleaseMemObject(buffer));
    glDeleteBuffers(1, &name);
    NO_GL_ERROR();
}

/* Neither glFinish nor clFinish: the thread's context of OpenGL comes before the acquire and behind the release. */
static void implicit_order(void)
{
    cl_int error;
    GLuint names[2] = {make_buffer(0), make_buffer(1000)};
    cl_mem buffer = MADE(clCreateFromGLBuffer, context, CL_MEM_READ_WRITE, names[0]);
    for (int round = 0; round < 20; round++) {
        glBindBuffer(GL_COPY_READ_BUFFER, names[1]);
        glBindBuffer(GL_COPY_WRITE_BUFFER, names[0]);
        glCopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, 0, 0, N * sizeof(int));
        MUST(clEnqueueAcquireGLObjects(queue, 1, &buffer, 0, NULL, NULL));
        run_add(buffer);
        MUST(clEnqueueReleaseGLObjects(queue, 1, &buffer, 0, NULL, NULL));
        glBindBuffer(GL_COPY_READ_BUFFER, names[0]);
        glBindBuffer(GL_COPY_WRITE_BUFFER, names[1]);
        glCopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, 0, 0, N * sizeof(int));
    }
    EQ(wrong_values(names[1], 1020), 0);
    /* A release that waits for a user event does not hold up the thread that has to set it. */
    cl_event user = clCreateUserEvent(context, &error), done;
    MUST(error);
    MUST(clEnqueueAcquireGLObjects(queue, 1, &buffer, 0, NULL, NULL));
    MUST(clEnqueueReleaseGLObjects(queue, 1, &buffer, 1, &user, &done));
    MUST(clSetUserEventStatus(user, CL_COMPLETE));
    MUST(clWaitForEvents(1, &done));
    MUST(clReleaseEvent(user));
    MUST(clReleaseEvent(done));
    MUST(clReleaseMemObject(buffer));
    glDeleteBuffers(2, names);
    NO_GL_ERROR();
}

static void open_context(void)
{
    static const char source[] = "kernel void add(global int *v) { v[get_global_id(0)] += 1; }";
    cl_int error;
    context = shared_context(&error);
    MUST(error);
    queue = MADE(clCreateCommandQueue, context, pumice_device(), 0);
    add = build_kernel(context, source, "add");
}

static void close_context(void)
{
    MUST(clReleaseKernel(add));
    MUST(clReleaseCommandQueue(queue));
    context_gone = 0;
    release_last(context);
    close_gl();
}

int main(void)
{
    CHECK(lists_extension("cl_khr_gl_event"));
    CHECK(lists_extension("cl_khr_egl_event"));
    load_function(&create_from_gl_sync, "clCreateEventFromGLsyncKHR");
    load_function(&create_from_egl_sync, "clCreateEventFromEGLSyncKHR");
    open_gl();
    open_context();
    fences();
    implicit_order();
    close_context();

    const EGLint version[] = {EGL_CONTEXT_MAJOR_VERSION, 3, EGL_NONE};
    open_egl(EGL_OPENGL_ES_API, version);
    open_context();
    fences();
    implicit_order();
    close_context();
    return finish();
}
