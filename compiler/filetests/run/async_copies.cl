// test: run
// options: -cl-std=CL3.0
// Copies of lines and planes: elements of any size, with gaps on both sides.

// kernel: lines_in
// global: 8
// local: 8
// arg: buffer int 0..29
// arg: buffer int 16*-1
// arg: local 64
// expect 1: int -1 7 8 9 -1 13 14 15 -1 19 20 21 -1 -1 -1 -1
kernel void lines_in(global int *in, global int *out, local int *room)
{
  int n = get_local_id(0);
  room[n] = room[n + 8] = -1;
  barrier(CLK_LOCAL_MEM_FENCE);
  event_t event = async_work_group_copy_2D2D(room, 1, in, 7, sizeof(int), 3, 3, 6, 4, 0);
  wait_group_events(1, &event);
  out[n] = room[n];
  out[n + 8] = room[n + 8];
}

// kernel: lines_out
// global: 4
// local: 4
// arg: buffer uchar 12*9
// arg: local 12
// expect 0: uchar 9 0 1 2 3 9 9 4 5 6 7 9
kernel void lines_out(global uchar *out, local uchar *room)
{
  int n = get_local_id(0);
  room[n] = n;
  room[n + 4] = n + 4;
  barrier(CLK_LOCAL_MEM_FENCE);
  event_t event = async_work_group_copy_2D2D(out + 1, 0, room, 0, 2, 2, 2, 2, 3, 0);
  wait_group_events(1, &event);
}

// kernel: planes
// global: 16
// local: 16
// arg: buffer short 0..31
// arg: buffer short 32*-1
// arg: local 64
// expect 1: short 0 1 4 5 8 9 -1 16 17 20 21 24 25 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1
kernel void planes(global short *in, global short *out, local short *room)
{
  int n = get_local_id(0);
  room[n] = room[n + 16] = -1;
  barrier(CLK_LOCAL_MEM_FENCE);
  event_t event = async_work_group_copy_3D3D(room, 0, in, 0, sizeof(short), 2, 3, 2, 4, 16, 2, 7, 0);
  wait_group_events(1, &event);
  event = async_work_group_copy_3D3D(out, 0, room, 0, 1, 7, 2, 2, 7, 14, 7, 14, event);
  wait_group_events(1, &event);
}

// A copy out of local memory that a copy before it has filled: the fence stands between.
// kernel: fenced
// global: 8
// local: 8
// arg: buffer int 0..7
// arg: buffer int 8*-1
// arg: local 32
// expect 1: int 7 6 5 4 3 2 1 0
kernel void fenced(global int *in, global int *out, local int *room)
{
  event_t event = 0;
  for (int i = 0; i < 8; ++i)
    event = async_work_group_copy(room + i, (const global int *)in + 7 - i, 1, event);
  async_work_group_copy_fence(CLK_LOCAL_MEM_FENCE);
  event = async_work_group_copy(out, (const local int *)room, 8, event);
  wait_group_events(1, &event);
}
