// test: pp
#if 1 ? 2 : (1/0)
a
#endif
#if 0 && (1 / 0)
wrong
#elif 1 || (1 % 0)
b
#else
wrong
#endif
#if -1 > 0u
c
#endif
#if (2 || 3) != 1 || 1 << 3 != 8 || -7 / 2 != -3 || -7 % 2 != -1 || ~0 != -1
wrong
#else
d
#endif
#if 'a' == 97 && '\n' == 10 && 0x7fffffffffffffff > 0 && 0xffffffffffffffff == -1
e
#endif
#if defined X || defined(Y) || UNKNOWN || !true
wrong
#endif
#ifdef X
# if this is not looked at
# else
"nor 'this
# endif
/* # endif
*/
#elif defined(__LINE__) && __LINE__ == 33
f
#endif
#define EMPTY
#define D defined(EMPTY)
#if D EMPTY
g
#endif
#if __has_builtin(nothing) + __has_attribute(__packed__) == 1 && defined __has_include
h
#endif
#if __has_include("guarded.h") && !__has_include(<missing.h>) && __has_extension(cl_khr_fp64)
i
#endif
# /* a null directive */
#if (10 > 9 > 8) == 0 && 5 - 3 - 1 == 1 && 2 + 3 * 4 == 14
j
#endif
#if __has_attribute(overloadable) + __has_attribute(__pure__) + __has_attribute(intel_reqd_sub_group_size) == 3
k
#endif
#if __has_attribute(address_space) || __has_attribute(enable_if) || __has_extension(nothing)
not this
#endif
#if __has_extension(attribute_overloadable) && __has_feature(c_static_assert)
l
#endif
