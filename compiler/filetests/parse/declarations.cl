// test: parse
// options: -cl-std=CL2.0
int a, *b, **c, d[3], *e[2][3], (*f)[4], (*g)(int, float *x), *(*h[5])(void);
const char *const volatile p = "x" "y\n";
typedef unsigned long int word;
const __auto_type deduced = 1;
typedef struct node { struct node *next; union { int i; float f; }; unsigned bits : 3, : 0; } node;
enum color { red, green = red + 2, blue, };
enum shade : uchar; enum shade : uchar { light }; struct { enum shade s : 2, : 1; enum : word { dark } d; } shades;
struct __attribute__((packed)) s { char c; int i __attribute__((aligned(16))); } __attribute__((__aligned__(8)));
word w = sizeof(word) + sizeof w;
__constant float table[] = { 1.0f, .5, [4] = 2, 3.h };
node list = { .i = 1, .next = &list, };
int matrix[2][2] = { { 1, 2 }, [1][0] = 3 };
int gnu[10] = { [2 ... 4] = 7 };
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
_Static_assert(sizeof(int) == 4, "four");
__attribute__((reqd_work_group_size(8, 4, 1))) __kernel
void k(__global const float4 *restrict in, global int *out, local uchar *tmp, constant node *n,
       read_only image2d_t image, size_t n2, pipe int pi, generic float *gf) __attribute__((noinline))
{
}
__kernel __attribute__((vec_type_hint(float4))) __attribute__((work_group_size_hint(64,1,1), unused)) void k2(void);
static inline float4 helper(float4, int[], int (*)(int), float (fp)(int), const struct s *, ...);
void proto(int n, int x[static n], int y[const restrict *]);
typeof(a) t1;
__typeof__(int *) t2;
_Atomic(int) t3;
_Atomic int t4;
unsigned uint_as_name;
int typedef late;
late l;
;
