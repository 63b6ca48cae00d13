// test: pp
#if 1
#define F(x) x
F(1, (2
/* never closed
