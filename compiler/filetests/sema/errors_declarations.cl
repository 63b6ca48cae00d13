// test: sema
typedef struct { int a; float b; } S;
typedef int T;
typedef float T;
int f(int a, float b);
float f(int a, float b);
int g(int a) { return a; }
int g(int a) { return a; }
struct A { int x; };
struct A { int y; };
union A u;
enum E { E0, E1 };
enum F { E1, E2 };
struct Self { struct Self inner; };
struct Twice { int x; float x; };
struct Open { int x[]; };
struct Bits { int a : 3; };
int float_int float x;
unknown_type y;
flaot z;
void variadic(int a, ...);
void (*pointer)(int);
