// test: check
// options: -pumice-check=all -cl-kernel-arg-info
// Reads of private and local memory that nothing wrote.

kernel void scalar(global int *out, int n)
{
    int x;
    if (n > 5)
        x = 1;
    out[0] = x;
}

kernel void sum(global const int *in, global int *out, int n)
{
    int total;
    for (int i = 0; i < n; ++i)
        total += in[i];
    out[0] = n;
}

kernel void places(global int *out)
{
    int a[4];
    a[0] = 1;
    a[2] = 2;
    out[0] = 5 + (a[1] & 0);
}

kernel void histogram(global const int *in, global int *out)
{
    int bins[4];
    bins[0] = bins[1] = 0;
    for (int i = 0; i < 3; ++i)
        bins[in[i]] = 1 + (bins[in[i]] & 1);
    out[0] = bins[in[0]];
}

struct pair {
    char tag;
    int value;
};

kernel void member(global int *out)
{
    struct pair p;
    p.tag = 3;
    out[0] = p.tag + (p.value & 0);
}

kernel void vector(global float *out, int n)
{
    float4 v;
    if (n)
        v = (float4)(2.0f);
    out[0] = n ? v.y : 1.0f;
    out[1] = v.x > 7.0f ? 5.0f : 5.0f;
}

kernel void tile(global int *out)
{
    local int t[4];
    int i = get_local_id(0);
    if (i != 2)
        t[i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = (t[3 - i] & 0) + i;
}

kernel void counter(global int *out)
{
    local int count;
    atomic_or(&count, 0);
    out[get_local_id(0)] = 1;
}

kernel void given(global int *out, local int *tile, local int4 *wide)
{
    int i = get_local_id(0);
    if (i != 1)
        tile[i] = i;
    wide[i] = (int4)(i);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = (tile[3 - i] & 0) + wide[3 - i].x;
}

kernel void sum_given(global int *out, local int *sums)
{
    atomic_add(&sums[get_local_id(0) & 1], 1);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_local_id(0)] = 1;
}

kernel void byte_given(global int *out, local char *bytes)
{
    int i = get_local_id(0);
    bytes[i * 3] = i;
    bytes[i * 3 + 1] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = ((local char4 *)bytes)[0].z & 0;
}

void both(int *one, int *other)
{
    *one = 1;
    *other = 2;
}

kernel void silent(global const int *in, global struct pair *pairs, global int *out, int n)
{
    int a, b, c, all[8];
    both(&a, &b);
    for (int i = 0; i < 8; ++i)
        all[i] = i;
    switch (n) {
    case 0: c = 1; break;
    default: c = in[0]; break;
    }
    float4 v;
    v.x = 1.0f, v.y = 2.0f, v.zw = (float2)(3.0f, 4.0f);
    struct pair p, q;
    p.tag = 1, p.value = 2;
    q = p;
    pairs[0] = q;
    int3 w = (int3)(1, 2, 3), u;
    u.xy = w.zx;
    u.z = 4;
    out[0] = a + b + c + all[in[1]] + (int)(v.x + v.y + v.z + v.w) + q.value + u.x + u.y + u.z;
}

kernel void silent_local(global const int *in, global int *out, local int *given)
{
    local int tile[10], flag;
    local struct pair pairs[2];
    int i = get_local_id(0);
    atomic_xchg(&given[i + 2], 5);
    if (i == 0) {
        flag = 5;
        pairs[1].tag = 1;
        pairs[1].value = 2;
    }
    for (int k = i; k < 10; k += 2)
        tile[k] = in[0] + k;
    given[i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&flag, tile[9 - i]);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = flag + given[1 - i] + pairs[1].value + given[3 - i];
}

