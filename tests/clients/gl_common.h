/* A context of OpenGL under surfaceless EGL, and one of OpenCL that shares objects with it. */
#ifndef PUMICE_CLIENT_GL_COMMON_H
#define PUMICE_CLIENT_GL_COMMON_H
#define GL_GLEXT_PROTOTYPES
#define EGL_EGLEXT_PROTOTYPES
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/gl.h>
#include <GL/glext.h>

#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#include "common.h"

#include <CL/cl_gl.h>

enum { SHAREGROUP_REFERENCE = -1000 };

static EGLDisplay egl_display;
static EGLContext egl_context;

/* Makes a context of an API of OpenGL current, without a surface. */
static inline void open_egl(EGLenum api, const EGLint *attributes)
{
    egl_display = eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
    if (!eglInitialize(egl_display, NULL, NULL)) {
        fprintf(stderr, "no surfaceless EGL: %#x\n", eglGetError());
        exit(1);
    }
    EGLint renderable = api == EGL_OPENGL_API ? EGL_OPENGL_BIT : EGL_OPENGL_ES3_BIT;
    EGLint wanted[] = {EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE, renderable, EGL_NONE};
    EGLConfig config;
    EGLint count = 0;
    eglBindAPI(api);
    if (!eglChooseConfig(egl_display, wanted, &config, 1, &count) || count == 0) {
        fprintf(stderr, "no configuration of EGL: %#x\n", eglGetError());
        exit(1);
    }
    egl_context = eglCreateContext(egl_display, config, EGL_NO_CONTEXT, attributes);
    if (!eglMakeCurrent(egl_display, EGL_NO_SURFACE, EGL_NO_SURFACE, egl_context)) {
        fprintf(stderr, "no context of EGL: %#x\n", eglGetError());
        exit(1);
    }
}

/* OpenGL's core profile. */
static inline void open_gl(void)
{
    const EGLint core[] = {EGL_CONTEXT_MAJOR_VERSION, 4, EGL_CONTEXT_MINOR_VERSION, 3, EGL_NONE};
    open_egl(EGL_OPENGL_API, core);
}

static inline void close_gl(void)
{
    eglMakeCurrent(egl_display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    eglDestroyContext(egl_display, egl_context);
    eglTerminate(egl_display);
}

static inline cl_context shared_context(cl_int *error)
{
    cl_device_id device = pumice_device();
    cl_context_properties list[] = {
        CL_GL_CONTEXT_KHR, (cl_context_properties)egl_context, CL_EGL_DISPLAY_KHR,
        (cl_context_properties)egl_display, CL_CONTEXT_PLATFORM,
        (cl_context_properties)pumice_platform(), 0,
    };
    return clCreateContext(list, 1, &device, NULL, NULL, error);
}

static inline cl_kernel build_kernel(cl_context context, const char *source, const char *name)
{
    cl_program program = PROGRAM(context, source, "-cl-std=CL3.0");
    cl_kernel kernel = MADE(clCreateKernel, program, name);
    MUST(clReleaseProgram(program));
    return kernel;
}

static inline int lists_extension(const char *name)
{
    char text[16384] = "";
    MUST(clGetDeviceInfo(pumice_device(), CL_DEVICE_EXTENSIONS, sizeof text, text, NULL));
    for (char *word = strtok(text, " "); word; word = strtok(NULL, " "))
        if (!strcmp(word, name))
            return 1;
    return 0;
}

static inline void no_gl_error(int line)
{
    GLenum error = glGetError();
    if (error) {
        fprintf(stderr, "line %d: OpenGL's error %#x\n", line, error);
        failures++;
    }
}
#define NO_GL_ERROR() no_gl_error(__LINE__)
#endif
