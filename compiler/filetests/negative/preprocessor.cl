// test: negative
//// an unknown directive
#foo bar
//// a directive that is no name
#+
//// #error
#error this kernel needs N
//// #error without text
#error
//// a missing include
#include "nothing.h"
//// an include without a name
#include
//// an include of an empty name
#include ""
//// an include without its end
#include <a.h
//// #if without an expression
#if
#endif
//// #if that is not closed
#if 1
int a;
//// #endif alone
#endif
//// #else alone
#else
//// #elif alone
#elif 1
//// #else twice
#if 0
#else
#else
#endif
//// #elif behind #else
#if 0
#else
#elif 1
#endif
//// #ifdef without a name
#ifdef
#endif
//// #ifdef of a number
#ifdef 3
#endif
//// division by zero in #if
#if 1 / 0
#endif
//// an unfinished #if expression
#if 1 +
#endif
//// #if with too much
#if 1 2
#endif
//// #if without a closing parenthesis
#if (1
#endif
//// a float in #if
#if 1.0
#endif
//// defined without a name
#if defined()
#endif
//// ?: without a colon in #if
#if 1 ? 2
#endif
//// #define without a name
#define
//// #define of a number
#define 3 4
//// #define defined
#define defined 1
//// #undef without a name
#undef
//// a parameter twice
#define M(a, a) a
//// a parameter list without its end
#define M(a, b
//// a number as parameter
#define M(1) x
//// '#' without a parameter
#define M(a) #b
//// '##' at the end
#define M a ##
//// '##' at the beginning
#define M ## a
//// '##' that makes two tokens
#define M(a, b) a ## b
int x = M(+, /);
//// warning: __VA_ARGS__ in a macro without '...'
#define M(a) __VA_ARGS__
//// too few macro arguments
#define ADD(a, b) ((a) + (b))
int f(void) { return ADD(1); }
//// too many macro arguments
#define ADD(a, b) ((a) + (b))
int f(void) { return ADD(1, 2, 3); }
//// macro arguments without their end
#define ADD(a, b) ((a) + (b))
int f(void) { return ADD(1, 2; }
//// #line without a number
#line abc
//// #line with a name that is no string
#line 3 abc
//// an error behind #line shows the line that it says
#line 100 "kernel.cl"
int f(void) { return missing; }
//// _Pragma without a string
_Pragma(3) void f(void) { return 1; }
//// warning: a macro is defined again
#define A 1
#define A 2
//// warning: text behind #endif
#if 1
#endif text
//// warning: an unknown extension
#pragma OPENCL EXTENSION cl_xyz_none : enable
//// an error inside of a macro shows the macro
#define TWICE(x) ((x) * undeclared_factor)
int f(int a) { return TWICE(a); }
//// an error inside of two macros
#define INNER(x) (x + nothing)
#define OUTER(x) INNER(x)
int f(int a) { return OUTER(a); }
//// #if with an undefined function-like macro
#if NOT_DEFINED(1)
#endif
//// a macro that includes itself without end in text
#include "self.h"
//// commas in conditions, valid ones and those outside parentheses
#if 0 && (1, 2) || (1, 0) || 1 && !(0, 1)
#error not reached
#endif
#if 1 ? 1 : (3, 4)
#else
#error not reached
#endif
#if 0 && 1, 2
#endif
#if (1, )
#endif
//// __VA_OPT__
#define A(...) __VA_OPT__(a __VA_OPT__(b))
#define B(...) __VA_OPT__ c
#define C(...) __VA_OPT__(c
#define D(...) __VA_OPT__(## c)
#define E(...) __VA_OPT__(c ##)
#define F(...) ## __VA_OPT__(c)
#define G(x) __VA_OPT__(c)
#define H(...) __VA_OPT__(c) ##
#define I(...) __VA_OPT__((c) d)
#define I(...) __VA_OPT__((c) e)
#define J(...) # __VA_OPT__ c
//// universal character names that name no letter
int \u12; int \u0024a; int \U0001F600 = 1;
