// test: run
// options: -cl-std=CL3.0
// needs: pipes
// Kernels get one pipe as two arguments, since a run has one kernel: two places of a ring are
// independent whoever uses them.

// kernel: order
// global: 1
// arg: buffer int 12*0
// arg: pipe 4 3
// arg: alias 1 0
// expect 0: int 3 0 0 0 0 -1 3 10 11 12 -1 0
kernel void order(global int *out, write_only pipe int to, read_only pipe int from)
{
  int x = 7;
  *out++ = get_pipe_max_packets(to);
  *out++ = get_pipe_num_packets(from);
  for (int i = 10; i < 14; ++i)
    *out++ = write_pipe(to, &i);
  *out++ = get_pipe_num_packets(to);
  for (int i = 0; i < 3; ++i)
    *out++ = read_pipe(from, &x) == 0 ? x : 99;
  *out++ = read_pipe(from, &x);
  *out++ = get_pipe_num_packets(from);
}

// Three packets fit; places go round the four slots many times.
// kernel: round_and_round
// global: 1
// arg: buffer int 0 0
// arg: pipe 16 3
// arg: alias 1 0
// expect 0: int 0 21
kernel void round_and_round(global int *out, write_only pipe int4 to, read_only pipe int4 from)
{
  int wrong = 0;
  for (int i = 0; i < 21; ++i) {
    for (int j = 0; j < 3; ++j) {
      int4 packet = (int4)(i, j, -i, i * j);
      wrong += write_pipe(to, &packet) != 0;
    }
    wrong += get_pipe_num_packets(to) != 3;
    for (int j = 0; j < 3; ++j) {
      int4 packet;
      wrong += read_pipe(from, &packet) != 0;
      wrong += any(packet != (int4)(i, j, -i, i * j));
    }
    out[1] += 1;
  }
  out[0] = wrong;
}

// A reservation that is committed late holds back those behind it.
// kernel: reservations
// global: 1
// arg: buffer int 16*99
// arg: pipe 4 4
// arg: alias 1 0
// expect 0: int 1 1 0 0 0 -1 0 0 3 -1 20 21 22 1 0 99
kernel void reservations(global int *out, write_only pipe int to, read_only pipe int from)
{
  int x = 20, y = 21, z = 22;
  reserve_id_t first = reserve_write_pipe(to, 1);
  reserve_id_t second = reserve_write_pipe(to, 2);
  *out++ = is_valid_reserve_id(first);
  *out++ = is_valid_reserve_id(second);
  *out++ = is_valid_reserve_id(reserve_write_pipe(to, 2));
  *out++ = write_pipe(to, second, 1, &z);
  *out++ = write_pipe(to, second, 0, &y);
  *out++ = write_pipe(to, second, 2, &z);
  commit_write_pipe(to, second);
  *out++ = get_pipe_num_packets(from);
  *out++ = write_pipe(to, first, 0, &x);
  commit_write_pipe(to, first);
  *out++ = get_pipe_num_packets(from);
  *out++ = is_valid_reserve_id(reserve_read_pipe(from, 4)) ? 0 : -1;
  reserve_id_t all = reserve_read_pipe(from, 3);
  for (uint i = 0; i < 3; ++i) {
    int packet = 99;
    read_pipe(from, all, i, &packet);
    *out++ = packet;
  }
  commit_read_pipe(from, all);
  // Nothing and more than all are no reservations.
  *out++ = !is_valid_reserve_id(reserve_write_pipe(to, 0)) && !is_valid_reserve_id(reserve_write_pipe(to, 5));
  *out++ = is_valid_reserve_id(CLK_NULL_RESERVE_ID);
}

