// test: run
// Several hundred accesses of a private array at unknown places, where some work-items leave at once and the last group is not full.
// Kernels of so many begin with a barrier on some drivers.
// kernel: mixed
// global: 11
// local: 4
// arg: buffer int 11*-1
// arg: int 3
// expect 0: int 5918561 204558677 -1535633627 -1 5918561 204558677 -1535633627 -2143709353 5918561 204558677 -1535633627
#define ROUND(k) a[j] = a[(j + (k)) & 15] * 3 + (k); j = (j * 5 + (k)) & 15;
#define ROUNDS_4(k) ROUND(k) ROUND(k + 1) ROUND(k + 2) ROUND(k + 3)
#define ROUNDS_16(k) ROUNDS_4(k) ROUNDS_4(k + 4) ROUNDS_4(k + 8) ROUNDS_4(k + 12)
#define ROUNDS_64(k) ROUNDS_16(k) ROUNDS_16(k + 16) ROUNDS_16(k + 32) ROUNDS_16(k + 48)

kernel void mixed(global int *out, int left)
{
    int id = get_global_id(0);
    if (id == left)
        return;
    int a[16];
    for (int i = 0; i < 16; i++)
        a[(i + id) & 15] = i * left;
    int j = id & 15;
    ROUNDS_64(0)
    ROUNDS_64(64)
    ROUNDS_64(128)
    out[id] = a[j] ^ a[(j + 7) & 15];
}
