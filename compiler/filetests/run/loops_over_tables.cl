// test: run
// Loops over tables, which are unrolled: one behind the other, inside one another, down to where the counter wraps, with
// values that are used behind the loop, and entered from two places.

__constant uint WORDS[8] = {0xfffffc2fu, 0xfffffffeu, 7, 0x80000000u, 1, 0, 0xffffffffu, 3};
__constant uchar PLACES[2][4] = {{3, 1, 2, 0}, {0, 2, 3, 1}};

// kernel: one_behind_the_other
// global: 1
// arg: buffer uint 12*77
// expect 0: uint 4294966318 4294967293 6 2147483647 0 4294967295 4294967293 2 8 12 16 77
__kernel void one_behind_the_other(__global uint *out) {
    const int few[3] = {4, 6, 8};
    uint borrow = 1, i = 0;
    for (i = 0; i < 8; i++) {
        out[i] = WORDS[i] - borrow;
        borrow = WORDS[i] <= 5 ? i % 3 : 1;
    }
    for (uint j = 0; j < 3; j++) out[i + j] = few[j] * 2;
}

// kernel: inside_one_another
// global: 3
// arg: buffer uint 3*0
// expect 0: uint 9078 10192 11306
__kernel void inside_one_another(__global uint *out) {
    uint id = get_global_id(0), rows[4] = {id, id + 1, id + 2, id + 3}, sum = 0;
    for (int i = 0; i < 2; i++) {
        uint moved[4];
        for (int j = 0; j < 4; j++) moved[j] = rows[PLACES[i][j]];
        for (int j = 0; j < 4; j++) rows[j] = moved[j] + PLACES[i][j];
        sum = sum * 10 + rows[i];
    }
    for (int i = 0; i < 4; i++) sum += rows[i] * (PLACES[1][i] == 0 ? 1000 : 1);
    out[id] = sum + id * 100 + 3000;
}

// kernel: until_the_counter_wraps
// global: 2
// arg: buffer uint 2*0
// expect 0: uint 2147483659 2147483670
__kernel void until_the_counter_wraps(__global uint *out) {
    uint id = get_global_id(0), sum = id ? 11 : 0;
    for (uint i = 7; i < 8; i--) sum += WORDS[i] > 7 && WORDS[i] != 0x80000000u ? 0 : WORDS[i];
    out[id] = sum;
}
