// test: negative
//// break outside of a loop
void f(void) { break; }
//// continue outside of a loop
void f(void) { continue; }
//// continue in a switch
void f(int a) { switch (a) { case 1: continue; } }
//// case outside of a switch
void f(int a) { case 1: a = 2; }
//// default outside of a switch
void f(int a) { default: a = 2; }
//// a case twice
void f(int a) { switch (a) { case 1: break; case 1: break; } }
//// a case twice by a range
void f(int a) { switch (a) { case 1 ... 5: break; case 3: break; } }
//// two defaults
void f(int a) { switch (a) { default: break; default: break; } }
//// a case that is no constant
void f(int a, int b) { switch (a) { case b: break; } }
//// a case that is a float
void f(int a) { switch (a) { case 1.5f: break; } }
//// a switch on a float
void f(float a) { switch (a) { case 1: break; } }
//// a switch on a pointer
void f(int *a) { switch (a) { case 0: break; } }
//// an unknown label
void f(void) { goto nowhere; }
//// a label twice
void f(void) { here: ; here: ; }
//// goto without a label
void f(void) { goto ; }
//// a value from a void function
void f(void) { return 1; }
//// no value from an int function
int f(void) { return; }
//// a value of the wrong type
int f(float4 v) { return v; }
//// a pointer of the wrong type
__global int *f(__local int *p) { return p; }
//// a condition that is a struct
typedef struct { int a; } S; void f(S s) { while (s) ; }
//// else without if
void f(int a) { a = 1; else a = 2; }
//// if without parentheses
void f(int a) { if a == 1 return; }
//// while without a condition
void f(void) { while () ; }
//// for with too few parts
void f(void) { for (int i = 0; i < 3) ; }
//// do without while
void f(int a) { do a++; }
//// do while without a semicolon
void f(int a) { do a++; while (a < 3) }
//// a declaration as the body of an if
void f(int a) { if (a) int b = 1; }
//// a statement outside of a function
return 1;
//// an expression outside of a function
1 + 2;
//// an if outside of a function
if (1) { }
//// a missing closing brace
void f(void) { { int a; }
//// a variable that left its scope
int f(void) { { int inner = 1; } return inner; }
//// a loop variable behind its loop
int f(void) { for (int i = 0; i < 3; i++) ; return i; }
//// a missing semicolon behind return
int f(void) { return 1 }
//// a missing semicolon behind a call
void g(void); void f(void) { g() g(); }
//// try
void f(void) { try { } catch (int e) { } }
//// range-based for
void f(void) { int a[3]; for (int x : a) ; }
//// a case value beyond the type
void f(uchar a) { switch (a) { case 1 ... n: ; } }
//// a statement expression with a record
typedef struct { int a; } S; void f(S s) { S t = ({ s; }); }
//// opencl_unroll_hint with a variable
void f(int n) { __attribute__((opencl_unroll_hint(n))) for (int i = 0; i < 3; i++) ; }
//// [-cl-std=CL1.2] asm goto
void f(void) { asm goto ("" : : : : here); here: ; }
//// warning: a function that ends without its value
int f(int a) { if (a) return 1; }
//// warning: an empty case range
void f(int a) { switch (a) { case 5 ... 1: ; } }
//// declarations of for statements that declare no variable of the loop
kernel void k(global int *o) {
    for (extern constant int i; o[0];) o[0]--;
    for (static int i = 0; i < 3; i++) o[i] = i;
    for (typedef int T; o[0];) o[0]--;
    for (int f(int); o[0];) o[0]--;
    for (struct s { int a; }; o[0];) o[0]--;
    for (struct t { int a; } i = { 0 }; i.a < 3; i.a++) o[i.a] = 1;
}
//// pragmas of unrolling without a loop
#pragma unroll
kernel void k(global int *o) {
#pragma unroll 4
    o[0] = 1;
#pragma unroll o[0]
    for (int i = 0; i < 3; i++) o[i] = i;
#pragma unroll -2
    for (int i = 0; i < 3; i++) o[i] = i;
#pragma nounroll
}
