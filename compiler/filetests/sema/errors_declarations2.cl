// test: sema
void shadow(int a) { float a; }
void twice(int a, int a) { }
int none(int a) { }
int recursive(int n) { return n ? -recursive(n - 1) : 0; }
void ping(int n);
void pong(int n) { ping(n); }
void ping(int n) { pong(n); }
void locals(int n) {
    int dup;
    float dup;
    int vla[n];
    int negative[-1];
    int zero[0] = {};
    int open[];
    void nothing;
    struct Later later;
    signed float sf;
    long float lf;
    const int c = 1;
    c = 2;
    unsigned unsigned uu;
}
_Static_assert(sizeof(int) == 5, "int has four bytes");
