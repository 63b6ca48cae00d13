// test: remarks
// A function that must not be inlined, and one that is too large for each of its calls.
// options: -g

__attribute__((noinline)) float kept(float x) { return x * 3.0f; }

float large(float x)
{
    for (int i = 0; i < 3; i++) {
        x = x * 1.5f + (x > 1.0f ? 0.25f : 0.5f) * x - (x < 0.5f ? 2.0f : 1.0f) / x;
        x = x * 2.5f + (x > 2.0f ? 0.75f : 0.5f) * x - (x < 0.5f ? 3.0f : 1.0f) / x;
        x = x * 3.5f + (x > 3.0f ? 0.85f : 0.5f) * x - (x < 0.5f ? 4.0f : 1.0f) / x;
        x = x * 4.5f + (x > 4.0f ? 0.95f : 0.5f) * x - (x < 0.5f ? 5.0f : 1.0f) / x;
    }
    return x;
}

float small(float x) { return x + 1.0f; }

kernel void k(global float *p)
{
    p[0] = kept(p[0]) + small(p[1]);
    p[1] = large(p[1]);
    p[2] = large(p[2]) + small(p[2]);
}

kernel void only(global float *p) { p[0] = small(p[0]); }
