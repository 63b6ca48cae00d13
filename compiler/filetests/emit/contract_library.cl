// test: emit
// Without kernels nothing says ContractionOff: linking does, and import takes it so.
float separate(float a, float b, float c) {
#pragma OPENCL FP_CONTRACT OFF
    return a * b + c;
}
float together(float a, float b, float c) { return a * b + c; }
int integers(int a, int b, int c) { return a * b + c; }
