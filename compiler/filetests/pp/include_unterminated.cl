// test: pp
// An unterminated string behind #include is diagnosed.
#include "
int after;
