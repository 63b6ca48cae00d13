// test: run
// Functions that call themselves, as long as no kernel gets to them.
int down(int n) { return n ? down(n - 1) : 0; }
int pong(int n);
int ping(int n) { return n ? pong(n - 1) : 0; }
int pong(int n) { return ping(n) + down(n); }
int plain(int n) { return n + 1; }

// kernel: k
// global: 1
// arg: buffer int 4
// expect 0: int 5
kernel void k(global int *p) { *p = plain(*p); }
