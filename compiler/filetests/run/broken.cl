// test: run
// Three mistakes give three diagnostics with line, column, source line and caret.
// build-log: error: use of undeclared identifier 'undefined_thing'
__kernel void broken(__global int *out) {
    int a = undefined_thing;
    out[0] = a +;
    float4 v = (float4)(1, 2);
}
