// test: pp
#include "no such file.h"
later
