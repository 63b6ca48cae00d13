// test: images
// Images in a buffer's memory are texel buffers.
kernel void copy(read_only image1d_buffer_t in, write_only image1d_buffer_t out, global int *size) {
    int i = get_global_id(0);
    write_imageui(out, i, read_imageui(in, i));
    *size = get_image_width(in) + get_image_width(out);
}
kernel void both(read_write image1d_buffer_t buffer) {
    int i = get_global_id(0);
    write_imagef(buffer, i, read_imagef(buffer, i) * 2.0f);
}
