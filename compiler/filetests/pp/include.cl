// test: pp
#define NAME guarded.h
#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)
#include "guarded.h"
#include <guarded.h>
#include TEXT(NAME)
#define ANGLED <once.h>
#include ANGLED
#include "once.h"
__FILE__ __LINE__
#line 100 "other.cl"
__FILE__ __LINE__
#line 7
__FILE__ __LINE__ __COUNTER__ __COUNTER__
