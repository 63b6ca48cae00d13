// test: descriptors
// options: -pod-pushconstant
// "Sending in plain-old-data kernel arguments in push constants": the document's line is
// kernel,foo,arg,f,argOrdinal,1,offset,0,argKind,pod_pushconstant,argSize,4

kernel void foo(global int* a, int f) { a[0] = f; }
