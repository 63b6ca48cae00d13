/* A 1024x1024 picture of the Mandelbrot set, written as PNG and compared with the host's pixels.
 * Usage: mandelbrot PLATFORM [OUT.png] */
#include "demo.h"

enum { SIZE = 1024, LIMIT = 256 };

static const char *SOURCE =
    "__kernel void mandelbrot(__global uchar4 *pixels, int width, int height, int limit, float2 centre, float span) {\n"
    "    int px = get_global_id(0), py = get_global_id(1);\n"
    "    float2 c = centre + span * ((float2)(px, py) / (float2)(width, height) - 0.5f);\n"
    "    float2 z = (float2)(0.0f, 0.0f);\n"
    "    int n = 0;\n"
    "    while (n < limit && dot(z, z) < 4.0f) {\n"
    "        z = (float2)(z.x * z.x - z.y * z.y, 2.0f * z.x * z.y) + c;\n"
    "        ++n;\n"
    "    }\n"
    "    float t = n == limit ? 0.0f : sqrt((float)n / limit);\n"
    "    float3 colour = 255.0f * (float3)(t, t * t, clamp(4.0f * t * (1.0f - t), 0.0f, 1.0f));\n"
    "    pixels[py * width + px] = (uchar4)(convert_uchar3_sat_rte(colour), 255);\n"
    "}\n";

static uint32_t crc_table[256];
static uint32_t crc(uint32_t c, const unsigned char *p, size_t n) {
    while (n--) c = crc_table[(c ^ *p++) & 255] ^ c >> 8;
    return c;
}
static void put32(unsigned char *p, uint32_t v) {
    p[0] = v >> 24, p[1] = v >> 16, p[2] = v >> 8, p[3] = v;
}
static void chunk(FILE *out, const char *type, const unsigned char *data, uint32_t size) {
    unsigned char word[4];
    put32(word, size);
    fwrite(word, 1, 4, out);
    fwrite(type, 1, 4, out);
    fwrite(data, 1, size, out);
    uint32_t c = crc(crc(~0u, (const unsigned char *)type, 4), data, size);
    put32(word, ~c);
    fwrite(word, 1, 4, out);
}
/* Bits of a deflate stream, least significant first. */
typedef struct {
    unsigned char *bytes;
    size_t size;
    uint32_t held, count;
} bits;
static void put_bits(bits *out, uint32_t value, uint32_t count) {
    out->held |= value << out->count;
    out->count += count;
    for (; out->count >= 8; out->count -= 8, out->held >>= 8) out->bytes[out->size++] = out->held & 255;
}
/* A Huffman code, whose most significant bit comes first. */
static void put_code(bits *out, uint32_t code, uint32_t count) {
    for (uint32_t i = count; i-- > 0;) put_bits(out, code >> i & 1, 1);
}
/* A byte, a length or the end (256) by deflate's fixed codes. */
static void put_symbol(bits *out, uint32_t symbol) {
    if (symbol < 144) put_code(out, 0x30 + symbol, 8);
    else if (symbol < 256) put_code(out, 0x190 + symbol - 144, 9);
    else if (symbol < 280) put_code(out, symbol - 256, 7);
    else put_code(out, 0xc0 + symbol - 280, 8);
}
/* Compresses runs of equal bytes, which the differences of a picture with few colours have. */
static void deflate_runs(bits *out, const unsigned char *data, size_t size) {
    put_bits(out, 1, 1); /* the last block, */
    put_bits(out, 1, 2); /* of fixed codes */
    for (size_t i = 0; i < size;) {
        size_t run = 0;
        while (i > 0 && i + run < size && run < 258 && data[i + run] == data[i - 1]) run++;
        if (run > 10 && run < 258) run = 10; /* longer ones have codes with more bits */
        if (run < 3) {
            put_symbol(out, data[i++]);
            continue;
        }
        put_symbol(out, run == 258 ? 285 : (uint32_t)run + 254);
        put_code(out, 0, 5); /* one byte back */
        i += run;
    }
    put_symbol(out, 256);
    put_bits(out, 0, 7);
}
/* The colours of RGBA rows as a PNG. */
static int write_png(const char *path, const unsigned char *rgba, uint32_t w, uint32_t h) {
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t c = i;
        for (int k = 0; k < 8; k++) c = c & 1 ? 0xedb88320u ^ c >> 1 : c >> 1;
        crc_table[i] = c;
    }
    FILE *out = fopen(path, "wb");
    if (!out) return 0;
    fwrite("\x89PNG\r\n\x1a\n", 1, 8, out);
    unsigned char header[13] = {0};
    put32(header, w), put32(header + 4, h);
    header[8] = 8, header[9] = 2;
    chunk(out, "IHDR", header, 13);
    /* Each row is one filter byte and the differences from the pixel to the left. */
    size_t row = 1 + 3 * (size_t)w, raw = row * h;
    unsigned char *rows = malloc(raw);
    bits z = {.bytes = malloc(raw + raw / 8 + 64)};
    for (size_t y = 0; y < h; y++) {
        rows[y * row] = 1;
        for (size_t x = 0; x < w; x++)
            for (int c = 0; c < 3; c++) {
                const unsigned char *p = rgba + 4 * (w * y + x) + c;
                rows[y * row + 1 + 3 * x + c] = x ? p[0] - p[-4] : p[0];
            }
    }
    z.bytes[z.size++] = 0x78, z.bytes[z.size++] = 1;
    deflate_runs(&z, rows, raw);
    uint32_t a = 1, b = 0;
    for (size_t i = 0; i < raw; i++) a = (a + rows[i]) % 65521, b = (b + a) % 65521;
    put32(z.bytes + z.size, b << 16 | a);
    chunk(out, "IDAT", z.bytes, z.size + 4);
    chunk(out, "IEND", NULL, 0);
    free(rows), free(z.bytes);
    return fclose(out) == 0;
}

