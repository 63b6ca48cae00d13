// test: images
// Sizes are Vulkan's, channels the driver's.
kernel void sizes(read_only image1d_array_t a, read_only image2d_t b, write_only image2d_array_t c,
                  read_only image3d_t d, read_write image2d_t e, global int *out) {
    out[0] = get_image_width(a) + (int)get_image_array_size(a);
    int2 size = get_image_dim(b);
    out[1] = size.x + size.y + get_image_height(b);
    out[2] = get_image_width(c) + get_image_height(c) + (int)get_image_array_size(c);
    out[3] = get_image_depth(d) + get_image_dim(d).x;
    out[4] = get_image_height(e);
}
kernel void channels(read_only image2d_t a, write_only image3d_t b, global int *out) {
    out[0] = get_image_channel_order(a) == CLK_RGBA;
    out[1] = get_image_channel_data_type(a) == CLK_UNORM_INT8;
    out[2] = get_image_channel_order(b) - get_image_channel_data_type(b);
}
