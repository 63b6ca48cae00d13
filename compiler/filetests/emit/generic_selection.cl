// test: emit
// options: -cl-std=CL3.0
// _Generic, and compound literals at program scope.
#define KIND(x) _Generic((x), int: 1, uint: 2, float: 3, float4: 4, global int *: 5, default: 6)
typedef struct { int a; float2 b; } pair;

constant int *constant primes = (constant int[]){2, 3, 5, 7};
constant pair first = (pair){1, (float2)(2, 3)};
constant int second = ((int[]){4, 5})[1];
global int counter = 7;

kernel void kinds(global int *out, const float4 v)
{
  int array[3] = {1, 2, 3};
  const float c = 1;
  out[0] = KIND(1) + 10 * KIND(1u) + 100 * KIND(c) + 1000 * KIND(v) + 10000 * KIND(out);
  out[1] = KIND(array) + KIND(1.0);
  _Generic(out[2], int: out)[2] = primes[out[3]] + first.a + second + counter++;
}

#if !__has_builtin(__builtin_assume) || !__has_builtin(__builtin_astype) || !__has_builtin(__builtin_umulll_overflow) || !__has_builtin(__builtin_convertvector) || !__has_builtin(__builtin_addcs) || __has_builtin(__builtin_addcx) || __has_builtin(__builtin_sadd) || __has_builtin(nothing)
#error __has_builtin
#endif
kernel void hints(global int *p, int n)
{
  __builtin_assume(n > 0);
  if (__builtin_expect(n, 1))
    *p = n + L'a' + L'\n';
  else
    __builtin_unreachable();
}
