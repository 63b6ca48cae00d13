// test: parse
#pragma pack(push, 1)
struct a { char c; int i; };
#pragma pack(pop)
struct b { char c; int i; };
#pragma pack(1)
struct c { char c; struct d { int i; } d; };
#pragma pack()
struct e { char c; } __attribute__((packed));
#pragma pack(push, 4)
union f { char c; long l; };
