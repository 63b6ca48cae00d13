// test: negative
//// an undeclared name
int f(void) { return missing; }
//// a misspelt variable
int f(int counter) { return conuter + 1; }
//// assigning to a constant
void f(void) { 1 = 2; }
//// assigning to a sum
void f(int a, int b) { a + b = 3; }
//// assigning to a const variable
void f(void) { const int a = 1; a = 2; }
//// assigning to a const parameter
void f(const int a) { a++; }
//// assigning through a pointer to const
void f(const int *p) { *p = 1; }
//// assigning to an array
void f(void) { int a[2], b[2]; a = b; }
//// assigning to a function
int g(void); void f(void) { g = 0; }
//// incrementing a literal
void f(void) { 5++; }
//// the remainder of floats
float f(float a) { return a % 2; }
//// shifting a float
float f(float a) { return a << 1; }
//// '~' of a float
float f(float a) { return ~a; }
//// '&' of floats
float f(float a, float b) { return a & b; }
//// minus a pointer
void f(int *p) { -p; }
//// the sum of two pointers
void f(int *p, int *q) { p + q; }
//// a pointer times two
void f(int *p) { p * 2; }
//// a float index
int f(int *p, float i) { return p[i]; }
//// indexing an int
int f(int i) { return i[0]; }
//// dereferencing an int
int f(int i) { return *i; }
//// the address of a literal
int *f(void) { return &5; }
//// the address of a sum
int *f(int a) { return &(a + 1); }
//// calling an int
int f(int i) { return i(); }
//// an int from a pointer
int f(int *p) { int a = p; return a; }
//// a pointer from an int
void f(int a) { int *p = a; }
//// a pointer cast to float
float f(int *p) { return (float)p; }
//// a float cast to a pointer
void f(float a) { int *p = (int *)a; }
//// a cast to an array
void f(int *p) { (int[2])p; }
//// a missing operand
int f(int a) { return a + ; }
//// a missing operator
int f(int a) { return a a; }
//// a missing parenthesis
int f(int a) { return (a + 1; }
//// a missing bracket
int f(int *a) { return a[1; }
//// an extra parenthesis
int f(int a) { return a + 1); }
//// ?: without ':'
int f(int a) { return a ? 1; }
//// ?: of a pointer and a float
void f(int a, int *p, float b) { a ? p : b; }
//// ?: of struct and int
typedef struct { int a; } S; void f(int a, S s) { a ? s : 1; }
//// a void value
void g(void); int f(void) { return g(); }
//// a void argument
void g(void); void h(int); void f(void) { h(g()); }
//// sizeof a function's name that is undeclared
int f(void) { return sizeof(nothing); }
//// sizeof without an operand
int f(void) { return sizeof; }
//// a type where a value is expected
int f(void) { return int + 1; }
//// C++ cast
int f(float a) { return int(a); }
//// new
void f(void) { int *p = new int; }
//// true division by zero in a constant
__constant int a = 1 / 0;
//// a non-constant in a constant
void f(int n) { switch (n) { case n: ; } }
//// an initialiser that names another variable
__constant int a = 1; void f(int n) { static __constant int b = n; }
//// comparing a pointer with a float
int f(int *p) { return p == 1.0f; }
//// less-than between pointer and struct
typedef struct { int a; } S; int f(int *p, S s) { return p < s; }
//// logical and of structs
typedef struct { int a; } S; int f(S s) { return s && 1; }
//// not of a struct
typedef struct { int a; } S; int f(S s) { return !s; }
//// a string assigned to an int
void f(void) { int a = "abc"; }
//// a lambda
void f(void) { int a = [](int x) { return x; }(1); }
//// a block
void f(void) { int (^b)(int) = ^(int x) { return x; }; }
//// a label's address
void f(void) { void *p = &&here; here: ; }
//// pointer difference of two types
long f(int *p, float *q) { return p - q; }
//// arithmetic on a pointer to an incomplete struct
struct S; void f(struct S *p) { p + 1; }
//// dereferencing a pointer to void
void f(void *p) { *p; }
//// nullptr
void f(void) { int *p = nullptr; }
//// warning: '=' in a condition
int f(int a) { if (a = 1) return 2; return 3; }
//// warning: an index behind the end
int f(void) { int a[2] = { 1, 2 }; return a[2]; }
//// warning: an index before the beginning
int f(void) { int a[2] = { 1, 2 }; return a[-1]; }
//// warning: division by zero
int f(int a) { return a / 0; }
//// warning: a constant that does not fit
void f(void) { char c = 1000; }
//// warning: pointers to different types are compared
int f(int *p, float *q) { return p == q; }
//// warning: a pointer and an integer are compared
int f(int *p) { return p == 5; }
//// warning: const is dropped
void f(const int *p) { int *q = p; }
//// warning: pointers of another sign
void f(uint *p) { int *q = p; }
//// reinterpreting pointers and structs
struct S { int a; }; long f(global int *p, struct S s) { return as_long(p) + as_int(s) + __builtin_astype(s, int); }
