// test: run
// Members without a number of elements, or with none, stand for what follows the struct.
// kernel: flexible
// global: 1
// arg: buffer float 0x00000003 1.5 2.5 3.5 0 0 0 0
// arg: buffer char 2 0 0 0 10 20 30 40 0 0 0 0 5 6 7 8
// arg: buffer int 8*9
// expect 0: float 0x00000003 1.5 2.5 3.5 7.5 0 0 0
// expect 2: int 4 4 3 8 60 40 9 1
typedef struct {
    int count;
    float values[];
} List;
typedef struct {
    int count;
    char values[0];
} Bytes;
typedef struct {
    char tag;
    List list;
} Tagged;
typedef struct {
    char tag;
    long4 none[0];
    char last[];
} Odd;

float sum(global List *list) {
    float total = 0;
    for (int i = 0; i < list->count; i++) total += list->values[i];
    return total;
}

kernel void flexible(global List *list, global Bytes *bytes, global int *out) {
    list->values[list->count] = sum(list);
    out[0] = sizeof(List);
    out[1] = __builtin_offsetof(List, values);
    List head = *list;
    out[2] = head.count;
    out[3] = sizeof(Tagged);
    out[4] = bytes->values[0] + bytes->values[1] + (&bytes->values[2])[0];
    // The next element begins where the first one's values do.
    global char *third = bytes[1].values - 1;
    out[5] = third[0];
    out[7] = sizeof(Odd) == 32 && __builtin_offsetof(Odd, last) == 32;
}
