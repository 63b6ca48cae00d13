// test: negative
//// an unknown type
foo_t f(void) { return 0; }
//// a misspelt type
flaot f(void) { return 0; }
//// a misspelt vector type
void f(void) { flota4 v; }
//// a vector type that does not exist
void f(void) { float5 v; }
//// a vector of bool
void f(void) { bool4 v; }
//// no type at all
f(void) { return 0; }
//// a variable without a type
void f(void) { static x = 1; }
//// two types
int float x;
//// signed float
signed float f(void) { return 0; }
//// short double
short double f(void) { return 0; }
//// unsigned twice
unsigned unsigned f(void) { return 0; }
//// const pointer to nothing
void f(void) { const; }
//// a variable of type void
void f(void) { void v; }
//// an array of void
void f(void) { void v[3]; }
//// an array of functions
void f(void) { int (a[3])(void); }
//// a function that returns an array
typedef int three[3];
three f(void);
//// a function that returns a function
int f(void)(void);
//// a pointer to a function
void f(void (*callback)(int)) { }
//// a variable length array
void f(int n) { int a[n]; }
//// a negative length
void f(void) { int a[-1]; }
//// a length of zero
void f(void) { int a[0] = { }; }
//// a length that is a float
void f(void) { int a[2.5f]; }
//// an array without length
void f(void) { int a[]; }
//// only the first length may be left out
void f(int a[2][]) { }
//// a variable twice
void f(void) { int a; float a; }
//// a variable twice in program scope
__constant int a = 1; __constant int a = 2;
//// a variable with another type than before
extern __constant int a; extern __constant float a;
//// a function and a variable of one name
void f(void); __constant int f = 1;
//// a parameter twice
void f(int a, float a) { }
//// a local that hides a parameter in the same block
void f(int a) { int a = 1; }
//// a typedef with another type
typedef int T; typedef float T;
//// a typedef used as value
typedef int T; int f(void) { return T; }
//// a typedef with an initialiser
typedef int T = 3;
//// an enumerator twice
enum { A, A };
//// an enumeration twice
enum E { A }; enum E { B };
//// an enumerator that is no constant
void f(int n) { enum { A = n }; }
//// a declaration without a name
void f(void) { int; return 1; }
//// static and extern
static extern int f(void);
//// auto at program scope
auto int a;
//// inline variable
void f(void) { inline int a; }
//// thread-local
_Thread_local int a;
//// bit-field
struct S { int a : 3; };
//// a missing semicolon
void f(void) { int a = 1 int b; }
//// a missing semicolon behind a struct
struct S { int a; } void f(void) { }
//// restrict on an integer
void f(int restrict a) { }
//// a complex number
void f(void) { float _Complex c; }
//// a static assertion that fails
_Static_assert(sizeof(int) == 8, "int is not that long");
//// a static assertion that is no constant
void f(int n) { _Static_assert(n, "no"); }
//// _Generic without a fitting type
int f(int n) { return _Generic(n, float: 1, char: 2); }

//// _Generic with a type twice
int f(int n) { return _Generic(n, int: 1, signed: 2); }

//// _Generic with two defaults
int f(int n) { return _Generic(n, default: 1, default: 2); }

//// _Generic without arms
int f(int n) { return _Generic(n); }

//// a compound literal in local memory at program scope
constant int *constant p = (local int[]){1, 2};

//// a compound literal at program scope that is computed
int g(void);
constant int p = ((int[]){g()})[0];
//// inline assembly
void f(void) { asm("nop"); }
//// an assembly label
void f(void) __asm__("g");
//// a function defined twice
void f(void) { } void f(void) { }
//// a function declared with another type
int f(int a); float f(int a);
//// static behind non-static
extern __constant int a; static __constant int a = 1;
//// a nested function
void f(void) { int g(void) { return 1; } }
//// a type that comes later
void f(void) { image2d_t i; }
//// a C++ reference
void f(int &a) { }
//// an attribute that stands nowhere
void f(void) { __attribute__((nothing_such)) undeclared = 1; }
//// warning: an unknown attribute
__attribute__((made_up)) void f(void) { }
//// warning: an empty declaration
void f(void) { int; }
//// functions called main
int main(void); static int main(void) { return 0; }
//// a kernel called main
kernel void main(void) { }
//// enumerations without enumerators
enum { }; enum E { };
//// [-cl-std=CL2.0] arrays without elements that are more than variables of a function
global int a[0]; struct S { int b[0]; }; typedef int T[0];
kernel void k(global int *p) { int c[0] = { }; static int d[0]; int (*e)[0]; int f = sizeof(int[0]); }
//// a kernel by a typedef behind its definition
typedef void F(global int *); void k(global int *p) { } kernel F k;
//// variables of a deduced type
__auto_type outside = 1;
__auto_type g(__auto_type x) { return x; }
void v(void);
void f(int n) {
    __auto_type a;
    __auto_type b = { 1 };
    __auto_type *c = &n;
    __auto_type d = d + 1;
    __auto_type e = v();
    static __auto_type h = 1;
    local __auto_type i = 1;
    const __auto_type j = n;
    j = 3;
    int k = (__auto_type)n + a + d;
    typedef __auto_type l;
}
//// functions by typedefs
typedef int F(int); typedef void V(void); F initialised = 1; global F qualified; kernel V k; void k(void) { } kernel F l; F conflicting; void conflicting(int x) { } F *pointer;
//// a function that becomes static
int f(int); static int f(int x) { return x; }
