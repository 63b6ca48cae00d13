typedef struct { int a; } S;
__constant int outside = ({ 1; });
int f(int n)
{
    for (int i = 0; i < n; i++) ({ break; });
    n = ({ return 1; 2; });
    ({ goto out; });
    ({ inner: n; });
    S s = ({ S t = {1}; t; });
    n = ({ int hidden = 1; hidden; }) + hidden;
    n = ({ ; });
    switch (n) { case 1: ({ case 2: n; }); }
out:
    return n;
}
