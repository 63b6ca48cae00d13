// test: images
// Images and samplers in functions, whatever their size and attributes; samplers chosen.
constant sampler_t edge = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
constant sampler_t wrap = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_LINEAR;
__attribute__((noinline)) float4 through(read_only image2d_t i, sampler_t s, float2 at) {
    return read_imagef(i, s, at);
}
float4 twice(read_only image2d_t i, sampler_t s, float2 at) {
    return through(i, s, at) + through(i, wrap, at.yx);
}
void put(write_only image2d_t i, float4 pixel) {
    for (int x = 0; x < get_image_width(i); x++)
        write_imagef(i, (int2)(x, 0), pixel);
}
kernel void calls(read_only image2d_t a, read_only image2d_t b, sampler_t s, write_only image2d_t out, float2 at) {
    put(out, twice(a, s, at) + twice(b, edge, at));
}
