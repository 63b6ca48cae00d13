// test: run
// options: -cl-std=CL3.0
// Arguments without restrict may point at the same bytes: what was stored through one is loaded through the other.

// kernel: swap
// global: 8
// local: 8
// arg: buffer uchar 0..24
// arg: alias 0 0
// expect 0: uchar 2 1 2 5 4 5 8 7 8 11 10 11 14 13 14 17 16 17 20 19 20 23 22 23
kernel void swap(global const uchar *a, global uchar *o)
{
  size_t i = get_global_id(0);
  o[3 * i] = a[3 * i + 2];
  o[3 * i + 1] = a[3 * i + 1];
  o[3 * i + 2] = a[3 * i];
}

// kernel: swap
// global: 8
// local: 8
// arg: buffer uchar 0..24
// arg: buffer uchar 24*0
// expect 1: uchar 2 1 0 5 4 3 8 7 6 11 10 9 14 13 12 17 16 15 20 19 18 23 22 21

// kernel: sums
// global: 8
// local: 8
// arg: buffer int 0..8
// arg: alias 0 0
// arg: int 4
// expect 0: int 11 27 43 59 75 91 107 123
kernel void sums(global const int *a, global int *o, int n)
{
  size_t i = get_global_id(0);
  for (int k = 0; k < n; k++)
    o[i] += a[i] + k;
}

// kernel: sums
// global: 8
// local: 8
// arg: buffer int 0..8
// arg: buffer int 8*1
// arg: int 4
// expect 1: int 7 11 15 19 23 27 31 35

// No round: nothing is loaded or stored.
// kernel: sums
// global: 8
// local: 8
// arg: buffer int 0..8
// arg: buffer int 8*1
// arg: int 0
// expect 1: int 8*1

// restrict tells that they are apart; one element is stored in some rounds only.
// kernel: last
// global: 8
// local: 8
// arg: buffer int 3 0 5 9 2 7 1 4
// arg: buffer int 8*-1
// arg: int 8
// expect 1: int -1 2 0 0 3 2 -1 1
kernel void last(global const int *restrict a, global int *restrict o, int n)
{
  int i = get_global_id(0);
  for (int k = 0; k < n; k++)
    if (a[k] % 8 == i && i > 0)
      o[i] = k % 4;
}

// Each work-item sums in its element of local memory.
// kernel: local_sums
// global: 8
// local: 8
// arg: buffer int 0..64
// arg: buffer int 8*0
// arg: int 64
// expect 1: int 224 232 240 248 256 264 272 280
kernel void local_sums(global const int *a, global int *o, int n)
{
  local int part[8];
  int t = get_local_id(0);
  part[t] = 0;
  for (int k = t; k < n; k += 8)
    part[t] += a[k];
  barrier(CLK_LOCAL_MEM_FENCE);
  o[t] = part[7 - (7 - t)];
}

// The last round's value is the only one that is stored.
// kernel: rounds
// global: 8
// local: 8
// arg: buffer int 8*-1
// arg: int 3
// arg: local 32
// expect 0: int 2 3 4 5 6 7 8 9
kernel void rounds(global int *o, int n, local int *part)
{
  int t = get_local_id(0);
  for (int k = 0; k < n; k++)
    part[t] = k + t;
  barrier(CLK_LOCAL_MEM_FENCE);
  o[t] = part[t];
}
