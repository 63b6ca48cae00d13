// The rounding error of a product of floats: a*b = product + result, exactly, where `product` is a*b
// rounded and no part of it is a denormal.
#pragma OPENCL FP_CONTRACT OFF

// By Veltkamp splitting: the products of the 12-bit heads and tails are exact.
float __pumice_product_tail_f32(float a, float b, float product) {
    float ah = as_float(as_uint(a) & 0xfffff000), al = a - ah;
    float bh = as_float(as_uint(b) & 0xfffff000), bl = b - bh;
    return ((ah * bh - product) + ah * bl + al * bh) + al * bl;
}

// The same on devices with an exact fma, for which link_builtins takes it.
float __pumice_product_tail_by_fma_f32(float a, float b, float product) {
    return fma(a, b, -product);
}
