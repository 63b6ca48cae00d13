// test: sema
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__ || __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ || !__LITTLE_ENDIAN__
#error order
#endif
#define MAX(n) _Static_assert(sizeof(__##n##_TYPE__) == sizeof(__##n##_MAX__) || sizeof(__##n##_TYPE__) < 4, #n); _Static_assert((__##n##_TYPE__)__##n##_MAX__ == __##n##_MAX__, #n); _Static_assert((__##n##_TYPE__)(__##n##_MAX__ + (__##n##_TYPE__)1) < 1, #n);
MAX(INT8) MAX(UINT8) MAX(INT16) MAX(UINT16) MAX(UINT32) MAX(UINT64)
_Static_assert(__INT32_MAX__ == INT_MAX && __INT64_MAX__ == LONG_MAX && __INT_MAX__ == INT_MAX && __LONG_MAX__ == LONG_MAX, "");
_Static_assert(__SIZEOF_SHORT__ == sizeof(short) && __SIZEOF_INT__ == sizeof(int) && __SIZEOF_LONG__ == sizeof(long), "");
_Static_assert(__SIZEOF_FLOAT__ == sizeof(float) && __SIZEOF_POINTER__ == sizeof(void *) && __SIZEOF_SIZE_T__ == sizeof(size_t), "");
_Static_assert(__SIZEOF_DOUBLE__ == 8 && __SIZEOF_PTRDIFF_T__ == sizeof(ptrdiff_t) && __SHRT_MAX__ == SHRT_MAX && __SCHAR_MAX__ == SCHAR_MAX, "");
