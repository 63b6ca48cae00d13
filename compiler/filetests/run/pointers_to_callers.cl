// test: run
// Functions that stay calls access their callers' variables by pointers: in loops, apart and overlapping, parts of structures, those that
// are passed on, in places that are not always written, and a pointer that a pointer leads to.
// kernel: pointers
// global: 4
// local: 2
// arg: buffer uint 32*0
// expect 0: uint 0xc5aaa0e0 0xa555bb20 0x8ece7ea8 0x7dd520b8 0xb20ec346 0xc39dc4d7 0x135b6 0xd0c0309 0xd36ecfe 0x76fb7665 0xa1f9bf92 0x8402abdf 0x36b6b4bd 0xc6f8f796 0x135be 0xd0c030a 0x8994983e 0xe7561471 0xa6b64aa 0x7bc18061 0xb5007e7a 0xe4c1afe7 0x135c6 0xd0c030b 0xc4e34984 0xe001659c 0x2f1da0c6 0xac1558c8 0x2c058501 0x2196c212 0x135ce 0xd0c030c

typedef struct {
    uint state[4];
    uint block[4];
    ulong length;
} Hash;

__attribute__((noinline)) void mix(uint *state, const uint *block) {
    for (int i = 0; i < 8; i++) {
        state[0] += block[0] ^ state[3];
        state[1] = rotate(state[1] + block[1], state[0] & 31);
        state[2] ^= state[1] + block[2];
        state[3] += state[2] * (block[3] | 1);
    }
}

__attribute__((noinline)) void update(Hash *h, const uint *data, uint words) {
    if (words == 0)
        return;
    h->length += 4 * words;
    h->block[0] ^= data[0];
    h->block[1] += data[1];
    if (words > 2) {
        h->block[2] ^= data[2];
        h->block[3] += data[3];
    }
    mix(h->state, h->block);
    h->block[0] = h->state[0] + h->block[3];
    h->length ^= (ulong)h->block[0] << 32;
    if (h->block[0] & 1) {
        h->block[1] ^= h->block[0];
        h->block[2] ^= h->block[1];
        return;
    }
    mix(h->block, h->state);
    h->length += h->block[1];
}

// The second pointer may lead to what the first one does, or overlap it.
__attribute__((noinline)) uint fold(uint *to, uint *from) {
    for (int i = 0; i < 5; i++) {
        to[0] = to[0] * 3 + from[1];
        from[1] ^= to[0] + from[0];
        to[1] += from[1];
    }
    return to[0] + from[0];
}

__attribute__((noinline)) void move(uint **at, uint *word) {
    for (int i = 0; i < 4; i++) {
        **at += *word + i;
        *word = **at * 5;
    }
    *at += 1;
}

// Vectors, and their components.
__attribute__((noinline)) void turn(float4 *v, uchar4 *bytes) {
    for (int i = 0; i < 6; i++) {
        *v = (*v).yzwx + 1.0f;
        (*v).x *= 2.0f;
        ((uchar *)bytes)[1] += 3;
        *bytes = (*bytes).s3012;
    }
}

kernel void pointers(global uint *out) {
    uint x = get_global_id(0);
    Hash h = {{x, 1, 2, 3}, {4, 5 + x, 6, 7}, 0};
    uint data[5] = {x * 11, 13, 17 + x, 19, 23};
    update(&h, data, 4);
    update(&h, data + 1, x & 2);
    update(&h, h.state, 3);
    mix(h.state, h.state);
    uint words[6] = {x, 2, 3, 5, 7, 11};
    uint sum = fold(words, words + 4);
    sum += fold(words + 1, words + 2);
    sum += fold(words + 3, words + 3);
    uint *at = words + (x & 1);
    move(&at, words + 5);
    move(&at, words + 1);
    sum += (uint)(at - words);
    float4 v = (float4)(x, 1, 2, 3);
    uchar4 bytes = (uchar4)(x, 250, 3, 4);
    turn(&v, &bytes);
    turn(&v, &bytes);
    global uint *r = out + 8 * x;
    r[0] = h.state[0] ^ h.state[1];
    r[1] = h.state[2] ^ h.state[3] ^ data[x];
    r[2] = h.block[0] + h.block[1] + h.block[2] + h.block[3];
    r[3] = (uint)h.length ^ (uint)(h.length >> 32);
    r[4] = sum;
    r[5] = words[0] ^ words[1] ^ words[2] ^ words[3] ^ words[4] ^ words[5];
    r[6] = (uint)(v.x + 10 * v.y + 100 * v.z + 1000 * v.w);
    r[7] = as_uint(bytes);
}
