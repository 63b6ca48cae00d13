// test: emit
// options: -cl-std=CL2.0
// Depth, multi-sample and mipmap images of the extensions.
kernel void depth(read_only image2d_depth_t a, read_only image2d_array_depth_t b,
                  write_only image2d_depth_t c, write_only image2d_array_depth_t d, sampler_t s,
                  global float *out)
{
  out[0] = read_imagef(a, s, (float2)(0.5f)) + read_imagef(a, (int2)(1)) + read_imagef(b, s, (int4)(1));
  write_imagef(c, (int2)(1), 0.5f);
  write_imagef(d, (int4)(1), 0.25f);
  out[1] = get_image_width(a) + get_image_array_size(b) + get_image_dim(b).x;
}
kernel void samples(read_only image2d_msaa_t a, read_only image2d_array_msaa_t b,
                    read_only image2d_msaa_depth_t c, read_only image2d_array_msaa_depth_t d,
                    global float4 *out, global int *n)
{
  out[0] = read_imagef(a, (int2)(1), 2) + read_imagef(b, (int4)(1), 3);
  out[1].x = read_imagef(c, (int2)(1), 2) + read_imagef(d, (int4)(1), 3);
  n[0] = get_image_num_samples(a) + get_image_width(b);
}
