// test: negative
//// a struct of itself
struct S { int a; struct S inner; };
//// an unknown struct
void f(void) { struct nothing s; }
//// an unknown member
typedef struct { int alpha; } S; int f(S s) { return s.beta; }
//// a misspelt member
typedef struct { int alpha; } S; int f(S s) { return s.alhpa; }
//// '.' on a pointer
typedef struct { int a; } S; int f(S *s) { return s.a; }
//// '->' on a struct
typedef struct { int a; } S; int f(S s) { return s->a; }
//// a member of an int
int f(int i) { return i.x; }
//// a member of an incomplete struct
struct S; int f(struct S *s) { return s->a; }
//// a member twice
struct S { int a; float a; };
//// a struct twice
struct S { int a; }; struct S { int b; };
//// a struct used as a union
struct S { int a; }; void f(union S *s) { }
//// a struct without members as a kernel parameter
struct S { }; kernel void k(struct S s) { }
//// a value without braces for a struct without members
struct S { }; constant struct S t[] = { 1, 2 }; union U { }; constant union U u[1ul << 40] = { 1 };
//// flexible array members that are not the last of several
struct S { int a[]; };
struct T { int n; int a[]; int m; };
union U { int n; int a[]; };
//// the values and the size of a flexible array member
struct S { int n; int a[]; };
constant struct S s = { 1, { 1, 2 } }; constant struct S t = { 1, 2 }; constant struct S u = { .a[1] = 3 };
constant struct S v[] = { { 1 }, { .n = 2, .a = { 3 } }, [2].a = { 4 } };
int f(global struct S *s) { return sizeof(s->a) + sizeof(struct S) + s->a[1]; }
//// enumerators and declarations that do not fit the underlying type
enum E : short { A = 1, B = 32768, C = -32768, D = 32767, G };
enum F : float { H };
enum I : uchar; enum I : uchar { J = 255 }; enum I : char;
enum L { M }; enum L : int;
enum N : uint; enum N : int { O };
enum P : uint; enum P { Q };
enum R : bool { T };
int f(void) { return sizeof(A) + sizeof(enum I) + sizeof(enum V); }
//// a function as a member
struct S { int f(void); };
//// an address space on a member
struct S { __global int a; };
//// an event as a member
struct S { event_t e; };
//// an initialiser in a struct
struct S { int a = 1; };
//// a struct plus one
typedef struct { int a; } S; S f(S s) { return s + 1; }
//// comparing structs
typedef struct { int a; } S; int f(S s) { return s == s; }
//// a struct as a condition
typedef struct { int a; } S; void f(S s) { if (s) return; }
//// a cast to a struct
typedef struct { int a; } S; S f(int i) { return (S)i; }
//// assigning an int to a struct
typedef struct { int a; } S; void f(S s) { s = 1; }
//// assigning one struct to another
typedef struct { int a; } S; typedef struct { int a; } T; void f(S s, T t) { s = t; }
//// returning the wrong struct
typedef struct { int a; } S; typedef struct { int a; } T; S f(T t) { return t; }
//// too many values for a struct
typedef struct { int a; } S; void f(void) { S s = { 1, 2 }; undeclared(); }
//// an unknown member in a designator
typedef struct { int a; } S; void f(void) { S s = { .b = 1 }; }
//// a designator that is for arrays
typedef struct { int a; } S; void f(void) { S s = { [0] = 1 }; }
//// a member designator for an array
void f(void) { int a[2] = { .x = 1 }; }
//// a designator behind the end
void f(void) { int a[2] = { [2] = 1 }; }
//// an empty designator range
void f(void) { int a[4] = { [3 ... 1] = 1 }; }
//// an array from an array
void f(void) { int a[2] = { 1, 2 }; int b[2] = a; }
//// a scalar for an array
void f(void) { int a[2] = 1; }
//// a struct from an int
typedef struct { int a; } S; void f(void) { S s = 3; }
//// an initialiser that is not constant
int g(int); __constant int a = g(1);
//// an enumeration before its definition
void f(enum later e) { }
//// a missing member name
struct S { int; int; }; int f(struct S s) { return s.; }
//// a member without a type
struct S { a; };
//// offsetof of what is no member
struct S { int a; }; int f(void) { return __builtin_offsetof(struct S, b); }
//// sizeof an incomplete struct
struct S; int f(void) { return sizeof(struct S); }
//// warning: a string that is too long
void f(void) { char s[2] = "abc"; }
//// warning: more values than members
typedef struct { int a; } S; void f(void) { S s = { 1, 2 }; }
//// a value without braces for a struct of unnamed bit-fields
#pragma OPENCL EXTENSION __cl_clang_bitfields : enable
struct S { int : 5; }; constant struct S t[] = { 1, 2 };
//// values for structs whose members have errors: no error but those
struct S { foo x; }; constant struct S t[] = { 1, 2 };
struct A { int a[0]; }; constant struct A u[] = { 1, 2 };
typedef struct { int x[3] int y; } B; constant B v[] = { 1, 2, 3, 4 };
union C { struct U x; }; int f(union C c) { union C d[] = { 1 }; return c.y; }
struct D { struct { foo q; } x; }; constant struct D w[1ul << 40] = { 1, 2 };
//// assignments to structs with const members
struct S { const int a; int b; }; struct T { int n; struct S s; };
void f(struct S *p, struct T *t, struct T u) { *p = p[1]; *t = u; p->b = 1; t->s = *p; u.n = 2; }
//// members with storage classes
struct S { static int a; extern int b; }; union U { typedef int x; };
