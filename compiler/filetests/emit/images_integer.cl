// test: emit
// options: -cl-std=CL3.0
// Integer texels say how they widen, which takes SPIR-V 1.4.
constant sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;

kernel void integers(read_only image2d_t a, read_only image1d_buffer_t b, global int4 *i, global uint4 *u)
{
  i[0] = read_imagei(a, (int2)(1, 2));
  u[0] = read_imageui(a, nearest, (int2)(1, 2));
  i[1] = read_imagei(b, 7);
  u[1] = read_imageui(b, 7);
}
kernel void stored(write_only image1d_array_t b, write_only image2d_t c)
{
  write_imagei(b, (int2)(1, 2), (int4)(1));
  write_imageui(c, (int2)(1, 2), (uint4)(1));
}
