// test: pp
// options: -cl-std=CL2.0
// Macros of clang's headers in OpenCL C 2.0: features that the version has itself, types and
// orders, and clang's own extensions.
#ifdef __opencl_c_images
images
#endif
#ifdef __opencl_c_generic_address_space
generic
#endif
// Of OpenCL C 3.0 alone.
#ifdef __opencl_c_int64
int64
#endif
__SIZE_TYPE__ __PTRDIFF_TYPE__ __INTPTR_TYPE__ __UINTPTR_TYPE__ __SIZE_MAX__ __CHAR_BIT__
__ATOMIC_RELAXED __ATOMIC_CONSUME __ATOMIC_ACQUIRE __ATOMIC_RELEASE __ATOMIC_ACQ_REL __ATOMIC_SEQ_CST
__OPENCL_MEMORY_SCOPE_WORK_ITEM __OPENCL_MEMORY_SCOPE_WORK_GROUP __OPENCL_MEMORY_SCOPE_DEVICE
__OPENCL_MEMORY_SCOPE_ALL_SVM_DEVICES __OPENCL_MEMORY_SCOPE_SUB_GROUP
cl_clang_storage_class_specifiers __cl_clang_variadic_functions __cl_clang_function_pointers