// kernel: of_groups
// global: 16
// local: 8
// arg: buffer int 16*0
// arg: buffer int 4*0
// arg: pipe 4 16
// arg: alias 2 0
// expect 0: int 0..7 8..15
// expect 1: int 2 2 2 0
kernel void of_groups(global int *out, global int *valid, write_only pipe int to, read_only pipe int from)
{
  int n = get_local_id(0), x = get_global_id(0);
  reserve_id_t id = work_group_reserve_write_pipe(to, 8);
  if (is_valid_reserve_id(id)) {
    write_pipe(to, id, n, &x);
    work_group_commit_write_pipe(to, id);
    if (n == 0)
      atomic_add(&valid[0], 1);
  }
  work_group_barrier(CLK_GLOBAL_MEM_FENCE);
  // Packets are read in order, so the group that commits last reads all.
  int before = 0;
  if (n == 0) {
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device);
    before = atomic_add(&valid[2], 1);
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device);
  }
  if (work_group_broadcast(before, 0) == 0)
    return;
  for (int i = 0; i < 2; ++i) {
    id = work_group_reserve_read_pipe(from, 8);
    if (is_valid_reserve_id(id)) {
      read_pipe(from, id, n, &x);
      out[x] = x;
      work_group_commit_read_pipe(from, id);
      if (n == 0)
        atomic_add(&valid[1], 1);
    }
  }
}

// kernel: of_sub_groups
// global: 8
// local: 8
// arg: buffer int 8*0
// arg: pipe 4 32
// arg: alias 1 0
// expect 0: int 1 2 3 4 5 6 7 8
kernel void of_sub_groups(global int *out, write_only pipe int to, read_only pipe int from)
{
  int lane = get_sub_group_local_id(), count = get_sub_group_size(), x = get_global_id(0) + 1;
  reserve_id_t id = sub_group_reserve_write_pipe(to, count);
  if (is_valid_reserve_id(id)) {
    write_pipe(to, id, lane, &x);
    sub_group_commit_write_pipe(to, id);
  }
  work_group_barrier(CLK_GLOBAL_MEM_FENCE);
  id = sub_group_reserve_read_pipe(from, count);
  if (is_valid_reserve_id(id)) {
    read_pipe(from, id, lane, &x);
    out[x - 1] = x;
    sub_group_commit_read_pipe(from, id);
  }
}

// Each packet is read once, whoever comes first: sums of numbers and of successes.
// kernel: contention
// global: 256
// local: 32
// arg: buffer uint 4*0
// arg: pipe 8 100
// arg: alias 1 0
// expect 0: uint ? ? 1 ?
typedef struct { uint a; ushort b; } pair;
kernel void contention(global uint *out, write_only pipe pair to, read_only pipe pair from)
{
  uint n = get_global_id(0) + 1;
  pair p = {n, (ushort)(n * 3)};
  if (write_pipe(to, &p) == 0) {
    atomic_add(&out[0], n);
    atomic_add(&out[3], 0x10000);
  }
  work_group_barrier(CLK_GLOBAL_MEM_FENCE);
  if (read_pipe(from, &p) == 0) {
    atomic_sub(&out[0], p.a);
    atomic_add(&out[3], p.b == (ushort)(p.a * 3) ? 1 : 0x8000);
  }
  // The group that ends last finds as many packets written as read or still there.
  work_group_barrier(CLK_GLOBAL_MEM_FENCE);
  if (get_local_id(0) == 0 && atomic_inc(&out[1]) == get_num_groups(0) - 1) {
    uint left = 0;
    while (read_pipe(from, &p) == 0) {
      atomic_sub(&out[0], p.a);
      ++left;
    }
    uint counts = atomic_add(&out[3], 0);
    out[2] = atomic_add(&out[0], 0) == 0 && counts >> 16 == (counts & 0x7fff) + left;
  }
}

// Packets of another size than the pipe's are neither read nor written.
// kernel: other_size
// global: 1
// arg: buffer int 9 9
// arg: pipe 4 2
// expect 0: int -1 0
kernel void other_size(global int *out, write_only pipe long to)
{
  long x = 1;
  out[0] = write_pipe(to, &x);
  out[1] = get_pipe_num_packets(to);
}

static int helper(write_only pipe char3 to, char3 v) { return write_pipe(to, &v); }

// kernel: by_function
// global: 1
// arg: buffer char 8*0
// arg: pipe 4 2
// arg: alias 1 0
// expect 0: char 1 2 3 ? 4 5 6 ?
kernel void by_function(global char3 *out, write_only pipe char3 to, read_only pipe char3 from)
{
  helper(to, (char3)(1, 2, 3));
  helper(to, (char3)(4, 5, 6));
  read_pipe(from, &out[0]);
  read_pipe(from, &out[1]);
}
