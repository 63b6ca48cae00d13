// test: parse
#pragma pack(3)
#pragma pack(shove, 1)
struct a { char c; int i; };
