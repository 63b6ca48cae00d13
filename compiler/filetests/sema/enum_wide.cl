// test: sema
enum big { A = 1, B = 8317987319222330741 };
enum neg { C = -1, D = 5 };
enum top { E = 0xffffffffffffffff };
kernel void k(global ulong *o, global enum big *b, global enum neg *n)
{
  o[0] = B + A;
  o[1] = sizeof(enum big) + sizeof(enum neg) + sizeof(enum top);
  b[1] = B;
  n[0] = C;
  o[2] = b[2] + E;
}
