// test: images
// options: -pod-ubo
// form: descriptors
// Channels are told behind the plain data where that is a uniform buffer; masks are pushed.
kernel void channels(read_only image3d_t a, sampler_t s, float f, global float4 *out) {
    out[0] = read_imagef(a, s, (float4)(f)) * get_image_channel_order(a);
    out[1] = get_image_channel_data_type(a);
}
