// test: remarks
// A kernel of which nothing is to be told.

kernel void add(global float *a, global const float *b)
{
    size_t i = get_global_id(0);
    a[i] += b[i];
}
