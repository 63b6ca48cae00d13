// test: parse
struct { };
void g() { y = '' + 'ab' + "\xfff"; }
int short float k;
kernel void unclosed() {
  if (1) {
