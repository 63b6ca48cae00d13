// client: link -lGL -lX11
// client: once
// client: needs images
/* cl_khr_gl_sharing on OpenGL by GLX, under an X server of its own (Xvfb): a buffer and a texture go to kernels and back. */
#define GL_GLEXT_PROTOTYPES
#include <dirent.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <GL/gl.h>
#include <GL/glext.h>
#include <GL/glx.h>

#include "common.h"

#include <CL/cl_gl.h>

static pid_t server;

static void stop_server(void)
{
    if (server > 0) {
        kill(server, SIGTERM);
        waitpid(server, NULL, 0);
    }
}

/* Starts the X server on a display that it chooses. */
static Display *open_display(void)
{
    int ends[2];
    if (pipe(ends))
        exit(1);
    server = fork();
    if (server == 0) {
        char number[16];
        snprintf(number, sizeof number, "%d", ends[1]);
        close(ends[0]);
        execlp("Xvfb", "Xvfb", "-displayfd", number, "-screen", "0", "64x64x24", "-nolisten", "tcp",
               (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    atexit(stop_server);
    char name[32] = ":";
    size_t length = 1;
    ssize_t got;
    while (length < sizeof name - 1 && (got = read(ends[0], name + length, sizeof name - 1 - length)) > 0) {
        length += (size_t)got;
        if (name[length - 1] == '\n')
            break;
    }
    close(ends[0]);
    name[strcspn(name, "\n")] = 0;
    Display *display = length > 1 ? XOpenDisplay(name) : NULL;
    if (!display) {
        fprintf(stderr, "no display \"%s\"\n", name);
        exit(1);
    }
    return display;
}

/* The driver's threads that have a context of OpenGL. */
static int threads_of_gl(void)
{
    int count = 0;
    DIR *tasks = opendir("/proc/self/task");
    for (struct dirent *task; tasks && (task = readdir(tasks));) {
        char path[300], name[32] = "";
        snprintf(path, sizeof path, "/proc/self/task/%s/comm", task->d_name);
        FILE *file = fopen(path, "r");
        if (!file)
            continue;
        if (fgets(name, sizeof name, file))
            count += strcmp(name, "pumice-gl\n") == 0;
        fclose(file);
    }
    if (tasks)
        closedir(tasks);
    return count;
}

/* The display may be closed from here on: nothing uses it any more. */
static int threads_at_end = -1;
static void CL_CALLBACK count_threads(cl_context context, void *data)
{
    (void)context;
    (void)data;
    threads_at_end = threads_of_gl();
}

int main(void)
{
    Display *display = open_display();
    int wanted[] = {GLX_DRAWABLE_TYPE, GLX_PBUFFER_BIT, GLX_RENDER_TYPE, GLX_RGBA_BIT, None}, count = 0;
    GLXFBConfig *configs = glXChooseFBConfig(display, DefaultScreen(display), wanted, &count);
    if (!configs || count == 0) {
        fprintf(stderr, "no configuration of GLX\n");
        return 1;
    }
    GLXContext gl = glXCreateNewContext(display, configs[0], GLX_RGBA_TYPE, NULL, True);
    int size[] = {GLX_PBUFFER_WIDTH, 8, GLX_PBUFFER_HEIGHT, 8, None};
    GLXPbuffer surface = glXCreatePbuffer(display, configs[0], size);
    if (!gl || !glXMakeContextCurrent(display, surface, surface, gl)) {
        fprintf(stderr, "no context of GLX\n");
        return 1;
    }

    cl_device_id device = pumice_device();
    cl_context_properties list[] = {
        CL_CONTEXT_PLATFORM, (cl_context_properties)pumice_platform(), CL_GL_CONTEXT_KHR,
        (cl_context_properties)gl, CL_GLX_DISPLAY_KHR, (cl_context_properties)display, 0,
    };
    cl_int error;
    cl_context context = MADE(clCreateContext, list, 1, &device, NULL, NULL);
    cl_command_queue queue = MADE(clCreateCommandQueue, context, device, 0);

    enum { N = 32 };
    unsigned char pixels[N][N][4], got[N][N][4];
    int values[N];
    for (int i = 0; i < N * N; i++)
        for (int c = 0; c < 4; c++)
            pixels[i / N][i % N][c] = (unsigned char)(i * 7 + c * 31);
    for (int i = 0; i < N; i++)
        values[i] = i;
    GLuint buffer, textures[2];
    glGenBuffers(1, &buffer);
    glBindBuffer(GL_ARRAY_BUFFER, buffer);
    glBufferData(GL_ARRAY_BUFFER, sizeof values, values, GL_STATIC_DRAW);
    glGenTextures(2, textures);
    for (int t = 0; t < 2; t++) {
        glBindTexture(GL_TEXTURE_2D, textures[t]);
        glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, N, N, 0, GL_RGBA, GL_UNSIGNED_BYTE, t ? NULL : pixels);
    }
    cl_mem objects[3];
    objects[0] = MADE(clCreateFromGLBuffer, context, CL_MEM_READ_WRITE, buffer);
    for (int t = 0; t < 2; t++) {
        cl_mem_flags flags = t ? CL_MEM_WRITE_ONLY : CL_MEM_READ_ONLY;
        objects[1 + t] = MADE(clCreateFromGLTexture, context, flags, GL_TEXTURE_2D, 0, textures[t]);
    }
    static const char *source =
        "kernel void change(global int *values, read_only image2d_t in, write_only image2d_t out) {\n"
        "    int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
        "    if (at.y == 0) values[at.x] *= 3;\n"
        "    write_imagef(out, at, 1.0f - read_imagef(in, at));\n"
        "}\n";
    cl_program program = PROGRAM(context, source, "-cl-std=CL3.0");
    cl_kernel kernel = MADE(clCreateKernel, program, "change");
    for (cl_uint i = 0; i < 3; i++)
        MUST(clSetKernelArg(kernel, i, sizeof objects[i], &objects[i]));
    size_t global[2] = {N, N};
    MUST(clEnqueueAcquireGLObjects(queue, 3, objects, 0, NULL, NULL));
    MUST(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, global, NULL, 0, NULL, NULL));
    MUST(clEnqueueReleaseGLObjects(queue, 3, objects, 0, NULL, NULL));
    glGetBufferSubData(GL_ARRAY_BUFFER, 0, sizeof values, values);
    glGetTexImage(GL_TEXTURE_2D, 0, GL_RGBA, GL_UNSIGNED_BYTE, got);
    EQ(glGetError(), 0);
    int wrong = 0;
    for (int i = 0; i < N; i++)
        wrong += values[i] != i * 3;
    for (int i = 0; i < N * N; i++)
        for (int c = 0; c < 4; c++)
            wrong += got[i / N][i % N][c] != 255 - pixels[i / N][i % N][c];
    EQ(wrong, 0);

    /* A display of EGL: the process has loaded none. */
    list[4] = CL_EGL_DISPLAY_KHR;
    CHECK(clCreateContext(list, 1, &device, NULL, NULL, &error) == NULL);
    EQ(error, CL_INVALID_OPERATION);

    MUST(clReleaseKernel(kernel));
    MUST(clReleaseProgram(program));
    for (int i = 0; i < 3; i++)
        MUST(clReleaseMemObject(objects[i]));
    MUST(clReleaseCommandQueue(queue));
    EQ(threads_of_gl(), 1);
    MUST(clSetContextDestructorCallback(context, count_threads, NULL));
    MUST(clReleaseContext(context));
    EQ(threads_at_end, 0);
    /* The connection is the application's as it was. */
    glXMakeContextCurrent(display, None, None, NULL);
    glXDestroyPbuffer(display, surface);
    glXDestroyContext(display, gl);
    XFree(configs);
    XSync(display, False);
    XCloseDisplay(display);
    return finish();
}
