// test: emit
// Loops, switch with fall-through and ranges, goto, short circuit, ternary.
int classify(int x) {
    switch (x) {
    case 0:
        return 10;
    case 1:
    case 2:
        x += 5;
    case 3:
        x *= 2;
        break;
    case 100 ... 1000:
        return -1;
    default:
        x = 7;
    }
    return x;
}

long wide(ulong x) {
    switch (x) {
    case 0x100000000UL: return 1;
    case 5: return 2;
    }
    return 3;
}

kernel void flow(global int *p, int n) {
    int sum = 0;
    for (int i = 0; i < n; i++) {
        if (i == 3) continue;
        if (i == 50 || (p[i] > 4 && p[i] < 100)) break;
        sum += classify(p[i]);
    }
    do {
        sum--;
    } while (sum > 1000);
    while (1) {
        if (sum & 1) goto out;
        sum = sum > 10 ? sum - 3 : sum + 1;
    }
out:
    p[0] = sum + (int)wide(n);
    return;
    p[1] = 5;
}

kernel void irreducible(global int *p) {
    int i = 0;
    if (p[0]) goto inside;
    while (i < 10) {
        i += 2;
inside:
        i++;
    }
    p[1] = i;
}
