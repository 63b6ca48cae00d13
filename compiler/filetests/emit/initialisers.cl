// test: emit
// Aggregates that are not constant, designators, compound literals, large arrays.
typedef struct { int a; float b[3]; struct { short x, y; } p; } S;
kernel void init(global int *o, int n) {
    int list[4] = { n, n + 1 };
    S s = { .a = n, .b = { [1] = 2.0f }, .p.y = 7 };
    S t = (S){ 1, { 2, 3, 4 }, { 5, (short)n } };
    const int big[40] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 };
    char text[] = "abc";
    float m[2][2] = { { 1, 2 }, { 3, n } };
    S zero[20] = { { 0 } };
    o[0] = list[n] + s.b[n] + t.p.y + big[n] + text[n] + m[1][n] + zero[n].a;
    o[1] = ((int[]){ n, 2, 3 })[o[2]];
    s = t;
    o[3] = (s = zero[1]).a;
}
