/* Products of cl_pumice_cooperative_matrix as clGetDeviceInfo lists them. */
#ifndef MATRIX_PRODUCTS_H
#define MATRIX_PRODUCTS_H

#include <CL/cl.h>

#define CL_DEVICE_COOPERATIVE_MATRIX_PRODUCTS_PUMICE 0x50554D00
#define CL_DEVICE_COOPERATIVE_MATRIX_NATIVE_PRODUCTS_PUMICE 0x50554D01

typedef struct {
    cl_uint m, n, k;
    cl_uint a_type, b_type, c_type, result_type;
    cl_uint saturating;
} product;

/* Numbers of VkComponentTypeKHR. */
enum { HALF = 0, FLOAT = 1, DOUBLE = 2, CHAR = 3, INT = 5, UCHAR = 7, UINT = 9 };

/* OpenCL C's name of a component's type. */
static inline const char *name_of(cl_uint type)
{
    switch (type) {
    case HALF: return "half";
    case FLOAT: return "float";
    case DOUBLE: return "double";
    case CHAR: return "char";
    case INT: return "int";
    case UCHAR: return "uchar";
    case UINT: return "uint";
    default: return "unknown";
    }
}

#endif
