// test: sema
typedef struct { int a; } S;
__constant int outside = ({ 1; });
int f(int n)
{
    for (int i = 0; ({ break; i < n; }); i++) ;
    ({ continue; });
    ({ inner: n; });
    S s = ({ S t = {1}; t; });
    n = ({ int hidden = 1; hidden; }) + hidden;
    n = ({ ; });
    switch (n) { case 1: ({ case 2: n; }); }
    return n;
}
