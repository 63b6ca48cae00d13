// test: sema
#define SQUARE(x) ((x) * (x))
#define LOAD(p, i) SQUARE(p[i].value)
struct s { int val; };
kernel void k(global struct s *p, global int *o)
{
  o[0] = LOAD(p, 1);
  o[1] = SQUARE(undeclared_name);
}
