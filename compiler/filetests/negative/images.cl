// test: negative
//// [--device=full -cl-std=CL3.0] a local image
void f(void) { read_only image2d_t i; }

//// [--device=full -cl-std=CL3.0] a program-scope image
image2d_t i;

//// [--device=full -cl-std=CL3.0] a pointer to an image
void f(read_only image2d_t *i) { }

//// [--device=full -cl-std=CL3.0] an array of samplers
void f(void) { sampler_t s[2]; }

//// [--device=full -cl-std=CL3.0] an image in a struct
struct s { image2d_t i; };

//// [--device=full -cl-std=CL3.0] a sampler in a struct
struct s { sampler_t i; };

//// [--device=full -cl-std=CL3.0] a function that returns an image
image2d_t f(void);

//// [--device=full -cl-std=CL3.0] a sampler without an initialiser
void f(void) { const sampler_t s; }

//// [--device=full -cl-std=CL3.0] a sampler from a variable
void f(int n) { const sampler_t s = n; }

//// [--device=full -cl-std=CL3.0] a sampler of a sum that means nothing
const sampler_t s = 0x400;

//// [--device=full -cl-std=CL3.0] a sampler in global memory
global sampler_t s = CLK_FILTER_LINEAR;

//// [--device=full -cl-std=CL3.0] a sampler assigned to
void f(sampler_t s) { s = CLK_FILTER_LINEAR; }

//// [--device=full -cl-std=CL3.0] an image assigned to
void f(image2d_t a, image2d_t b) { a = b; }

//// [--device=full -cl-std=CL3.0] reading what is only written
float4 f(write_only image2d_t i) { return read_imagef(i, (int2)(0)); }

//// [--device=full -cl-std=CL3.0] writing what is only read
void f(read_only image2d_t i) { write_imagef(i, (int2)(0), (float4)(1)); }

//// [--device=full -cl-std=CL3.0] a sampler on an image that is also written
float4 f(read_write image2d_t i, sampler_t s) { return read_imagef(i, s, (int2)(0)); }

//// [--device=full -cl-std=CL3.0] coordinates of another dimension
float4 f(image3d_t i, sampler_t s) { return read_imagef(i, s, (float2)(0)); }

//// [--device=full -cl-std=CL3.0] the depth of a flat image
int f(image2d_t i) { return get_image_depth(i); }

//// [--device=full -cl-std=CL3.0] an image of another access passed on
void g(write_only image2d_t i);
void f(read_only image2d_t i) { g(i); }

//// [--device=full -cl-std=CL3.0] two access qualifiers
void f(read_only write_only image2d_t i) { }

//// [--device=full -cl-std=CL1.2] read_write before OpenCL C 2.0
void f(read_write image2d_t i) { }

//// [--device=full -cl-std=CL3.0] arithmetic on an image
int f(image2d_t i) { return i + 1; }

//// [--device=full -cl-std=CL3.0] a condition that is a sampler
int f(sampler_t s) { return s ? 1 : 2; }

//// [--device=no-images -cl-std=CL3.0] images that the device lacks
kernel void k(read_only image2d_t i, sampler_t s) { }

//// [--device=full -cl-std=CL3.0] the address of an image
void f(image2d_t i) { &i; }

//// [--device=full -cl-std=CL3.0] a choice between images
int f(image2d_t i, image2d_t j, int c) { return get_image_width(c ? i : j); }

//// [--device=full -cl-std=CL3.0] a sampler reinterpreted
void f(sampler_t s) { ulong x = as_ulong(s); }

//// [--device=full -cl-std=CL3.0] a sampler by a cast
float4 f(image2d_t i, int x) { return read_imagef(i, (sampler_t)x, (int2)(0)); }

//// [--device=full -cl-std=CL3.0] a compound literal of a sampler
void f(void) { (sampler_t){0}; }

//// [--device=full -cl-std=CL1.2] a queue before OpenCL C 2.0
void f(queue_t q) { }

//// [--device=full -cl-std=CL3.0 -cl-ext=-cl_khr_mipmap_image_writes] a level that is written without the extension
kernel void k(write_only image2d_t i) { write_imagef(i, (int2)(0), 1, (float4)(0)); }

//// [--device=full -cl-std=CL3.0 -cl-ext=-cl_khr_mipmap_image] a level of detail without the extension
kernel void k(read_only image2d_t i, sampler_t s) { read_imagef(i, s, (float2)(0), 1.0f); }

//// [--device=full -cl-std=CL3.0] a level that is a sampler
kernel void k(write_only image2d_depth_t i, sampler_t s) { write_imagef(i, (int2)(0), s, 1.0f); }

//// [--device=full -cl-std=CL3.0 -cl-ext=-cl_ext_image_raw10_raw12] a type of channels without its extension
bool f(read_only image2d_t i) { return get_image_channel_data_type(i) == CLK_UNSIGNED_INT_RAW10_EXT; }

//// [--device=full -cl-std=CL3.0 -cl-ext=-cl_ext_image_unsigned_10x6_12x4_14x2] another one
bool f(read_only image2d_t i) { return get_image_channel_data_type(i) == CLK_UNORM_INT10X6_EXT; }
//// images and samplers as operands of commas
kernel void k(read_only image2d_t a, sampler_t s, global float4 *p) { p[0] = read_imagef((s, a), (p, s), (int2)(0)); p[1] = (s, 1); }
