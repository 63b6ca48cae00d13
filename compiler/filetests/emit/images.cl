// test: emit
// options: -cl-std=CL3.0
// Every kind of image, read, written and asked; samplers in all their places.
const sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
constant sampler_t linear = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_MIRRORED_REPEAT | CLK_FILTER_LINEAR;

float4 through(read_only image2d_t image, sampler_t how, float2 at) { return read_imagef(image, how, at); }

kernel void sampled(read_only image1d_t a, image1d_array_t b, image2d_t c, image2d_array_t d,
                    image3d_t e, sampler_t s, global float4 *out)
{
  const sampler_t own = CLK_ADDRESS_REPEAT | CLK_NORMALIZED_COORDS_TRUE | CLK_FILTER_NEAREST;
  out[0] = read_imagef(a, s, 1) + read_imagef(a, own, 1.5f);
  out[1] = read_imagef(b, nearest, (int2)(1, 2)) + read_imagef(b, linear, (float2)(1, 2));
  out[2] = read_imagef(c, nearest, (int2)(1, 2)) + through(c, linear, (float2)(1, 2));
  out[3] = read_imagef(d, nearest, (int4)(1, 2, 3, 0)) + read_imagef(d, s, (float4)(1, 2, 3, 0));
  out[4] = read_imagef(e, nearest, (int4)(1, 2, 3, 0)) + read_imagef(e, s, (float4)(1, 2, 3, 0));
  out[5] = read_imagef(c, CLK_ADDRESS_CLAMP | CLK_FILTER_LINEAR, (float2)(0.5f));
}

kernel void written(write_only image1d_t a, write_only image1d_array_t b, write_only image2d_t c,
                    write_only image2d_array_t d, write_only image3d_t e, write_only image1d_buffer_t f,
                    read_write image2d_t g)
{
  write_imagef(a, 1, (float4)(1));
  write_imagef(b, (int2)(1, 2), (float4)(1));
  write_imagef(c, (int2)(1, 2), (float4)(1));
  write_imagef(d, (int4)(1, 2, 3, 0), (float4)(1));
  write_imagef(e, (int4)(1, 2, 3, 0), (float4)(1));
  write_imagef(f, 3, (float4)(1));
  write_imagef(g, (int2)(0), read_imagef(g, (int2)(1)));
}

kernel void asked(read_only image2d_t a, write_only image3d_t b, read_write image1d_array_t c,
                  image2d_array_t d, image1d_buffer_t e, global int *out, global size_t *layers)
{
  out[0] = get_image_width(a) + get_image_height(a) + get_image_width(b) + get_image_depth(b);
  out[1] = get_image_dim(a).y + get_image_dim(b).z + get_image_dim(d).x + get_image_width(e);
  out[2] = get_image_channel_data_type(a) == CLK_UNORM_INT8;
  out[3] = get_image_channel_order(b) == CLK_RGBA;
  layers[0] = get_image_array_size(c) + get_image_array_size(d);
}
