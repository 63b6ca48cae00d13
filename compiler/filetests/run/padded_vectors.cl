// test: run
// options: -cl-std=CL3.0
// Vectors of three bytes or shorts have padding that others do not see: their neighbours keep their values.

global uchar3 bytes[5];
global ushort3 shorts[5];

// kernel: elements
// global: 4
// local: 4
// arg: buffer uchar 0..16
// arg: buffer ushort 0..16
// arg: buffer int 32*0
// expect 2: int 0 1 2 99 1 2 3 98 4 5 6 99 5 6 7 98 8 9 10 99 9 10 11 98 12 13 14 99 13 14 15 98
kernel void elements(global const uchar3 *a, global const ushort3 *c, global int *out)
{
  size_t i = get_global_id(0);
  global uchar *behind = (global uchar *)(bytes + 4) + i;
  global ushort *after = (global ushort *)(shorts + 4) + i;
  *behind = 99;
  *after = 98;
  bytes[i] = a[i];
  shorts[i] = c[i] + (ushort3)(1);
  vstore3(convert_int3(bytes[i]), 0, out + 8 * i);
  out[8 * i + 3] = *behind;
  vstore3(convert_int3(shorts[i]), 0, out + 8 * i + 4);
  out[8 * i + 7] = *after;
}

// kernel: parts
// global: 1
// arg: buffer uchar 24*7
// arg: buffer uchar 0..24
// expect 0: uchar 0 1 2 7 6 5 4 7 7 8 9 7 9 7 7 7 12 13 14 7 7 7 7 7
kernel void parts(global uchar *to, global const uchar *from)
{
  global uchar4 *fours = (global uchar4 *)to;
  fours[0].xyz = vload3(0, from);
  vstore3((uchar3)(6, 5, 4), 0, to + 4);
  vstore3(vload3(0, from + 7), 0, to + 8);
  fours[3].x = ((global const uchar3 *)from)[2].y;
  vstore3(vload3(4, from), 0, to + 16);
}

struct pixel {
  uchar3 colour;
  uchar depth;
};

global struct pixel pixels[2];

// kernel: members
// global: 2
// local: 2
// arg: buffer uchar 0..16
// arg: buffer int 8*0
// expect 1: int 0 1 2 5 8 9 10 6
kernel void members(global const struct pixel *from, global int *out)
{
  size_t i = get_global_id(0);
  pixels[i].depth = 5 + i;
  pixels[i].colour = from[i].colour;
  vstore3(convert_int3(pixels[i].colour), 0, out + 4 * i);
  out[4 * i + 3] = pixels[i].depth;
}
