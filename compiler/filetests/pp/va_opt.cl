// test: pp
#define F(a, ...) g(a __VA_OPT__(,) __VA_ARGS__)
#define H(a, ...) g(a, ## __VA_ARGS__)
#define J(fmt, args...) g(fmt, ## args)
F(1) F(2, 3) F(4,) H(4) H(5, 6) H(7,) J(7) J(8,9)
#define K(...) __VA_OPT__(a ## b) #__VA_OPT__(x y  z) c __VA_OPT__() ## d
#define L(x, ...) x ## __VA_OPT__(q r) ## z
#define M(x, ...) #__VA_OPT__(x ## __VA_ARGS__ , x) end
#define EMPTY
K() K(1) L(p) L(p,1) M(1) M(1, 2) M(1, EMPTY) F(1, EMPTY) H(1, EMPTY)
#define N(x,...) x __VA_OPT__((__VA_ARGS__) , ) y
N(1) N(1,2,3) N(1, N(2,3))
#define P(...) f(0 __VA_OPT__(,) __VA_ARGS__)
P(a, b, c) P() P(EMPTY)
#define G(X, ...) f(0, X __VA_OPT__(,) __VA_ARGS__)
G(a, b, c) G(a, ) G(a)
#define SDEF(sname, ...) S sname __VA_OPT__(= { __VA_ARGS__ })
SDEF(foo); SDEF(bar, 1, 2);
#define H2(X, Y, ...) __VA_OPT__(X ## Y,) __VA_ARGS__
H2(a, b, c, d)
#define H3(X, ...) #__VA_OPT__(X##X X##X)
H3(, 0)
#define H4(X, ...) __VA_OPT__(a X ## X) ## b
H4(, 1)
#define H5A(...) __VA_OPT__()/**/__VA_OPT__()
#define H5B(X) a ## X ## b
#define H5C(X) H5B(X)
H5C(H5A())
#define R(...) __VA_OPT__(a __VA_ARGS__ ## c) d
R(1,2) R()
// What is behind the joined token keeps its own spacing.
#define T(x) #x
#define U(x) T(x)
#define V(...) x##__VA_OPT__(a b) x ## __VA_OPT__(a(b))
U(V(1))
#ifdef __VA_OPT__
opt
#endif
