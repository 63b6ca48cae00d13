// test: pp
#define TYPE int
#pragma pop_macro("TYPE")
#pragma pop_macro(TYPE)
#pragma push_macro
#pragma push_macro("TYPE"