int main(int argc, char **argv) {
    demo d = demo_open(argc, argv);
    const char *path = argc > 2 ? argv[2] : "mandelbrot.png";
    cl_program program = demo_build(&d, SOURCE, "");
    cl_int err;
    cl_kernel kernel = clCreateKernel(program, "mandelbrot", &err);
    CHECK(err);
    cl_mem mpixels = demo_buffer(&d, CL_MEM_WRITE_ONLY, SIZE * SIZE * 4, NULL);
    cl_int size = SIZE, limit = LIMIT;
    cl_float2 centre = {{-0.65f, 0.0f}};
    cl_float span = 2.6f;
    CHECK(clSetKernelArg(kernel, 0, sizeof mpixels, &mpixels));
    CHECK(clSetKernelArg(kernel, 1, sizeof size, &size));
    CHECK(clSetKernelArg(kernel, 2, sizeof size, &size));
    CHECK(clSetKernelArg(kernel, 3, sizeof limit, &limit));
    CHECK(clSetKernelArg(kernel, 4, sizeof centre, &centre));
    CHECK(clSetKernelArg(kernel, 5, sizeof span, &span));
    double ms = demo_run(&d, kernel, 2, (size_t[]){SIZE, SIZE}, NULL);
    unsigned char *pixels = clEnqueueMapBuffer(d.queue, mpixels, CL_TRUE, CL_MAP_READ, 0, SIZE * SIZE * 4, 0, NULL, NULL, &err);
    CHECK(err);
    /* The host iterates in double: escape counts at the set's edge may differ by rounding. */
    int differ = 0;
    for (int y = 0; y < SIZE; y += 3)
        for (int x = 0; x < SIZE; x += 3) {
            double cx = -0.65 + 2.6 * (x / (double)SIZE - 0.5), cy = 2.6 * (y / (double)SIZE - 0.5), zx = 0, zy = 0;
            int n = 0;
            while (n < LIMIT && zx * zx + zy * zy < 4) {
                double next = zx * zx - zy * zy + cx;
                zy = 2 * zx * zy + cy, zx = next, n++;
            }
            double t = n == LIMIT ? 0 : sqrt((double)n / LIMIT);
            const unsigned char *p = pixels + 4 * (y * SIZE + x);
            if (fabs(p[0] - 255 * t) > 2 || fabs(p[1] - 255 * t * t) > 2 || p[3] != 255) differ++;
        }
    int wrote = write_png(path, pixels, SIZE, SIZE);
    CHECK(clEnqueueUnmapMemObject(d.queue, mpixels, pixels, 0, NULL, NULL));
    CHECK(clFinish(d.queue));
    int checked = ((SIZE + 2) / 3) * ((SIZE + 2) / 3);
    char what[160];
    snprintf(what, sizeof what, "%d of %d pixels at the set's edge differ; %s", differ, checked, path);
    return demo_result(&d, "Mandelbrot picture", wrote && differ < checked / 100, what, ms);
}
