// test: run
// Calls that stay calls: pointers of every address space cross them, go into memory and come back.
// options: -cl-std=CL2.0
// kernel: shared
// global: 8
// local: 4
// arg: buffer int 1 2 3 4 5 6 7 8
// arg: buffer int 8*0
// arg: local 16
// expect 1: int 192 193 194 195 276 277 278 279
// kernel: other
// global: 2
// local: 2
// arg: buffer int 5 6
// arg: buffer int 2*0
// expect 1: int 1057 1086
#define CALLED __attribute__((noinline))

typedef struct { int a[4]; char tail; } state;
typedef struct { int *at; local int *near; } both;

CALLED void fill(int *into, int n, int from)
{
    for (int i = 0; i < n; i++)
        into[i] = from + i;
}

CALLED int *last(int *of, int n) { return of + n - 1; }

CALLED void step(state *s, const int *table)
{
    fill(s->a, 4, table[1]);
    s->tail = (char)table[2];
    *last(s->a, 4) += s->tail;
}

// A barrier within the call, and another work-item's value through local memory.
CALLED int exchange(local int *shared, int mine)
{
    size_t id = get_local_id(0);
    shared[id] = mine;
    barrier(CLK_LOCAL_MEM_FENCE);
    int theirs = shared[get_local_size(0) - 1 - id];
    barrier(CLK_LOCAL_MEM_FENCE);
    return theirs;
}

CALLED int from_memory(both *b) { return *b->at * 2 + (b->near ? *b->near : 0); }

CALLED int anywhere(int *p, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += p[i];
    p[0] = -1;
    return sum;
}

CALLED char letter(constant char *text, int i) { return text[i]; }

CALLED void narrow(uchar *bytes, ushort value) { *(ushort *)(bytes + 2) = value; }

kernel void shared(global const int *in, global int *out, local int *scratch)
{
    int table[3], me = in[get_global_id(0)];
    fill(table, 3, me);
    state s;
    step(&s, table);
    int sum = s.a[0] + s.a[1] + s.a[2] + s.a[3];
    int theirs = exchange(scratch, sum);
    local int *mine = scratch + get_local_id(0);
    *mine = theirs;
    both b = {last(table, 2), mine};
    int far = from_memory(&b);
    global int *slot = out + get_global_id(0);
    *slot = 3;
    int all = anywhere(table, 3) + anywhere((int *)mine, 1) + anywhere((int *)slot, 1);
    uchar bytes[8] __attribute__((aligned(4))) = {0};
    narrow(bytes, 0x0201);
    *slot = sum + far + all + table[0] + *mine + letter("abcdefgh", get_global_id(0)) + bytes[2] + bytes[3];
}

kernel void other(global const int *in, global int *out)
{
    int values[40];
    fill(values, 40, in[get_global_id(0)]);
    local int two[2];
    out[get_global_id(0)] = anywhere(values, 40) + values[0] + exchange(two, in[get_global_id(0)]) * 12 + *last(values, 2) + letter("xy", 1) - 121;
}
