// test: images
// Arguments beyond the push constants are a uniform buffer, which channels are behind then.
kernel void channels(read_only image3d_t a, sampler_t s, double16 m, global double *out) {
    out[0] = get_image_channel_order(a) + get_image_channel_data_type(a) + m.s7;
    out[1] = read_imagef(a, s, (float4)(0.5f)).x;
}
