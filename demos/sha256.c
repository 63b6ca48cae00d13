/* SHA-256 of real files, one work-item a file, compared with what sha256sum says. The state is
 * carried from launch to launch, so that no launch runs long: devices that also draw the screen
 * have a watchdog. Usage: sha256 PLATFORM FILE... */
#include "demo.h"

static const char *SOURCE =
    "__constant uint K[64] = {\n"
    "0x428a2f98,0x71374491,0xb5c0fbcf,0xe9b5dba5,0x3956c25b,0x59f111f1,0x923f82a4,0xab1c5ed5,\n"
    "0xd807aa98,0x12835b01,0x243185be,0x550c7dc3,0x72be5d74,0x80deb1fe,0x9bdc06a7,0xc19bf174,\n"
    "0xe49b69c1,0xefbe4786,0x0fc19dc6,0x240ca1cc,0x2de92c6f,0x4a7484aa,0x5cb0a9dc,0x76f988da,\n"
    "0x983e5152,0xa831c66d,0xb00327c8,0xbf597fc7,0xc6e00bf3,0xd5a79147,0x06ca6351,0x14292967,\n"
    "0x27b70a85,0x2e1b2138,0x4d2c6dfc,0x53380d13,0x650a7354,0x766a0abb,0x81c2c92e,0x92722c85,\n"
    "0xa2bfe8a1,0xa81a664b,0xc24b8b70,0xc76c51a3,0xd192e819,0xd6990624,0xf40e3585,0x106aa070,\n"
    "0x19a4c116,0x1e376c08,0x2748774c,0x34b0bcb5,0x391c0cb3,0x4ed8aa4a,0x5b9cca4f,0x682e6ff3,\n"
    "0x748f82ee,0x78a5636f,0x84c87814,0x8cc70208,0x90befffa,0xa4506ceb,0xbef9a3f7,0xc67178f2};\n"
    "#define ROTR(x, n) rotate((uint)(x), (uint)(32 - (n)))\n"
    "uint byte_at(__global const uchar *data, ulong size, ulong padded, ulong i) {\n"
    "    if (i < size) return data[i];\n"
    "    if (i == size) return 0x80u;\n"
    "    if (i >= padded - 8) return (uint)((size * 8) >> (8 * (padded - 1 - i))) & 0xffu;\n"
    "    return 0;\n"
    "}\n"
    "__kernel void sha256(__global const uchar *data, __global const ulong2 *files, __global uint8 *digest,\n"
    "                     ulong first, ulong count) {\n"
    "    size_t f = get_global_id(0);\n"
    "    __global const uchar *bytes = data + files[f].x;\n"
    "    ulong size = files[f].y, padded = (size + 72) / 64 * 64;\n"
    "    uint h[8] = {0x6a09e667,0xbb67ae85,0x3c6ef372,0xa54ff53a,0x510e527f,0x9b05688c,0x1f83d9ab,0x5be0cd19};\n"
    "    if (first > 0) vstore8(digest[f], 0, h);\n"
    "    for (ulong block = first * 64; block < min(padded, (first + count) * 64); block += 64) {\n"
    "        uint w[64];\n"
    "        for (int i = 0; i < 16; ++i) {\n"
    "            ulong at = block + 4 * i;\n"
    "            w[i] = byte_at(bytes, size, padded, at) << 24 | byte_at(bytes, size, padded, at + 1) << 16 |\n"
    "                   byte_at(bytes, size, padded, at + 2) << 8 | byte_at(bytes, size, padded, at + 3);\n"
    "        }\n"
    "        for (int i = 16; i < 64; ++i) {\n"
    "            uint s0 = ROTR(w[i-15], 7) ^ ROTR(w[i-15], 18) ^ (w[i-15] >> 3);\n"
    "            uint s1 = ROTR(w[i-2], 17) ^ ROTR(w[i-2], 19) ^ (w[i-2] >> 10);\n"
    "            w[i] = w[i-16] + s0 + w[i-7] + s1;\n"
    "        }\n"
    "        uint a = h[0], b = h[1], c = h[2], d = h[3], e = h[4], f2 = h[5], g = h[6], k = h[7];\n"
    "        for (int i = 0; i < 64; ++i) {\n"
    "            uint t1 = k + (ROTR(e, 6) ^ ROTR(e, 11) ^ ROTR(e, 25)) + bitselect(g, f2, e) + K[i] + w[i];\n"
    "            uint t2 = (ROTR(a, 2) ^ ROTR(a, 13) ^ ROTR(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));\n"
    "            k = g; g = f2; f2 = e; e = d + t1; d = c; c = b; b = a; a = t1 + t2;\n"
    "        }\n"
    "        h[0] += a; h[1] += b; h[2] += c; h[3] += d; h[4] += e; h[5] += f2; h[6] += g; h[7] += k;\n"
    "    }\n"
    "    digest[f] = vload8(0, h);\n"
    "}\n";

