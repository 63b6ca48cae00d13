// test: negative
//// a character that means nothing
void f(void) { int a = 1 @ 2; }
//// a string without its end
__constant char s[] = "abc;
//// a character literal without its end
int f(void) { return 'a; }
//// an empty character literal
int f(void) { return ''; }
//// a comment without its end
void f(void) {} /* open
//// a digit that an octal literal does not have
int f(void) { return 0918; }
//// a hexadecimal literal without digits
int f(void) { return 0x; }
//// an unknown integer suffix
int f(void) { return 12abc; }
//// an unknown floating suffix
float f(void) { return 1.5q; }
//// an exponent without digits
float f(void) { return 1.0e; }
//// a hexadecimal float without exponent
float f(void) { return 0x1.8; }
//// an integer literal beyond 64 bits
ulong f(void) { return 99999999999999999999; }
//// warning: an integer literal that only ulong holds
ulong f(void) { return 18446744073709551615; }
//// warning: a character literal of several characters
int f(void) { return 'ab'; }
//// a hexadecimal escape that is no byte
__constant char s[] = "\x123";
//// an escape without digits
__constant char s[] = "\xg";
//// a stray backslash
int f(void) { return 1 \ 2; }
//// a stray closing brace
void f(void) { } }
//// the source ends in a function
void f(void) { if (1) {
//// warning: a float literal beyond its range
float f(void) { return 1e50f; }
//// [-Werror] a warning turned into an error
int f(void) { return 'ab'; }

//// a wide string
constant int *s = L"abc";
