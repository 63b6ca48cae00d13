// test: images
// Images for both: fences order pixels, other work-items see them.
kernel void twice(read_write image2d_t i, read_write image1d_array_t a) {
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    float4 pixel = read_imagef(i, at);
    write_imagef(i, at, pixel + 1.0f);
    atomic_work_item_fence(CLK_IMAGE_MEM_FENCE, memory_order_acq_rel, memory_scope_device);
    write_imageui(a, at, convert_uint4(read_imagef(i, at)));
    work_group_barrier(CLK_IMAGE_MEM_FENCE);
    write_imagei(a, at, read_imagei(a, at.yx));
}
