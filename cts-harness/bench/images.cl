// needs: images
constant sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
constant sampler_t linear = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;

// The sum of red and green of the nine pixels around each.
kernel void nine(read_only image2d_t image, global float *out)
{
    int x = get_global_id(0), y = get_global_id(1);
    float2 sum = 0.0f;
    for (int j = -1; j <= 1; j++)
        for (int i = -1; i <= 1; i++)
            sum += read_imagef(image, nearest, (int2)(x + i, y + j)).xy;
    out[y * get_global_size(0) + x] = sum.x + sum.y;
}

// Red and green a quarter of a pixel right of each pixel's middle.
kernel void between(read_only image2d_t image, global float *out)
{
    int x = get_global_id(0), y = get_global_id(1);
    float2 color = read_imagef(image, linear, (float2)(x + 0.75f, y + 0.5f)).xy;
    out[y * get_global_size(0) + x] = color.x + color.y;
}

kernel void ramp(write_only image2d_t image)
{
    int x = get_global_id(0), y = get_global_id(1);
    write_imagef(image, (int2)(x, y), (float4)(x & 3, y & 1, x >> 1 & 1, 1.0f) * (float4)(1.0f / 3.0f, 1.0f, 1.0f, 1.0f));
}
