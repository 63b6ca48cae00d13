// test: descriptors
// options: --abi=descriptors
kernel void scale(global float *x, global const float *by)
{
    size_t i = get_global_id(0);
    x[i] = x[i] * by[0];
}
