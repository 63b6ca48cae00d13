//! Hand-assembled kernels.

use pumice_vulkan_layer::asm::{Module, class};

/// `add`: out[i] = a[i] + b[i] for words, three storage buffers in set 0, work-group size by
/// specialization 0–2.
pub fn add_by_descriptors() -> Vec<u32> {
    let mut m = Module::new();
    let uint = m.uint(32);
    let uvec3 = m.vector(uint, 3);
    let [a, b, out] = [0, 1, 2].map(|binding| m.word_buffer(0, binding));
    let id = m.builtin3(28);
    m.spec_group_size([0, 1, 2]);
    let function = m.begin("add");
    m.mode(function, 17, &[1, 1, 1]);
    let zero = m.u32(0);
    let ids = m.load(uvec3, id);
    let i = m.op(81, uint, &[ids, 0]);
    let x = m.load_at(class::STORAGE_BUFFER, uint, a, &[zero, i]);
    let y = m.load_at(class::STORAGE_BUFFER, uint, b, &[zero, i]);
    let sum = m.op(128, uint, &[x, y]);
    let pointer = m.access(class::STORAGE_BUFFER, uint, out, &[zero, i]);
    m.op0(62, &[pointer, sum]);
    m.end();
    m.finish()
}

/// `add`: the same by addresses in push constants (a, b, out).
pub fn add_by_addresses() -> Vec<u32> {
    let mut m = Module::new();
    m.capability(5347);
    m.extension("SPV_KHR_physical_storage_buffer");
    let uint = m.uint(32);
    let pair = m.vector(uint, 2);
    let uvec3 = m.vector(uint, 3);
    let push = m.block(class::PUSH_CONSTANT, &[(pair, 0), (pair, 8), (pair, 16)]);
    let id = m.builtin3(28);
    m.spec_group_size([0, 1, 2]);
    let function = m.begin("add");
    m.mode(function, 17, &[1, 1, 1]);
    let ids = m.load(uvec3, id);
    let i = m.op(81, uint, &[ids, 0]);
    let four = m.u32(4);
    let offset = m.op(132, uint, &[i, four]);
    let mut pointers = Vec::new();
    for index in 0..3 {
        let index = m.u32(index);
        let address = m.load_at(class::PUSH_CONSTANT, pair, push, &[index]);
        pointers.push(m.at_address(uint, address, offset));
    }
    let x = m.load_aligned(uint, pointers[0], 4);
    let y = m.load_aligned(uint, pointers[1], 4);
    let sum = m.op(128, uint, &[x, y]);
    m.store_aligned(pointers[2], sum, 4);
    m.end();
    m.finish()
}

/// `mark`: out[WorkgroupId.x] = specialization 3 plus push constant 0, one storage buffer.
pub fn mark() -> Vec<u32> {
    let mut m = Module::new();
    let uint = m.uint(32);
    let uvec3 = m.vector(uint, 3);
    let out = m.word_buffer(0, 0);
    let push = m.block(class::PUSH_CONSTANT, &[(uint, 0)]);
    let group = m.builtin3(26);
    let value = m.spec_u32(3, 7);
    let function = m.begin("mark");
    m.mode(function, 17, &[1, 1, 1]);
    let zero = m.u32(0);
    let ids = m.load(uvec3, group);
    let i = m.op(81, uint, &[ids, 0]);
    let more = m.load_at(class::PUSH_CONSTANT, uint, push, &[zero]);
    let sum = m.op(128, uint, &[value, more]);
    let pointer = m.access(class::STORAGE_BUFFER, uint, out, &[zero, i]);
    m.op0(62, &[pointer, sum]);
    m.end();
    m.finish()
}
