// test: emit
// options: -cl-std=CL2.0
typedef struct { int a; float3 b; } packet;

kernel void one_by_one(read_only pipe int in, write_only pipe int out, global int *n)
{
  int x;
  if (read_pipe(in, &x) == 0)
    n[0] = write_pipe(out, &x);
  n[1] = get_pipe_num_packets(in) + get_pipe_max_packets(out);
}

kernel void reserved(pipe packet in, write_only pipe packet out, global int *ok)
{
  packet p;
  reserve_id_t r = reserve_read_pipe(in, 4);
  if (is_valid_reserve_id(r)) {
    ok[0] = read_pipe(in, r, 0, &p);
    commit_read_pipe(in, r);
  }
  reserve_id_t w = CLK_NULL_RESERVE_ID;
  w = work_group_reserve_write_pipe(out, 2u);
  ok[1] = write_pipe(out, w, 1, &p);
  work_group_commit_write_pipe(out, w);
  r = sub_group_reserve_read_pipe(in, 1);
  sub_group_commit_read_pipe(in, r);
}

void helper(write_only pipe float4 p, float4 v) { write_pipe(p, &v); }
kernel void through(write_only pipe float4 p) { helper(p, (float4)(1)); }
