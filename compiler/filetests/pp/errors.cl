// test: pp
#define F(a, b) a + b
F(1)
F(1, 2, 3)
#define X 1
#define X 2
#undef
#if
#endif
#if 1 +
#endif
#if 1 / 0
#endif
#if (1
#endif
#else
#endif
#frobnicate
#error this is   wrong
#warning take care
#define 3
#define G(a, a) a
#define H(a) # b
#define P ## a
#ifdef X extra
#else
#else
#endif
#if 1.5
#endif
#define CAT(a, b) a ## b
CAT(+, a)
