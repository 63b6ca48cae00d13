// test: run
// options: -cl-std=CL3.0
// needs: images read-write-images
// Images that a kernel reads and writes: its own pixels behind a fence, those of others behind a barrier.

// kernel: own_pixels
// global: 3 2
// arg: image2d 3x2 R SIGNED_INT32 1 2 3 4 5 6
// arg: image2d 3x2 RGBA FLOAT 24*1.5
// arg: image1d_array 6x2 R UNSIGNED_INT32 1..12
// expect 0: int 0x20 0x3b 0x56 0x71 0x8c 0xa7
// expect 1: float 0x42060000 2*0x3fc00000 0x40200000 0x42720000 2*0x3fc00000 0x40200000 0x42af0000 2*0x3fc00000 0x40200000 0x42e50000 2*0x3fc00000 0x40200000 0x430d8000 2*0x3fc00000 0x40200000 0x43288000 2*0x3fc00000 0x40200000
// expect 2: uint 0x1 0x2 0x3 0x4 0x5 0x6 0xe7 0x1e0 0x30f 0x474 0x60f 0x7e0
kernel void own_pixels(read_write image2d_t a, read_write image2d_t b, read_write image1d_array_t c) {
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    for (int i = 0; i < 3; i++) {
        int4 pixel = read_imagei(a, at);
        write_imagei(a, at, pixel * 3 + i);
        atomic_work_item_fence(CLK_IMAGE_MEM_FENCE, memory_order_acq_rel, memory_scope_work_item);
    }
    write_imagef(b, at, read_imagef(b, at) + convert_float4(read_imagei(a, at)));
    atomic_work_item_fence(CLK_IMAGE_MEM_FENCE, memory_order_acq_rel, memory_scope_work_item);
    int2 place = (int2)(at.y * 3 + at.x, 1);
    write_imageui(c, place, read_imageui(c, place) * convert_uint4(read_imagef(b, at)));
}

// kernel: neighbours
// global: 4
// local: 4
// arg: image1d 4 RGBA SIGNED_INT32 0..15
// expect 0: int 0x28 0x33 0x3e 0x49 0x4 0xf 0x1a 0x25 0x80 0x8b 0x96 0xa1 0x5c 0x67 0x72 0x7d
kernel void neighbours(read_write image1d_t image) {
    int x = get_global_id(0);
    int4 pixel = read_imagei(image, x);
    write_imagei(image, x, pixel * 10);
    work_group_barrier(CLK_IMAGE_MEM_FENCE, memory_scope_work_group);
    int4 other = read_imagei(image, x ^ 1);
    work_group_barrier(CLK_IMAGE_MEM_FENCE, memory_scope_work_group);
    write_imagei(image, x, other + pixel);
}
