// test: parse
#pragma pack(3)
#pragma pack(shove, 1)
#pragma pack(2)
struct a { char c; int i; };
