#pragma once
int once = __INCLUDE_LEVEL__;
