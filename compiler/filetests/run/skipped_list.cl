// test: run
// A list that ends at once for all work-items: nothing behind its end is read.
// kernel: walk
// global: 4
// arg: buffer ulong 0 0 0 0 0 0 0 0
// arg: buffer int 4*0
// expect 1: int 4 4 4 4
typedef struct node { global struct node *next; ulong value; } node;

kernel void walk(global node *in, global int *out)
{
    for (int i = 0; i < 3; i++) in[i].next = in + i + 1;
    in[3].next = 0;
    int count = 0;
    for (global node *p = in; p; p = p->next) count++;
    out[get_global_id(0)] = count;
}
