// test: run
// -cl-native-math: functions without a promise of precision, close enough for what is asked here.
// options: -cl-native-math
kernel void natives(global float *x, global float *o, float a, float b)
{
    int i = get_global_id(0);
    o[i] = sin(x[i]) * sin(x[i]) + cos(x[i]) * cos(x[i]);
    o[i + 4] = log2(exp2(x[i]));
    o[i + 8] = fma(x[i], a, b);
    o[i + 12] = length((float2)(3.0f * x[i], 4.0f * x[i]));
}
// kernel: natives
// global: 4
// arg: buffer float 0.25 0.5 1.0 2.0
// arg: buffer float 16*0.0
// arg: float 2.0
// arg: float 1.0
// expect 1: float 4*1.0 0.25 0.5 1.0 2.0 1.5 2.0 3.0 5.0 1.25 2.5 5.0 10.0 abs 0.001
