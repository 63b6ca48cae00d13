// test: emit
// options: -cl-std=CL1.2
kernel void halves(read_only image2d_t a, write_only image2d_t b, sampler_t s)
{
  write_imageh(b, (int2)(0), read_imageh(a, s, (float2)(0.5f)) + read_imageh(a, (int2)(1)));
}
