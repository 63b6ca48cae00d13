// test: run
// Words of private memory at addresses that are no multiples of their size: a buffer of bytes that fills word by word
// from any byte on, as programs for processors copy, and one whose place in memory is behind an odd number of bytes.
// defined-by: private_alignment
// options: -cl-std=CL3.0
// kernel: fill
// global: 4
// arg: buffer uchar 1..64
// arg: buffer uint 5 11 8 3
// arg: buffer ulong 16*0
// expect 2: ulong 289077021647241736 433757350076155404 1012478732780767246 4118 650777868590383881 506097522914888465 289089146457819407 867798387104613900 723118041428460554 795458214266537227 940138559942690573 1518859942647303957 578438799575876875 1157159078456920592 24279786918424 7
// kernel: words
// global: 4
// arg: buffer uint 3 0 7 12
// arg: buffer uint 8*0
// expect 1: uint 1768053588 370083842 3688156614 1751210579 2121333970 1447593051 3131945350 49711710
struct text { ulong before; uchar bytes[72]; uint length; };

void append(struct text *text, const uchar *from, uint bytes)
{
    ulong *to = (ulong *)(text->bytes + text->length);
    const ulong *word = (const ulong *)from;
    for (uint i = 0; i < bytes; i += 8)
        *to++ = *word++;
    text->length += bytes;
}

kernel void fill(global const uchar *in, global const uint *bytes, global ulong *out)
{
    uint id = get_global_id(0), some = bytes[id];
    struct text text = {7, {0}, 0};
    uchar line[24];
    for (int i = 0; i < 24; i++)
        line[i] = in[id + i];
    append(&text, line, some);
    append(&text, line + 1, some);
    append(&text, line + some % 5, 9);
    for (int i = 0; i < 4; i++) {
        ulong word = 0;
        for (int j = 0; j < 8; j++)
            word |= (ulong)text.bytes[i * 8 + j] << j * 8;
        out[id * 4 + i] = word + text.before;
    }
}

kernel void words(global const uint *at, global uint *out)
{
    uint id = get_global_id(0);
    uchar few[3], many[64];
    for (int i = 0; i < 64; i++)
        many[i] = i * 7 + id;
    for (int i = 0; i < 3; i++)
        few[i] = i;
    /* Which of them it is only the device knows. */
    uchar *bytes = at[id] & 1 ? few : many;
    bytes[at[id] & 2] += 1;
    /* An array of bytes, taken for one of words. */
    out[id] = ((uint *)many)[at[id]] + few[0];
    /* Short vectors and halves of words. */
    ushort *pair = (ushort *)(many + at[id]);
    uint2 two = *(uint2 *)(many + at[id] + 1);
    out[id + 4] = pair[0] + pair[1] * 3u + two.x + two.y;
}
