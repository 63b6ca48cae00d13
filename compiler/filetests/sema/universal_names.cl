// test: sema
#define NAME(x) x ## \u00fc
int \u00e9t\U000000E9(int \u00df) { return \u00df; }
int f(int a) {
    int NAME(spl) = a;
    return été(splü) + spl\
ü;
}
