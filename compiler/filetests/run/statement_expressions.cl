// test: run
// GNU statement expressions: values, scopes, loops and switches inside, nesting, void ones.
// kernel: k
// global: 1
// arg: buffer int 12*0
// expect 0: int 7 10 3 12 1 4 6 0 5 -1 3 9
#define MAX(a, b) ({ int a_ = (a), b_ = (b); a_ > b_ ? a_ : b_; })
int early(int i) {
    int n = 1 + ({ if (i > 2) return -1; i; });
    return n + ({ if (i == 1) goto other; 0; });
other:
    return 5;
}
__kernel void k(__global int *out) {
    int i = 3, n = 7;
    out[0] = MAX(i, n);
    out[1] = ({ int sum = 0; for (int j = 0; j < 9; j++) { if (j == 5) break; sum += j; } sum; });
    out[2] = MAX(MAX(1, 2), MAX(i, ({ int v; switch (i) { case 3: v = 2; break; default: v = 9; } v; })));
    float4 f = ({ float4 t = (float4)(i); t.x += 1; t * 3.0f; });
    out[3] = (int)f.x;
    ({ out[4] = 1; });
    out[5] += 1 + ({ i; });
    out[6] = i > 5 ? ({ out[7] = 1; 5; }) : ({ int i = 6; i; });
    out[8] = early(1);
    out[9] = early(3);
    out[10] = early(2);
    for (int j = 0; j < 20; j++) {
        int even = ({ if (j % 2) continue; if (j > 17) break; j; });
        out[11] += even > 0;
    }
    out[11] += 1;
}
