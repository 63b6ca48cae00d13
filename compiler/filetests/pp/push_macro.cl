// test: pp
#define TYPE int
#pragma push_macro("TYPE")
#define TYPE char
TYPE first;
#pragma push_macro("TYPE")
#undef TYPE
TYPE undefined;
#pragma pop_macro("TYPE")
TYPE second;
#pragma pop_macro("TYPE")
TYPE third;
#pragma push_macro("LATER")
#define LATER 1
LATER;
_Pragma("pop_macro(\"LATER\")")
LATER;
#pragma push_macro("MAXFLOAT")
#undef MAXFLOAT
MAXFLOAT;
#pragma pop_macro("MAXFLOAT")
#ifndef MAXFLOAT
#error lost
#endif
