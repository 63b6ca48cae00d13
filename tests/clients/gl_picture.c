// client: link -lEGL -lOpenGL
// client: once
// client: needs images
/* A picture that a kernel paints into a texture, drawn by OpenGL onto a quad; the drawn pixels go back to a kernel that
 * makes a grey picture of them. Both are compared with what the host computes. With PICTURE set, they are written to files. */
#include "gl_common.h"

enum { SIZE = 64, SCALE = 4, DRAWN = SIZE * SCALE };

static const char SOURCE[] =
    "kernel void paint(write_only image2d_t out) {\n"
    "    int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
    "    int2 d = at - (int2)(32, 32);\n"
    "    int ring = (d.x * d.x + d.y * d.y) / 64 & 1;\n"
    "    write_imagef(out, at, (float4)(at.x * 4 / 255.0f, at.y * 4 / 255.0f, ring, 1));\n"
    "}\n"
    "kernel void grey(read_only image2d_t in, write_only image2d_t out) {\n"
    "    int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
    "    uint4 c = convert_uint4_rte(read_imagef(in, at) * 255);\n"
    "    float g = (c.x + 2 * c.y + c.z) / 4 / 255.0f;\n"
    "    write_imagef(out, at, (float4)(g, g, g, 1));\n"
    "}\n";

static const char VERTEX[] =
    "#version 150\n"
    "out vec2 at;\n"
    "void main() {\n"
    "    at = vec2(gl_VertexID & 1, gl_VertexID >> 1);\n"
    "    gl_Position = vec4(at * 2.0 - 1.0, 0.0, 1.0);\n"
    "}\n";
static const char FRAGMENT[] =
    "#version 150\n"
    "uniform sampler2D picture;\n"
    "in vec2 at;\n"
    "out vec4 colour;\n"
    "void main() { colour = texture(picture, at); }\n";

static GLuint shader(GLenum type, const char *source)
{
    GLuint made = glCreateShader(type);
    GLint good = 0;
    glShaderSource(made, 1, &source, NULL);
    glCompileShader(made);
    glGetShaderiv(made, GL_COMPILE_STATUS, &good);
    if (!good) {
        fprintf(stderr, "a shader cannot be compiled\n");
        exit(1);
    }
    return made;
}

static GLuint new_texture(int size)
{
    GLuint texture;
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, size, size, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    return texture;
}

static void painted(int x, int y, unsigned char out[4])
{
    int dx = x - 32, dy = y - 32;
    out[0] = (unsigned char)(x * 4);
    out[1] = (unsigned char)(y * 4);
    out[2] = (dx * dx + dy * dy) / 64 & 1 ? 255 : 0;
    out[3] = 255;
}

static void save(const char *name, unsigned char (*pixels)[4])
{
    const char *folder = getenv("PICTURE");
    if (!folder)
        return;
    char path[512];
    snprintf(path, sizeof path, "%s/%s.ppm", folder, name);
    FILE *file = fopen(path, "wb");
    if (!file)
        return;
    fprintf(file, "P6\n%d %d\n255\n", DRAWN, DRAWN);
    for (int i = 0; i < DRAWN * DRAWN; i++)
        fwrite(pixels[i], 1, 3, file);
    fclose(file);
}

int main(void)
{
    static unsigned char got[DRAWN * DRAWN][4];
    open_gl();
    cl_int error;
    cl_context context = shared_context(&error);
    MUST(error);
    cl_command_queue queue = MADE(clCreateCommandQueue, context, pumice_device(), 0);
    GLuint painting = new_texture(SIZE), drawing = new_texture(DRAWN), result = new_texture(DRAWN);
    GLuint framebuffer, vertices;
    cl_mem image = MADE(clCreateFromGLTexture, context, CL_MEM_WRITE_ONLY, GL_TEXTURE_2D, 0, painting);
    cl_mem pictures[2];
    pictures[0] = MADE(clCreateFromGLTexture, context, CL_MEM_READ_ONLY, GL_TEXTURE_2D, 0, drawing);
    pictures[1] = MADE(clCreateFromGLTexture, context, CL_MEM_WRITE_ONLY, GL_TEXTURE_2D, 0, result);

    cl_kernel paint = build_kernel(context, SOURCE, "paint");
    size_t global[2] = {SIZE, SIZE};
    MUST(clSetKernelArg(paint, 0, sizeof image, &image));
    MUST(clEnqueueAcquireGLObjects(queue, 1, &image, 0, NULL, NULL));
    MUST(clEnqueueNDRangeKernel(queue, paint, 2, NULL, global, NULL, 0, NULL, NULL));
    MUST(clEnqueueReleaseGLObjects(queue, 1, &image, 0, NULL, NULL));

    GLuint program = glCreateProgram();
    glAttachShader(program, shader(GL_VERTEX_SHADER, VERTEX));
    glAttachShader(program, shader(GL_FRAGMENT_SHADER, FRAGMENT));
    glLinkProgram(program);
    glUseProgram(program);
    glGenVertexArrays(1, &vertices);
    glBindVertexArray(vertices);
    glGenFramebuffers(1, &framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, drawing, 0);
    glViewport(0, 0, DRAWN, DRAWN);
    glBindTexture(GL_TEXTURE_2D, painting);
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    glReadPixels(0, 0, DRAWN, DRAWN, GL_RGBA, GL_UNSIGNED_BYTE, got);
    NO_GL_ERROR();
    int wrong = 0;
    for (int y = 0; y < DRAWN; y++)
        for (int x = 0; x < DRAWN; x++) {
            unsigned char expected[4];
            painted(x / SCALE, y / SCALE, expected);
            wrong += memcmp(got[y * DRAWN + x], expected, 4) != 0;
        }
    EQ(wrong, 0);
    save("quad", got);

    cl_kernel grey = build_kernel(context, SOURCE, "grey");
    global[0] = global[1] = DRAWN;
    MUST(clSetKernelArg(grey, 0, sizeof pictures[0], &pictures[0]));
    MUST(clSetKernelArg(grey, 1, sizeof pictures[1], &pictures[1]));
    MUST(clEnqueueAcquireGLObjects(queue, 2, pictures, 0, NULL, NULL));
    MUST(clEnqueueNDRangeKernel(queue, grey, 2, NULL, global, NULL, 0, NULL, NULL));
    MUST(clEnqueueReleaseGLObjects(queue, 2, pictures, 0, NULL, NULL));
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, result, 0);
    glReadPixels(0, 0, DRAWN, DRAWN, GL_RGBA, GL_UNSIGNED_BYTE, got);
    wrong = 0;
    for (int y = 0; y < DRAWN; y++)
        for (int x = 0; x < DRAWN; x++) {
            unsigned char c[4], *pixel = got[y * DRAWN + x];
            painted(x / SCALE, y / SCALE, c);
            int g = (c[0] + 2 * c[1] + c[2]) / 4;
            wrong += pixel[0] != g || pixel[1] != g || pixel[2] != g || pixel[3] != 255;
        }
    EQ(wrong, 0);
    save("grey", got);
    NO_GL_ERROR();

    MUST(clReleaseKernel(paint));
    MUST(clReleaseKernel(grey));
    MUST(clReleaseMemObject(image));
    MUST(clReleaseMemObject(pictures[0]));
    MUST(clReleaseMemObject(pictures[1]));
    MUST(clReleaseCommandQueue(queue));
    release_last(context);
    close_gl();
    return finish();
}