// What lies behind the first 1,024 bytes is not followed; what is copied from elsewhere counts as written.
kernel void silent_given(global const struct pair *in, global const int *more, global int *out,
                         local struct pair *pairs, local int *many)
{
    int i = get_local_id(0);
    pairs[i] = in[i];
    many[i + 300] = 7;
    event_t done = async_work_group_copy(many, more, 2, 0);
    wait_group_events(1, &done);
    barrier(CLK_LOCAL_MEM_FENCE);
    struct pair one = pairs[1 - i];
    pairs[2 + i] = pairs[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = one.value + pairs[3 - i].tag + many[i] + many[301 - i];
}

// Asynchronous copies take the unused fourth element of vectors of three along.
kernel void silent_threes(global int3 *out, global int3 *from, local int3 *given)
{
    local int3 tile[2];
    int i = get_local_id(0);
    tile[i] = (int3)(i, 1, 2);
    given[i] = (int3)(i, 3, 4);
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t done = async_work_group_copy(out, tile, 2, 0);
    done = async_work_group_copy(from, given, 2, done);
    wait_group_events(1, &done);
}

kernel void threes(global int3 *out)
{
    local int3 tile[2];
    if (get_local_id(0) == 0)
        tile[0] = (int3)(5, 1, 2);
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t done = async_work_group_copy(out, tile, 2, 0);
    wait_group_events(1, &done);
}

// kernel: scalar
// global: 1
// arg: buffer int 9
// arg: int 1
// expect 0: int ?
// expect report: <source>:10:5: error: read of 4 bytes of a private variable that nothing wrote
// expect report: out[0] = x;
// expect report: ^
// expect report: note: by work-item 0 of kernel 'scalar': number 0 of work-group 0
// expect report: kernel 'scalar': 1 fault at 1 place

// kernel: sum
// global: 1
// arg: buffer int 1 2
// arg: buffer int 9
// arg: int 2
// expect 1: int 2
// expect report: <source>:17:9: error: read of 4 bytes of a private variable that nothing wrote
// expect report: total += in[i];
// expect report: ^
// expect report: note: by work-item 0 of kernel 'sum': number 0 of work-group 0
// expect report: kernel 'sum': 1 fault at 1 place

// kernel: places
// global: 1
// arg: buffer int 9
// expect 0: int 5
// expect report: <source>:26:19: error: read of 4 bytes of a private variable that nothing wrote
// expect report: out[0] = 5 + (a[1] & 0);
// expect report: ^
// expect report: note: by work-item 0 of kernel 'places': number 0 of work-group 0
// expect report: kernel 'places': 1 fault at 1 place

// kernel: histogram
// global: 1
// arg: buffer int 0 1 3
// arg: buffer int 9
// expect 1: int 1
// expect report: <source>:34:28: error: read of 4 bytes of a private variable that nothing wrote
// expect report: bins[in[i]] = 1 + (bins[in[i]] & 1);
// expect report: ^
// expect report: note: by work-item 0 of kernel 'histogram': number 0 of work-group 0
// expect report: kernel 'histogram': 1 fault at 1 place

// kernel: member
// global: 1
// arg: buffer int 9
// expect 0: int 3
// expect report: <source>:47:23: error: read of 4 bytes of a private variable that nothing wrote
// expect report: out[0] = p.tag + (p.value & 0);
// expect report: ^
// expect report: note: by work-item 0 of kernel 'member': number 0 of work-group 0
// expect report: kernel 'member': 1 fault at 1 place

// kernel: vector
// global: 1
// arg: buffer float 9 9
// arg: int 0
// expect 0: float 1 5
// expect report: <source>:56:14: error: read of 16 bytes of a private variable that nothing wrote
// expect report: out[1] = v.x > 7.0f ? 5.0f : 5.0f;
// expect report: ^
// expect report: note: by work-item 0 of kernel 'vector': number 0 of work-group 0
// expect report: kernel 'vector': 1 fault at 1 place

// kernel: tile
// global: 4
// local: 4
// arg: buffer int 4*9
// expect 0: int 0 1 2 3
// expect report: <source>:66:15: error: read of 4 bytes of 'tile.t' that nothing wrote
// expect report: out[i] = (t[3 - i] & 0) + i;
// expect report: ^
// expect report: note: by work-item 1 of kernel 'tile': number 1 of work-group 0
// expect report: kernel 'tile': 1 fault at 1 place

// kernel: counter
// global: 1
// arg: buffer int 9
// expect 0: int 1
// expect report: <source>:72:5: error: read of 4 bytes of 'counter.count' that nothing wrote
// expect report: atomic_or(&count, 0);
// expect report: ^
// expect report: note: by work-item 0 of kernel 'counter': number 0 of work-group 0
// expect report: kernel 'counter': 1 fault at 1 place

// kernel: given
// global: 4
// local: 4
// arg: buffer int 4*9
// arg: local 16
// arg: local 64
// expect 0: int 3 2 1 0
// expect report: <source>:83:15: error: read of 4 bytes at byte 4 of 'tile' that nothing wrote
// expect report: out[i] = (tile[3 - i] & 0) + wide[3 - i].x;
// expect report: ^
// expect report: note: by work-item 2 of kernel 'given': number 2 of work-group 0
// expect report: note: argument 1 'tile' is local memory of 16 bytes
// expect report: kernel 'given': 1 fault at 1 place

// kernel: sum_given
// global: 1
// arg: buffer int 9
// arg: local 8
// expect 0: int 1
// expect report: <source>:88:22: error: read of 4 bytes at byte 0 of 'sums' that nothing wrote
// expect report: atomic_add(&sums[get_local_id(0) & 1], 1);
// expect report: ^
// expect report: note: by work-item 0 of kernel 'sum_given': number 0 of work-group 0
// expect report: note: argument 1 'sums' is local memory of 8 bytes
// expect report: kernel 'sum_given': 1 fault at 1 place

// kernel: byte_given
// global: 1
// arg: buffer int 9
// arg: local 8
// expect 0: int 0
// expect report: <source>:99:14: error: read of 4 bytes at byte 0 of 'bytes' that nothing wrote
// expect report: out[i] = ((local char4 *)bytes)[0].z & 0;
// expect report: ^
// expect report: note: by work-item 0 of kernel 'byte_given': number 0 of work-group 0
// expect report: note: argument 1 'bytes' is local memory of 8 bytes
// expect report: kernel 'byte_given': 1 fault at 1 place

// kernel: silent
// global: 1
// arg: buffer int 5 3
// arg: buffer int 9 9
// arg: buffer int 0
// arg: int 1
// expect 2: int 31

// kernel: silent_local
// global: 2
// local: 2
// arg: buffer int 1
// arg: buffer int 0 0
// arg: local 16
// expect 1: int 32 31

// kernel: silent_given
// global: 2
// local: 2
// arg: buffer int 1 2 3 4
// arg: buffer int 10 20
// arg: buffer int 0 0
// arg: local 32
// arg: local 1208
// expect 2: int 24 30

// kernel: silent_threes
// global: 2
// local: 2
// arg: buffer int 8*9
// arg: buffer int 8*9
// arg: local 32
// expect 0: int 0 1 2 ? 1 1 2 ?
// expect 1: int 0 3 4 ? 1 3 4 ?

// kernel: threes
// global: 1
// arg: buffer int 8*9
// expect 0: int 5 1 2 5*?
// expect report: <source>:185:20: error: read of 16 bytes of 'threes.tile' that nothing wrote
// expect report: event_t done = async_work_group_copy(out, tile, 2, 0);
// expect report: ^
// expect report: note: by work-item 0 of kernel 'threes': number 0 of work-group 0
// expect report: kernel 'threes': 1 fault at 1 place
