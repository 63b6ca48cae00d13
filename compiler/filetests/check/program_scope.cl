// test: check
// options: -pumice-check=all -cl-kernel-arg-info
// Variables of program scope.

constant int primes[] = {2, 3, 5, 7};

kernel void prime(global int *out)
{
    out[get_global_id(0)] = primes[get_global_id(0) * 2];
}

// kernel: prime
// global: 3
// arg: buffer int 3*9
// expect 0: int 2 5 0
// expect report: <source>:9:29: error: read of 4 bytes at byte 16 of 'primes', which has 16 bytes
// expect report: out[get_global_id(0)] = primes[get_global_id(0) * 2];
// expect report: ^
// expect report: note: by work-item 2 of kernel 'prime': number 2 of work-group 0
// expect report: kernel 'prime': 1 fault at 1 place
