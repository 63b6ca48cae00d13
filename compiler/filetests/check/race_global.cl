// test: check
// options: -pumice-check=all -cl-kernel-arg-info
// Data races in global memory. Each kernel has a corrected twin.

kernel void counter(global const int *in, global int *out)
{
    out[0] += in[get_global_id(0)];
}

kernel void counter_right(global const int *in, global int *out)
{
    atomic_add(&out[0], in[get_global_id(0)]);
}

kernel void moved(global int *data)
{
    int i = get_global_id(0);
    data[i] = data[i + 1];
}

kernel void moved_right(global const int *from, global int *to)
{
    int i = get_global_id(0);
    to[i] = from[i + 1];
}

kernel void collide(global int *out)
{
    int i = get_global_id(0);
    out[i / 2] = i;
}

// Both write one value.
kernel void collide_right(global int *out)
{
    int i = get_global_id(0);
    out[i / 2] = i / 2;
}

kernel void best(global const int *in, global int *out)
{
    int i = get_global_id(0);
    if (in[i] > *out)
        *out = in[i];
}

kernel void best_right(global const int *in, global int *out)
{
    atomic_max(out, in[get_global_id(0)]);
}

kernel void exchanged(global int *scratch, global int *out)
{
    int i = get_local_id(0);
    scratch[i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = scratch[3 - i] & 0;
}

kernel void exchanged_right(global int *scratch, global int *out)
{
    int i = get_local_id(0);
    scratch[i] = i;
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[i] = scratch[3 - i];
}

// A barrier orders the work-items of a group only.
kernel void other_group(global int *scratch, global int *out)
{
    int i = get_global_id(0);
    scratch[i] = i;
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[i] = scratch[i ^ 2] & 0;
}

kernel void overlap(global float *out)
{
    int i = get_global_id(0);
    vstore4((float4)(i + 1), 0, out + i * 3);
}

kernel void overlap_right(global float *out)
{
    int i = get_global_id(0);
    vstore4((float4)(i + 1), 0, out + i * 4);
}

kernel void collide_bytes(global uchar *out)
{
    int i = get_global_id(0);
    out[i / 2] = i;
}

// Neighbours in one word.
kernel void collide_bytes_right(global uchar *out, global ushort *shorts)
{
    int i = get_global_id(0);
    out[i] = i;
    shorts[i] = i;
}

// A word is read of which another work-item writes a byte.
kernel void torn(global uchar *data, global int *out)
{
    int i = get_global_id(0);
    if (i == 0)
        data[6] = 1;
    else
        out[i] = ((global int *)data)[1] & 0;
}

kernel void torn_right(global uchar *data, global int *out)
{
    int i = get_global_id(0);
    if (i == 0)
        data[6] = 1;
    else
        out[i] = ((global int *)data)[0];
}

kernel void long_vectors(global long4 *data)
{
    int i = get_global_id(0);
    data[i / 2] = (long4)(1, 2, 3, i);
}

kernel void long_vectors_right(global long4 *data)
{
    int i = get_global_id(0);
    data[i / 2] = (long4)(1, 2, 3, i / 2);
    data[2 + i] = data[2 + i] + 1;
}

// Whatever is read before a barrier of any kind is not what is written behind it.
kernel void swapped_right(global int *data)
{
    int i = get_local_id(0);
    int other = data[3 - i];
    barrier(CLK_LOCAL_MEM_FENCE);
    data[i] = other;
}

// The write is not seen behind the second barrier.
kernel void swapped(global int *data, global int *out)
{
    int i = get_local_id(0);
    int other = data[3 - i];
    barrier(CLK_LOCAL_MEM_FENCE);
    data[i] = other;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = data[3 - i] & 0;
}

// A mark stands for sixteen bytes where no access has fewer.
kernel void rows(global float4 *data)
{
    int i = get_global_id(0);
    data[i] = data[(i + 1) & 3] + 1.0f;
}

kernel void rows_right(global const float4 *from, global float8 *to)
{
    int i = get_global_id(0);
    to[i] = (float8)(from[i], from[i + 1]);
    to[4] = (float8)(1.0f);
}

kernel void unequal_rows(global int4 *out)
{
    out[1] = (int4)(1, 2, 3, (int)get_global_id(0));
}

// A part of a row that another work-item writes.
kernel void of_row(global float4 *data, global float *out)
{
    int i = get_global_id(0);
    data[i] = (float4)(i);
    out[i] = ((global float *)data)[6] * 0.0f;
}

// kernel: counter
// global: 4
// local: 2
// arg: buffer int 1 2 3 4
// arg: buffer int 0
// expect 1: int ?
// expect fault: <source>:7:
// expect fault: error: data race:
// expect fault: of 4 bytes at byte 0 of 'out'
// expect fault: nothing orders the two

// kernel: counter_right
// global: 4
// local: 2
// arg: buffer int 1 2 3 4
// arg: buffer int 0
// expect 1: int 10

// kernel: moved
// global: 4
// local: 4
// arg: buffer int 1 2 3 4 5
// expect 0: int ? ? ? ? 5
// expect fault: <source>:18:
// expect fault: error: data race:
// expect fault: of 4 bytes at byte ? of 'data'

// kernel: moved_right
// global: 4
// local: 4
// arg: buffer int 1 2 3 4 5
// arg: buffer int 4*0
// expect 1: int 2 3 4 5

// kernel: collide
// global: 4
// local: 1
// arg: buffer int 0 0
// expect 0: int ? ?
// expect fault: <source>:30:5: error: data race: write of 4 bytes at byte ? of 'out'
// expect fault: note: work-item ? wrote there, and nothing orders the two
// expect fault: kernel 'collide': 2 faults at 1 place

// kernel: collide_right
// global: 4
// local: 1
// arg: buffer int 0 0
// expect 0: int 0 1

// kernel: best
// global: 4
// local: 4
// arg: buffer int 1 2 3 4
// arg: buffer int 0
// expect 1: int ?
// expect fault: error: data race:
// expect fault: of 4 bytes at byte 0 of 'out'

// kernel: best_right
// global: 4
// local: 4
// arg: buffer int 1 2 3 4
// arg: buffer int 0
// expect 1: int 4

// kernel: exchanged
// global: 4
// local: 4
// arg: buffer int 4*0
// arg: buffer int 4*9
// expect 1: int 0 0 0 0
// expect fault: <source>:57:14: error: data race: read of 4 bytes at byte ? of 'scratch'

// kernel: exchanged_right
// global: 4
// local: 4
// arg: buffer int 4*0
// arg: buffer int 4*9
// expect 1: int 3 2 1 0

// kernel: swapped_right
// global: 4
// local: 4
// arg: buffer int 1 2 3 4
// expect 0: int 4 3 2 1

// kernel: swapped
// global: 4
// local: 4
// arg: buffer int 1 2 3 4
// arg: buffer int 4*9
// expect 1: int 0 0 0 0
// expect fault: data race: read of 4 bytes at byte ? of 'data'

// kernel: other_group
// global: 4
// local: 2
// arg: buffer int 4*0
// arg: buffer int 4*9
// expect 1: int 0 0 0 0
// expect fault: error: data race:
// expect fault: of 4 bytes at byte ? of 'scratch'

// kernel: overlap
// global: 2
// local: 1
// arg: buffer float 8*0
// expect 0: float 1 1 1 ? 2 2 2 0
// expect fault: error: data race: write of
// expect fault: of 'out'

// kernel: overlap_right
// global: 2
// local: 1
// arg: buffer float 8*0
// expect 0: float 1 1 1 1 2 2 2 2

// kernel: collide_bytes
// global: 4
// local: 2
// arg: buffer uchar 0 0
// expect 0: uchar ? ?
// expect fault: <source>:92:5: error: data race: write of 1 byte at byte ? of 'out'
// expect fault: kernel 'collide_bytes': 2 faults at 1 place

// kernel: collide_bytes_right
// global: 6
// local: 2
// arg: buffer uchar 6*0
// arg: buffer ushort 6*0
// expect 0: uchar 0 1 2 3 4 5
// expect 1: ushort 0 1 2 3 4 5

// kernel: torn
// global: 2
// local: 1
// arg: buffer uchar 8*0
// arg: buffer int 9 9
// expect 1: int 9 0
// expect fault: error: data race:
// expect fault: of 'data'

// kernel: torn_right
// global: 2
// local: 1
// arg: buffer uchar 8*0
// arg: buffer int 9 9
// expect 0: uchar 6*0 1 0
// expect 1: int 9 0

// kernel: long_vectors
// global: 4
// local: 4
// arg: buffer long 8*0
// expect 0: long 1 2 3 ? 1 2 3 ?
// expect fault: error: data race: write of 32 bytes at byte ? of 'data'
// expect fault: kernel 'long_vectors': 2 faults at 1 place

// kernel: long_vectors_right
// global: 4
// local: 4
// arg: buffer long 24*0
// expect 0: long 1 2 3 0 1 2 3 1 16*1

// kernel: rows
// global: 4
// local: 4
// arg: buffer float 16*0
// expect 0: float 16*?
// expect fault: data race:

// kernel: rows_right
// global: 4
// local: 2
// arg: buffer float 4*1 4*2 4*3 4*4 4*5
// arg: buffer float 40*0
// expect 1: float 4*1 8*2 8*3 8*4 4*5 8*1

// kernel: unequal_rows
// global: 2
// local: 2
// arg: buffer int 8*0
// expect 0: int 4*0 1 2 3 ?
// expect fault: data race: write of 16 bytes at byte 16 of 'out'

// kernel: of_row
// global: 2
// local: 2
// arg: buffer float 8*0
// arg: buffer float 2*9
// expect 0: float 4*0 4*1
// expect 1: float 0 0
// expect fault: data race:
