// test: sema
int s(int i, float f, int4 v)
{
    break;
    continue;
    case 1: ;
    default: ;
    switch (f) { }
    switch (i) {
    case 1: case 2: case 1: ;
    case i: ;
    default: ; default: ;
    case 3 ... 5: case 4: ;
    }
    switch ((char)i) { case 300: ; }
    while (v) ;
    goto nowhere;
    here: ;
    here: ;
    return;
}
void t(int i) { return i; }
