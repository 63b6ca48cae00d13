// RUN: -Werror
#warning promoted
#include "error.h"
#include "recursive.h"
not reached
