// test: pp
// options: -Werror
#warning promoted
#error
#include "error.h"
#include "recursive.h"
not reached
#error
