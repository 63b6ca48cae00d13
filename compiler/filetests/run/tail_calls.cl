// test: run
// A function that returns its own result is a loop: quickselect, the greatest common divisor, a fold, a list's end,
// arguments that trade places, a jump out of a loop and a switch, and a vector.
// kernel: tail_calls
// global: 1
// arg: buffer int 10*0
// expect 0: int 3 21 55 42 9 6 720 5 6 11
void swap_values(int *a, int *b) {
    int t = *a;
    *a = *b;
    *b = t;
}
int partition(int values[], int l, int r) {
    int pivot = values[r], i = l;
    for (int j = l; j < r; j++) {
        if (values[j] <= pivot)
            swap_values(&values[i++], &values[j]);
    }
    swap_values(&values[i], &values[r]);
    return i;
}
int select_kth(int values[], int l, int r, int k) {
    if (k > 0 && k <= r - l + 1) {
        int index = partition(values, l, r);
        if (index - l == k - 1)
            return values[index];
        if (index - l > k - 1)
            return select_kth(values, l, index - 1, k);
        return select_kth(values, index + 1, r, k - index + l - 1);
    }
    return -1;
}
uint gcd(uint a, uint b) { return b ? gcd(b, a % b) : a; }
int sum_to(int n, int sum) { return n == 0 ? sum : sum_to(n - 1, sum + n); }
void set_at(global int *o, int at, int value) {
    if (at > 0) {
        set_at(o + 1, at - 1, value);
    } else {
        *o = value;
    }
}
void set_later(global int *o, int at, int value) {
    if (at == 0) {
        *o = value;
        return;
    }
    return set_later(o + 1, at - 1, value);
}
// The arguments are evaluated before a parameter changes.
int turn(int a, int b, int rounds) { return rounds ? turn(b, a, rounds - 1) : a; }
long product(long n, long so_far) { return n < 2 ? so_far : n % 2 ? product(n - 1, so_far * n) : product(n - 1, n * so_far); }
int digits(uint n, int count) {
    while (true) {
        switch (n < 10) {
        case 1:
            return count;
        default:
            return digits(n / 10, count + 1);
        }
    }
}
float4 grow(float4 v) {
    float limit = 10.0f;
    if (v.x > limit)
        return v;
    return grow(v * 2.0f + (float4)(1, 0, 0, 0));
}
kernel void tail_calls(global int *o) {
    int values[7] = {7, 1, 5, 3, 9, 2, 8};
    o[0] = select_kth(values, 0, 6, 3);
    o[1] = gcd(1071, 462);
    o[2] = sum_to(10, 0);
    set_at(o, 3, 42);
    set_later(o, 4, 9);
    o[5] = turn(5, 6, 3);
    o[6] = product(6, 1);
    o[7] = digits(12345, 1);
    o[8] = gcd(sum_to(3, 0), gcd(12, 18));
    o[9] = (int)grow((float4)(2, 1, 1, 1)).x;
}
