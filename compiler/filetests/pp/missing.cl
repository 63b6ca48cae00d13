#include "no such file.h"
later
