// test: remarks
// A pointer that comes out of memory has no buffer that the compiler knows.

typedef struct node {
    int value;
    global struct node *next;
} node;

kernel void sum(global node *list, global int *result)
{
    int sum = 0;
    for (; list; list = list->next)
        sum += list->value;
    *result = sum;
}
