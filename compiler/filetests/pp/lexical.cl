// test: pp
int spli\
ced = 1; // comment \
goes on
a/**/b /* x */ c
#define CAT(a, b) a##b
CAT(+, +) CAT(<<, =) CAT(1, e5) CAT(x, 1) CAT(., 5f)
0x1.8p3 1.5e-3f 0xFFul 1.0h .5 'a' '\'' "a\"b" "/* no comment */" 1..2
<: :> <% %> %: x
-x - -x + +x a+++++b
"unfinished
'also
@ ` Ã© grÃ¶ÃŸe $x \
a ÿ€ b "ÿ"
