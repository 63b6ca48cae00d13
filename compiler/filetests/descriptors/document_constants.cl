// test: descriptors
// options: -module-constants-in-storage-buffer
// "Module scope constants". The document's line for the argument i lacks its size.

typedef struct {
  char c;
  uint a;
  float f;
} Foo;
__constant Foo ppp[3] = {{'a', 0x1234abcd, 1.0}, {'b', 0xffffffff, 1.5}, {0}};

kernel void foo(global uint* A, uint i) { *A = ppp[i].a; }
