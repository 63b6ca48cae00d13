// test: run
// options: -cl-std=CL2.0
// Lengths from constants at program scope; scalars among vector overloads; enumerators among
// numbers.
// kernel: lengths
// global: 1
// arg: buffer int 4*0
// expect 0: int 4 7 12 5
constant int four = 4;
const global uint seven = four * 2 - 1;
enum level { LOW = -1, HIGH = 300 };

__attribute__((overloadable)) int which(short4 x, short4 low) { return 1; }
__attribute__((overloadable)) int which(short4 x, short low) { return 2; }

kernel void lengths(global int *out) {
    int a[four];
    char b[seven];
    for (int i = 0; i < four; i++)
        a[i] = i * 4;
    out[0] = sizeof a / sizeof a[0];
    out[1] = sizeof b;
    out[2] = a[3];
    enum level x = HIGH;
    out[3] = which((short4)(1), 0) + which((short4)(1), (short4)(2)) + clamp(x, 0, 255) - 253;
}
