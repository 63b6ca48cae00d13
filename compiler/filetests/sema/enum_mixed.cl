// test: sema
enum E1 { A = -1, B, C = 1u << 31 };
enum E3 { P = 1, Q = 1u << 31 };
enum E4 { R = 1L << 40, S = 1 };
enum E6 { V = 0xffffffffUL, W, X };
_Static_assert(sizeof(C) == 8 && sizeof(enum E1) == 8 && sizeof(A) == 4 && sizeof(B) == 4, "1");
_Static_assert(sizeof(Q) == 4 && sizeof(P) == 4 && sizeof(enum E3) == 4 && Q > 0, "3");
_Static_assert(sizeof(R) == 8 && sizeof(S) == 4 && sizeof(enum E4) == 8, "4");
_Static_assert(sizeof(V) == 8 && sizeof(W) == 8 && sizeof(enum E6) == 8 && W == 0x100000000UL, "6");
