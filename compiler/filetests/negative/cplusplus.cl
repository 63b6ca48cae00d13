// test: negative
//// a template
template <typename T> T add(T a, T b) { return a + b; }
//// a class
class A { int x; };
//// a namespace
namespace n { int x; }
//// a using directive
using namespace std;
//// a reference parameter
kernel void k(global int &a) { }
//// a default argument
int f(int a = 1) { return a; }
//// a qualified type in a function
kernel void k(global float *a) { std::vector<int> v; }
//// a qualified type at program scope
std::string s;
//// a qualified function
float f(float a) { return std::sin(a); }
//// new
kernel void k(global int *a) { int *p = new int; }
//// delete
kernel void k(global int *a) { delete a; }
//// throw
void f(void) { throw 1; }
//// a cast of C++
long f(global int *a) { return reinterpret_cast<long>(a); }
//// a missing semicolon behind a variable named as a word of C++
int f(void) { int new = 1; new = 2 return new; }
//// a header of the C library
#include <math.h>
//// a missing header in angle brackets
#include <mine.h>
//// a class with members and what follows it
class A { int x; public: A(); int f() { return x; } };
int g(void) { return missing; }
