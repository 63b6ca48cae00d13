// test: run
// Pointers to functions (clang's extension): in variables, arrays, structs and parameters, with structs as arguments and
// results, compared and converted.
// options: -cl-std=CL2.0
// kernel: pointers
// global: 4
// arg: buffer int 32*0
// arg: buffer int 0 1 2 5
// expect 0: int 13 35 12 16 3 6 8 1 7 12 21 8 2 0 8 1 30 35 21 16 2 9 8 1 30 12 21 8 2 9 8 1
#pragma OPENCL EXTENSION __cl_clang_function_pointers : enable
typedef int (*operation)(int, int);
typedef struct pair { int a, b; } pair;
typedef struct node { void (*visit)(struct node *self, int *sum); int value; } node;
int add(int a, int b) { return a + b; }
int sub(int a, int b) { return a - b; }
int mul(int a, int b) { return a * b; }
pair swap(pair p) { pair q = { p.b, p.a }; return q; }
pair same(pair p) { return p; }
void once(node *self, int *sum) { *sum += self->value; }
void twice(node *self, int *sum) { *sum += 2 * self->value; }
int apply(operation f, int a, int b) { return f(a, b); }
int with_function(int f(int, int), int a) { return (*f)(a, a); }
kernel void pointers(global int *out, global const int *in) {
    int i = get_global_id(0);
    operation operations[3] = { add, &sub, mul };
    operation f = operations[in[i] % 3];
    out[8 * i] = f(10, 3);
    out[8 * i + 1] = apply(in[i] & 1 ? add : mul, 7, 5);
    pair (*g)(pair) = in[i] ? swap : same;
    pair p = { 1, 2 };
    p = g(p);
    out[8 * i + 2] = 10 * p.a + p.b;
    node n = { in[i] & 1 ? once : twice, 4 };
    int sum = 0;
    n.visit(&n, &sum);
    (n.visit)(&n, &sum);
    out[8 * i + 3] = sum;
    out[8 * i + 4] = (f == add) + 2 * (f != 0) + 4 * !f + 8 * (g == NULL);
    out[8 * i + 5] = with_function(sub, 3) + with_function(f, 3);
    f = 0;
    out[8 * i + 6] = f ? 1 : (int)sizeof(f);
    out[8 * i + 7] = (ulong)add != (ulong)sub;
}
