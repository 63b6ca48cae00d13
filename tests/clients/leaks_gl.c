// client: link -lEGL -lOpenGL
// client: once
// client: needs images
/* Objects that are shared with OpenGL and EGL are made, acquired, released and freed again and again; the process keeps no
 * more memory, descriptors and threads. `leaks_gl ROUNDS` says how often. */
#include <malloc.h>

#include "gl_common.h"
#include "usage.h"

#include <CL/cl_egl.h>

typedef cl_event(CL_API_CALL *from_gl_sync)(cl_context, cl_GLsync, cl_int *);

static from_gl_sync create_from_gl_sync;
static clCreateEventFromEGLSyncKHR_fn create_from_egl_sync;
static clCreateFromEGLImageKHR_fn create_from_image;
static clEnqueueAcquireEGLObjectsKHR_fn acquire_images;
static clEnqueueReleaseEGLObjectsKHR_fn release_images;
static cl_context context;
static cl_command_queue queue;
static GLuint buffer, texture, renderbuffer, samples;

enum { ROUNDS = 600, OBJECTS = 5, SIZE = 64 };

static void make_objects(void)
{
    glGenBuffers(1, &buffer);
    glBindBuffer(GL_ARRAY_BUFFER, buffer);
    glBufferData(GL_ARRAY_BUFFER, 1 << 14, NULL, GL_STATIC_DRAW);
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, SIZE, SIZE, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 0);
    glGenRenderbuffers(1, &renderbuffer);
    glBindRenderbuffer(GL_RENDERBUFFER, renderbuffer);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, SIZE, SIZE);
    glGenTextures(1, &samples);
    glBindTexture(GL_TEXTURE_2D_MULTISAMPLE, samples);
    glTexImage2DMultisample(GL_TEXTURE_2D_MULTISAMPLE, 4, GL_RGBA8, SIZE / 4, SIZE / 4, GL_TRUE);
    NO_GL_ERROR();
}

/* Each kind of object and of fence once. */
static void one_round(void)
{
    cl_mem objects[OBJECTS];
    objects[0] = MADE(clCreateFromGLBuffer, context, 0, buffer);
    objects[1] = MADE(clCreateFromGLTexture, context, 0, GL_TEXTURE_2D, 0, texture);
    objects[2] = MADE(clCreateFromGLRenderbuffer, context, 0, renderbuffer);
    objects[3] = MADE(clCreateFromGLTexture, context, CL_MEM_READ_ONLY, GL_TEXTURE_2D_MULTISAMPLE, 0, samples);
    EGLImage image = eglCreateImage(egl_display, egl_context, EGL_GL_TEXTURE_2D,
                                    (EGLClientBuffer)(uintptr_t)texture, NULL);
    objects[4] = MADE(create_from_image, context, egl_display, image, 0, NULL);
    GLsync sync = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
    EGLSync fence = eglCreateSync(egl_display, EGL_SYNC_FENCE, NULL);
    glFlush();
    cl_event events[2];
    events[0] = MADE(create_from_gl_sync, context, (cl_GLsync)sync);
    events[1] = MADE(create_from_egl_sync, context, fence, egl_display);
    MUST(clEnqueueAcquireGLObjects(queue, 4, objects, 2, events, NULL));
    MUST(clEnqueueReleaseGLObjects(queue, 4, objects, 0, NULL, NULL));
    MUST(acquire_images(queue, 1, &objects[4], 0, NULL, NULL));
    MUST(release_images(queue, 1, &objects[4], 0, NULL, NULL));
    glDeleteSync(sync);
    eglDestroySync(egl_display, fence);
    eglDestroyImage(egl_display, image);
    for (int i = 0; i < 2; i++)
        MUST(clReleaseEvent(events[i]));
    for (int i = 0; i < OBJECTS; i++)
        MUST(clReleaseMemObject(objects[i]));
}

/* A context of OpenCL with and without one of OpenGL; the latter makes an image of EGL. */
static void one_context(EGLImage image)
{
    cl_int error;
    cl_context made = shared_context(&error);
    MUST(error);
    MUST(clReleaseContext(made));
    cl_device_id device = pumice_device();
    made = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    cl_mem object = MADE(create_from_image, made, egl_display, image, 0, NULL);
    MUST(clReleaseMemObject(object));
    MUST(clReleaseContext(made));
}

static void check_usage(const char *what, struct usage before, int rounds)
{
    struct usage after = usage_like(before);
    printf("%d rounds of %s: %ld KiB, %ld descriptors and %ld threads before, %ld, %ld and %ld after\n", rounds, what,
           before.resident, before.descriptors, before.threads, after.resident, after.descriptors, after.threads);
    CHECK(after.descriptors <= before.descriptors);
    CHECK(after.threads <= before.threads);
    /* Drivers may keep a little memory for reasons of their own. */
    CHECK(after.resident - before.resident < 8192 + rounds / 2);
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : rounds_of(ROUNDS);
    /* Else the threads of contexts get memory of their own until the system gives no more. */
    mallopt(M_ARENA_MAX, 1);
    load_function(&create_from_gl_sync, "clCreateEventFromGLsyncKHR");
    load_function(&create_from_egl_sync, "clCreateEventFromEGLSyncKHR");
    load_function(&create_from_image, "clCreateFromEGLImageKHR");
    load_function(&acquire_images, "clEnqueueAcquireEGLObjectsKHR");
    load_function(&release_images, "clEnqueueReleaseEGLObjectsKHR");
    open_gl();
    cl_int error;
    context = shared_context(&error);
    MUST(error);
    queue = MADE(clCreateCommandQueue, context, pumice_device(), 0);
    make_objects();
    int warm = rounds / 3;
    for (int i = 0; i < warm; i++)
        one_round();
    MUST(clFinish(queue));
    struct usage before = usage();
    for (int i = warm; i < rounds; i++) {
        one_round();
        if (rounds > 1000 && i % 1000 == 0)
            printf("%d rounds: %ld KiB, %ld descriptors\n", i, usage().resident, usage().descriptors);
    }
    MUST(clFinish(queue));
    check_usage("objects", before, rounds - warm);

    EGLImage image = eglCreateImage(egl_display, egl_context, EGL_GL_TEXTURE_2D,
                                    (EGLClientBuffer)(uintptr_t)texture, NULL);
    int contexts = rounds / 20;
    for (int i = 0; i < 10; i++)
        one_context(image);
    before = usage();
    for (int i = 0; i < contexts; i++)
        one_context(image);
    check_usage("contexts", before, contexts);
    eglDestroyImage(egl_display, image);
    glDeleteBuffers(1, &buffer);
    glDeleteTextures(1, &texture);
    glDeleteRenderbuffers(1, &renderbuffer);
    NO_GL_ERROR();
    MUST(clReleaseCommandQueue(queue));
    release_last(context);
    close_gl();
    return finish();
}
