// test: emit
// options: -cl-std=CL3.0
kernel void vectors(global char4 *s, global uchar4 *u, global int *i, global uint *n)
{
  n[0] = dot(u[0], u[1]) + dot_acc_sat(u[0], u[1], n[1]);
  i[0] = dot(s[0], s[1]) + dot_acc_sat(s[0], s[1], i[1]);
  i[1] = dot(s[0], u[1]) + dot_acc_sat(s[0], u[1], i[1]);
  i[2] = dot(u[0], s[1]) + dot_acc_sat(u[0], s[1], i[1]);
}
kernel void packed(global uint *u, global int *i)
{
  u[0] = dot_4x8packed_uu_uint(u[0], u[1]) + dot_acc_sat_4x8packed_uu_uint(u[0], u[1], u[2]);
  i[0] = dot_4x8packed_ss_int(u[0], u[1]) + dot_acc_sat_4x8packed_ss_int(u[0], u[1], i[2]);
  i[1] = dot_4x8packed_us_int(u[0], u[1]) + dot_acc_sat_4x8packed_us_int(u[0], u[1], i[2]);
  i[2] = dot_4x8packed_su_int(u[0], u[1]) + dot_acc_sat_4x8packed_su_int(u[0], u[1], i[2]);
}
kernel void arm(global char4 *s, global ushort2 *w, global int *i, global uint *n)
{
  i[0] = arm_dot(s[0], s[1]) + arm_dot_acc(s[0], s[1], i[1]) + arm_dot_acc_sat(s[0], s[1], i[2]);
  n[0] = arm_dot_acc(w[0], w[1], n[1]);
}
