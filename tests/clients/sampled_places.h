/* The texels that a read through a sampler takes, by OpenCL's formulas (8.2). */
#ifndef PUMICE_CLIENT_SAMPLED_PLACES_H
#define PUMICE_CLIENT_SAMPLED_PLACES_H
#include <CL/cl.h>
#include <math.h>

/* The index of a texel in one dimension, -1 for the border. */
static int index_of(float i, cl_addressing_mode mode, int size)
{
    int at = (int)i;
    switch (mode) {
    case CL_ADDRESS_CLAMP_TO_EDGE:
        return at < 0 ? 0 : at >= size ? size - 1 : at;
    case CL_ADDRESS_REPEAT:
    case CL_ADDRESS_MIRRORED_REPEAT:
        return at;
    default:
        return at < 0 || at >= size ? -1 : at;
    }
}

/* The one or two texels along a dimension, and the second one's share. */
static void along(float c, int normalized, cl_addressing_mode mode, int linear, int size, int at[2],
                  float *share)
{
    float u = c;
    if (mode == CL_ADDRESS_REPEAT)
        u = (c - floorf(c)) * size;
    else if (mode == CL_ADDRESS_MIRRORED_REPEAT)
        u = fabsf(c - 2.0f * rintf(0.5f * c)) * size;
    else if (normalized)
        u = c * size;
    *share = 0;
    if (!linear) {
        int i = (int)floorf(u);
        if ((mode == CL_ADDRESS_REPEAT || mode == CL_ADDRESS_MIRRORED_REPEAT) && i > size - 1)
            i = mode == CL_ADDRESS_REPEAT ? i - size : size - 1;
        at[0] = at[1] = index_of((float)i, mode, size);
        return;
    }
    float low = floorf(u - 0.5f);
    *share = u - 0.5f - low;
    int i0 = (int)low, i1 = i0 + 1;
    if (mode == CL_ADDRESS_REPEAT) {
        i0 = i0 < 0 ? size + i0 : i0;
        i1 = i1 > size - 1 ? i1 - size : i1;
    } else if (mode == CL_ADDRESS_MIRRORED_REPEAT) {
        i0 = i0 < 0 ? 0 : i0;
        i1 = i1 > size - 1 ? size - 1 : i1;
    }
    at[0] = index_of((float)i0, mode, size);
    at[1] = index_of((float)i1, mode, size);
}

#endif
