// test: emit
// options: -cl-std=CL3.0
kernel void lines(global float *to, local float *room, const global float *from)
{
  event_t e = async_work_group_copy_2D2D(room, 1, from, 2, sizeof(float), 3, 4, 5, 6, 0);
  e = async_work_group_copy_3D3D(to, 1, room, 2, sizeof(float), 3, 4, 5, 6, 7, 8, 9, e);
  async_work_group_copy_fence(CLK_LOCAL_MEM_FENCE);
  wait_group_events(1, &e);
}
