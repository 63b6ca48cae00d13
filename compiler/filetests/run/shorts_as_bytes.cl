// test: run
// Shorts in local and private memory that bytes of are read and written too.

// kernel: in_local
// global: 4
// local: 4
// arg: buffer uint 4*0
// arg: local 16
// expect 0: uint 0x12fe 0x12fd 0x12fc 0x12fb
kernel void in_local(global uint *out, local short *room)
{
  int n = get_local_id(0);
  room[n] = -2 - n;
  barrier(CLK_LOCAL_MEM_FENCE);
  local uchar *bytes = (local uchar *)room;
  if (bytes[2 * n + 1] == 255)
    bytes[2 * n + 1] = 0x12;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[n] = (ushort)room[n];
}

// kernel: in_private
// global: 4
// local: 4
// arg: buffer uint 4*0
// expect 0: uint 0x12fe 0x12fd 0x12fc 0x12fb
kernel void in_private(global uint *out)
{
  int n = get_local_id(0);
  short room[8];
  for (int i = 0; i < 8; i++)
    room[i] = -2 - i;
  uchar *bytes = (uchar *)room;
  if (bytes[2 * n + 1] == 255)
    bytes[2 * n + 1] = 0x12;
  out[n] = (ushort)room[n];
}
