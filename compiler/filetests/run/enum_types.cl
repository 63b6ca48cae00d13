// test: run
// Enumerations whose underlying type is said, as clang has them in C.
// options: -cl-std=CL1.2
// kernel: enums
// global: 1
// arg: buffer int 16*99
// arg: buffer short 3 -3 7
// arg: buffer uchar 255 1
// expect 0: int 2 1 4 -3 3 1 2 -6 256 10 20 8 -1 1 5 7
// expect 1: short -3 -2 32767
// expect 2: uchar 0 200
enum Small : short { A = 3, B = -3, MOST = 32767 };
enum Byte : uchar;
typedef enum : uint { BIG = 0xffffffffu, ONE = 1 } Word;
enum Byte : uchar { LOW, HIGH = 200 };
enum Wide : long { W = 1 };
struct Pair {
    enum Byte first;
    enum Small second;
};

kernel void enums(global int *o, global enum Small *s, global enum Byte *b) {
    enum Small e = s[1];
    o[0] = sizeof(enum Small);
    o[1] = sizeof(enum Byte);
    o[2] = sizeof(struct Pair);
    o[3] = e;
    o[4] = s[0] == A ? s[0] : 0;
    o[5] = BIG > A;
    o[6] = sizeof(A);
    o[7] = e + B;
    o[8] = b[0] + 1;
    switch (e) {
    case A:
        o[9] = 9;
        break;
    case B:
        o[9] = 10;
        break;
    }
    o[10] = sizeof(W) + 3 * sizeof(e + e);
    o[11] = 2 * sizeof(Word);
    o[12] = (enum Small)65535;
    o[13] = __builtin_types_compatible_p(enum Small, short);
    o[15] = s[2];
    e++;
    s[0] = B;
    s[1] = e;
    s[2] = MOST;
    b[0] = LOW;
    b[1] = HIGH;
    o[14] = min((int)b[1], 5);
}
