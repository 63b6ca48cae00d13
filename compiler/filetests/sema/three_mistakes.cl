// test: sema
// Three mistakes give three diagnostics.
__kernel void scale(__global float *data, float factor, uint count)
{
    size_t i = get_global_id(0);
    float4 sum = (float4)(0.0f, 0.0f, 0.0f);
    if (i < cuont)
        data[i] *= factor;
    data = &factor;
}
