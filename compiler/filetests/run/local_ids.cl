// test: run
// Local ids and all that depends on them, for groups whose rows hold whole sub-groups, parts of
// them or several, and for remainders: each work-item counts its cell if its numbers fit together.
// options: -cl-std=CL3.0
// kernel: count
// global: 64
// local: 8
// arg: buffer int 64*0
// expect 0: int 64*1
// kernel: count
// global: 36
// local: 12
// arg: buffer int 36*0
// expect 0: int 36*1
// kernel: count
// global: 21 10
// local: 3 5
// arg: buffer int 210*0
// expect 0: int 210*1
// kernel: count
// global: 8 4 6
// local: 4 2 3
// arg: buffer int 192*0
// expect 0: int 192*1
// kernel: count
// global: 32 32
// local: 16 16
// arg: buffer int 1024*0
// expect 0: int 1024*1
// kernel: count
// global: 14 6 4
// local: 7 3 2
// arg: buffer int 336*0
// expect 0: int 336*1
// kernel: count
// global: 2 16
// local: 1 8
// arg: buffer int 32*0
// expect 0: int 32*1
// kernel: count
// global: 48 4
// local: 24 2
// arg: buffer int 192*0
// expect 0: int 192*1
// kernel: count
// global: 2 2 18
// local: 1 1 9
// arg: buffer int 72*0
// expect 0: int 72*1
// kernel: count
// global: 16 8 4
// local: 8 2 2
// arg: buffer int 512*0
// expect 0: int 512*1
// kernel: count
// global: 23 7
// local: 8 4
// arg: buffer int 161*0
// expect 0: int 161*1
// kernel: count
// global: 13 5 3
// local: 4 2 2
// arg: buffer int 195*0
// expect 0: int 195*1
// kernel: count
// global: 24 3 3
// local: 8 3 1
// arg: buffer int 216*0
// expect 0: int 216*1
kernel void count(global int *cells)
{
    size_t at = 0, size = 1, inside = 0, items = 1;
    bool fits = true;
    for (uint d = 0; d < get_work_dim(); ++d) {
        size_t id = get_global_id(d) - get_global_offset(d);
        fits &= id == get_group_id(d) * get_enqueued_local_size(d) + get_local_id(d);
        fits &= get_local_id(d) < get_local_size(d);
        at += id * size;
        size *= get_global_size(d);
        inside += get_local_id(d) * items;
        items *= get_local_size(d);
    }
    fits &= inside == get_local_linear_id() && at == get_global_linear_id();
    if (fits)
        atomic_inc(&cells[at]);
}
