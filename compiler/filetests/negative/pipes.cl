// test: negative
//// [--device=full -cl-std=CL3.0] reading from the end that is written
void f(write_only pipe int p, int *x) { read_pipe(p, x); }

//// [--device=full -cl-std=CL3.0] writing to the end that is read
void f(read_only pipe int p, int *x) { write_pipe(p, x); }

//// [--device=full -cl-std=CL3.0] packets of another type
void f(read_only pipe int p, float *x) { read_pipe(p, x); }

//// [--device=full -cl-std=CL3.0] reading into what is constant
void f(read_only pipe int p, const int *x) { read_pipe(p, x); }

//// [--device=full -cl-std=CL3.0] something else than a pipe
void f(int p, int *x) { read_pipe(p, x); }

//// [--device=full -cl-std=CL3.0] three arguments
void f(read_only pipe int p, int *x) { read_pipe(p, 1, x); }

//// [--device=full -cl-std=CL3.0] a number in place of the reservation
void f(read_only pipe int p, int *x) { read_pipe(p, 1, 0, x); }

//// [--device=full -cl-std=CL3.0] a reservation that is a number
void f(read_only pipe int p) { commit_read_pipe(p, 5); }

//// [--device=full -cl-std=CL3.0] a pipe that is read and written
void f(read_write pipe int p) { }

//// [--device=full -cl-std=CL3.0] a pipe of pointers
void f(read_only pipe int *p) { }

//// [--device=full -cl-std=CL3.0] a pipe of images
void f(read_only pipe image2d_t p) { }

//// [--device=full -cl-std=CL3.0] a local pipe
void f(void) { pipe int p; }

//// [-cl-std=CL3.0] pipes that the device lacks
kernel void k(read_only pipe int p) { }
//// [--device=full -cl-std=CL2.0] a pipe as an operand of a comma
kernel void k(read_only pipe int q, global int *p) { p[0] = (q, 1); }
