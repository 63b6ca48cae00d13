// test: emit
// Constant data: tables, strings, addresses, unions and bools in initialisers.
typedef struct { bool on; char name[3]; constant int *where; } entry;
constant int table[4] = { 1, 2, 3, -4 };
constant float3 vectors[2] = { (float3)(1, 2, 3), (float3)(4) };
constant double pi = 3.14159265358979;
constant entry entries[2] = { { true, "ab", &table[2] }, { false, "c", table } };
constant char *constant text = "hello";
constant ulong zeros[100] = { 0 };

kernel void read(global float *out, int i) {
    out[0] = table[i] + vectors[i].y + (float)pi;
    out[1] = *entries[i].where + entries[1].name[0] + text[i] + zeros[i];
    if (entries[i].on) out[2] = 1;
}
