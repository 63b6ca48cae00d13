// test: sema
struct point { float x, y; };
int counter;
kernel void k(global float *out, struct point p, float4 v)
{
  int index = get_global_id(0);
  out[idx] = 1.0f;
  out[indx] = p.z;
  out[0] = v.xq + v.s4 + v.lo;
  out[1] = sinn(v.x);
  out[2] = get_global_id();
  out[3] = dot(v, p);
  p->x = 1;
  goto nowhere;
}