int main(int argc, char **argv) {
    int files = argc - 2;
    if (files < 1 || files > 64) {
        fprintf(stderr, "usage: %s PLATFORM FILE...\n", argv[0]);
        return 2;
    }
    demo d = demo_open(argc, argv);
    unsigned char *data = NULL;
    size_t total = 0;
    cl_ulong place[64][2];
    for (int i = 0; i < files; i++) {
        FILE *in = fopen(argv[2 + i], "rb");
        if (!in) {
            perror(argv[2 + i]);
            return 1;
        }
        fseek(in, 0, SEEK_END);
        size_t size = ftell(in);
        rewind(in);
        data = realloc(data, total + size + 1);
        if (fread(data + total, 1, size, in) != size) return 1;
        fclose(in);
        place[i][0] = total, place[i][1] = size;
        total += size;
    }
    cl_program program = demo_build(&d, SOURCE, "");
    cl_int err;
    cl_kernel kernel = clCreateKernel(program, "sha256", &err);
    CHECK(err);
    cl_mem mdata = demo_buffer(&d, CL_MEM_READ_ONLY, total ? total : 1, data);
    cl_mem mfiles = demo_buffer(&d, CL_MEM_READ_ONLY, sizeof place[0] * files, place);
    cl_mem mdigest = demo_buffer(&d, CL_MEM_WRITE_ONLY, 32 * files, NULL);
    CHECK(clSetKernelArg(kernel, 0, sizeof mdata, &mdata));
    CHECK(clSetKernelArg(kernel, 1, sizeof mfiles, &mfiles));
    CHECK(clSetKernelArg(kernel, 2, sizeof mdigest, &mdigest));
    cl_ulong count = 256, blocks = 0;
    for (int i = 0; i < files; i++)
        if ((place[i][1] + 72) / 64 > blocks) blocks = (place[i][1] + 72) / 64;
    double ms = 0;
    for (cl_ulong first = 0; first < blocks; first += count) {
        CHECK(clSetKernelArg(kernel, 3, sizeof first, &first));
        CHECK(clSetKernelArg(kernel, 4, sizeof count, &count));
        ms += demo_run(&d, kernel, 1, (size_t[]){files}, NULL);
    }
    cl_uint digest[64][8];
    CHECK(clEnqueueReadBuffer(d.queue, mdigest, CL_TRUE, 0, 32 * files, digest, 0, NULL, NULL));
    int equal = 0;
    for (int i = 0; i < files; i++) {
        char mine[65], command[4096], theirs[128] = "";
        for (int k = 0; k < 8; k++) sprintf(mine + 8 * k, "%08x", digest[i][k]);
        snprintf(command, sizeof command, "sha256sum -- '%s'", argv[2 + i]);
        FILE *pipe = popen(command, "r");
        if (!pipe || !fgets(theirs, sizeof theirs, pipe)) return 1;
        pclose(pipe);
        if (!strncmp(mine, theirs, 64))
            equal++;
        else
            fprintf(stderr, "%s: %s, sha256sum says %s", argv[2 + i], mine, theirs);
    }
    char what[96];
    snprintf(what, sizeof what, "%d of %d files (%zu bytes) as sha256sum says", equal, files, total);
    return demo_result(&d, "SHA-256 of files", equal == files, what, ms);
}
