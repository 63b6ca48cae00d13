// test: negative
//// [-cl-std=CL1.2] an atomic type of OpenCL C 2.0
void f(atomic_int *p) { }
//// [-cl-std=CL2.0] reading an atomic
int g(__global atomic_int *p) { return *p; }
//// [-cl-std=CL2.0] an atomic assigned
void g(__global volatile atomic_int *p) { *p = 1; }
//// [-cl-std=CL2.0] _Atomic of a struct
typedef struct { int a; } S; void f(_Atomic(S) *p) { }
//// a pointer cast to a struct
typedef struct { int a; } S; void f(int *p) { S s = (S)p; }
//// half3 from float3
half3 f(float3 v) { return v; }
//// an event assigned from an int
void f(void) { event_t e = 5; }
//// adding to an event
void f(event_t e) { e + 1; }
//// a pointer to an event as an int
int f(event_t *e) { return e; }
//// void in the middle of the parameters
int f(int a, void b);
//// an array of incomplete structs
struct S; void f(void) { struct S a[3]; }
//// a typedef with an unknown type
typedef something T; T f(void);
//// long long long
void f(void) { long long long a; }
//// unsigned bool
void f(void) { unsigned bool a; }
//// char of a type name
void f(void) { char int a; }
//// too many components in a type
void f(void) { int32 a; }
//// sizeof a function type
int f(void) { return sizeof(int(void)); }
//// typeof an undeclared name
void f(void) { typeof(nothing) a; }
//// const twice is fine, a type twice is not
void f(void) { const const int int a; }
//// reserved word as a name
void f(void) { int kernel = 1; }
//// a C++ class
class A { };
//// a C++ namespace
namespace n { int f(void); }
//// a C++ template
template <typename T> T f(T a) { return a; }
//// bool of two pointers added
bool f(int *p, int *q) { return p + q; }
//// a struct with an aligned attribute that is negative
struct S { int a; } __attribute__((aligned(-4)));
//// ext_vector_type with a wrong length
typedef float v5 __attribute__((ext_vector_type(5))); void f(v5 v) { }
//// wchar
void f(void) { wchar_t c; }
//// long double
long double f(void) { return 0; }
//// a uint24
uint24 f(void) { return 0; }
//// a typedef's name with its type behind
typedef struct pair { int a; } pair_t; int f(pair_t p) { return p; }
//// a pointer to a typedef
typedef int counter; void f(global counter *p) { int x = p; }
//// a typedef behind a pointer that is read
typedef struct pair { int a; } pair_t; int f(pair_t *p) { return *p; }
//// an array of a typedef
typedef int counter; void f(void) { counter a[2][3]; a = 0; }
//// a typedef of a pointer
typedef global int *ints; int f(ints p) { return p; }
//// a pointer to a typedef of an array
typedef int row[4]; int f(global row *p) { return p; }
//// a const typedef of another typedef
typedef int counter; typedef const counter fixed; void f(void) { fixed n = 1; n = 2; }
//// a const variable of a typedef's type
typedef int counter; constant counter n = 1; void f(void) { n = 2; }
//// a member of a typedef's type
typedef float4 colour; struct S { colour c; }; int f(struct S s) { return s.c; }
//// what a function with a typedef returns
typedef float4 colour; colour g(void); int f(void) { return g(); }
//// two pointer types with one canonical type
typedef int a_t; typedef int b_t; void f(a_t *p, b_t *q) { float x = p; float y = q; }
//// size_t
void f(size_t n) { n.x = 1; }
//// [-cl-std=CL2.0] an atomic type
float f(global atomic_int *p) { return p; }
//// a cast to a typedef
typedef float4 colour; int f(int4 v) { return (colour)v; }
//// a typedef that hides another
typedef int T; void f(T *p) { typedef float T; T *q = p; float x = q; float y = p; }
