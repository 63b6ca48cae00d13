// test: emit
// options: -cl-std=CL2.0
kernel void levels(read_only image2d_t a, read_only image3d_t b, sampler_t s,
                   global float4 *out, global int *n)
{
  out[0] = read_imagef(a, s, (float2)(0.5f), 1.0f);
  out[1] = read_imagef(a, s, (float2)(0.5f), (float2)(0.1f), (float2)(0.2f));
  out[2] = read_imagef(b, s, (float4)(0.5f), (float4)(0.1f), (float4)(0.2f));
  n[0] = get_image_num_mip_levels(a);
}
