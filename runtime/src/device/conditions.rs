//! Conditions of the Vulkan device under which features and extensions are offered.

use pumice_compiler::Target;
use pumice_compiler::target::matrix::{Component, NativeProduct, Product, products};
use pumice_vulkan_layer::Capabilities;
use pumice_vulkan_layer::quirks::{self, QuirkKind};

use crate::device::format_sets::{self, Profile};
use crate::device::local_memory;

pub(super) fn halves(caps: &Capabilities) -> bool {
    caps.features.shader_float16
}

pub(super) fn double_atomics(caps: &Capabilities) -> bool {
    doubles(caps) && int64_atomics(caps)
}

/// CL_DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES_EXT and its like of doubles and halves: load and store,
/// add, minimum and maximum, for global and local memory.
pub fn float_atomics(caps: &Capabilities) -> [u64; 3] {
    const ALL: u64 = 0x7_0007;
    let of = |there| if there { ALL } else { 0 };
    [of(true), of(double_atomics(caps)), of(halves(caps))]
}

/// Tells whether doubles are offered, of capabilities as OpenCL has them
/// ([`Device::offered`](crate::device::Device::offered)).
pub fn doubles(caps: &Capabilities) -> bool {
    caps.features.shader_float64
}

/// Kernels can enqueue kernels: records hold addresses, and the device reads its own times.
pub fn device_enqueue(caps: &Capabilities) -> bool {
    // The scheduler is one work-item, whose loops look at all that is ready.
    let loops_end = !quirks::has(&caps.driver, QuirkKind::LoopsStop);
    generic_pointers(caps) && caps.features.shader_int64 && caps.timestamp_bits > 0 && loops_end
}

/// Tells whether a pointer can lead anywhere: a generic one is an address, or an offset with a tag.
pub fn generic_pointers(caps: &Capabilities) -> bool {
    addresses(caps)
}

/// Tells whether kernels see addresses of global memory, not descriptors.
pub fn addresses(caps: &Capabilities) -> bool {
    caps.features.buffer_device_address
}

/// Tells whether kernels can use pipes: their functions take generic pointers and atomics with the
/// device's scope, and fences in the loops of applications.
pub fn pipes(caps: &Capabilities) -> bool {
    let fences_hold = !quirks::has(&caps.driver, QuirkKind::FencesInLoops);
    generic_pointers(caps) && device_scope(caps) && fences_hold
}

/// CL_DEVICE_PIPE_MAX_PACKET_SIZE; 0 where there are no pipes.
pub fn max_packet_size(caps: &Capabilities) -> u32 {
    if pipes(caps) { 4096 } else { 0 }
}

/// Tells whether atomics can have the device's scope: by the memory model's own bit, or by the model that
/// was before it, where every scope is legal.
pub fn device_scope(caps: &Capabilities) -> bool {
    !caps.features.vulkan_memory_model || caps.features.vulkan_memory_model_device_scope
}

/// Tells whether both global and local memory have 64-bit atomics.
pub fn int64_atomics(caps: &Capabilities) -> bool {
    caps.features.shader_buffer_int64_atomics && caps.features.shader_shared_int64_atomics
}

/// Tells whether a buffer can be memory of the process itself.
pub fn imports_host_memory(caps: &Capabilities) -> bool {
    caps.unified_memory && caps.host_import_alignment.is_some()
}

/// Tells whether local memory can be zero when a work-group starts.
pub fn zeroes_local(caps: &Capabilities) -> bool {
    caps.features.shader_zero_initialize_workgroup_memory
}

/// The name of images in the mask.
pub const IMAGES: &str = "images";
/// The mask's name of what makes samplers exact where the device's are coarse.
pub const SAMPLE_EXACTLY: &str = "sampleExactly";
/// The mask's name of code for what launches promise.
pub const LAUNCH_PROMISES: &str = "launchPromises";
/// Its name where processors are to have that code too.
pub const LAUNCH_PROMISES_TOO: &str = "+launchPromises";
/// Its name of the full profile: images of any device are then those of the embedded one.
pub const FULL_PROFILE: &str = "fullProfile";
/// All words of the mask that the Vulkan layer does not know.
pub const MASKED: [&str; 5] = [
    IMAGES,
    SAMPLE_EXACTLY,
    LAUNCH_PROMISES,
    LAUNCH_PROMISES_TOO,
    FULL_PROFILE,
];

/// The profile for which the device's images are enough; `None` without images.
fn profile_of_images(caps: &Capabilities) -> Option<Profile> {
    if caps.is_masked(IMAGES) {
        return None;
    }
    if !caps.is_masked(FULL_PROFILE) && format_sets::suffice(caps, Profile::Full) {
        return Some(Profile::Full);
    }
    format_sets::suffice(caps, Profile::Embedded).then_some(Profile::Embedded)
}

/// Tells whether the device has images and samplers.
pub fn images(caps: &Capabilities) -> bool {
    profile_of_images(caps).is_some()
}

/// Tells whether the device has the local memory of the full profile: by addresses it can be in a buffer.
fn has_local_memory(caps: &Capabilities) -> bool {
    addresses(caps) || caps.limits.max_shared_memory >= local_memory::LEAST
}

/// CL_DEVICE_PROFILE: the embedded one where images or local memory are too small for the full one. Devices without images can
/// have the full profile.
pub(super) fn profile(caps: &Capabilities) -> Profile {
    match has_local_memory(caps) {
        true => profile_of_images(caps).unwrap_or(Profile::Full),
        false => Profile::Embedded,
    }
}

/// Tells whether the device has the embedded profile.
pub(super) fn embedded(caps: &Capabilities) -> bool {
    profile(caps) == Profile::Embedded
}

/// Tells whether images can be those of OpenGL.
pub(super) fn opengl(caps: &Capabilities) -> bool {
    pumice_gl_layer::AVAILABLE && images(caps)
}

/// Tells whether a kernel can write levels of images: each is a storage image of its own, and OpenCL wants 64 images.
pub(super) fn level_images(caps: &Capabilities) -> bool {
    let limits = &caps.limits;
    let most = limits.max_storage_images.min(limits.max_resources);
    images(caps) && most >= 64 * pumice_reflection::MAX_LEVELS
}

/// Tells whether the device has the format of cl_ext_image_unorm_int_2_101010.
pub(super) fn packed_2_101010(caps: &Capabilities) -> bool {
    images(caps) && format_sets::has_2_101010(caps)
}

/// Tells whether the device has the formats of cl_ext_image_unsigned_10x6_12x4_14x2.
pub(super) fn high_bits(caps: &Capabilities) -> bool {
    images(caps) && format_sets::has_high_bits(caps)
}

/// Tells whether the device has the formats of cl_ext_image_raw10_raw12.
pub(super) fn raw(caps: &Capabilities) -> bool {
    images(caps) && format_sets::has_raw(caps)
}

/// Tells whether the device has the formats of cl_intel_packed_yuv.
pub(super) fn packed_yuv(caps: &Capabilities) -> bool {
    images(caps) && format_sets::has_packed_yuv(caps)
}

/// Tells whether kernels can write images of sRGB.
pub(super) fn srgb_writes(caps: &Capabilities) -> bool {
    images(caps) && format_sets::has_srgb_writes(caps)
}

/// Tells whether a kernel can read and write one image.
pub fn read_write_images(caps: &Capabilities) -> bool {
    images(caps) && format_sets::read_and_written(caps)
}

/// Tells whether kernels can read the clocks of the device and of a sub-group.
pub fn clocks(caps: &Capabilities) -> bool {
    caps.features.shader_device_clock && caps.features.shader_subgroup_clock
}

/// Tells whether the device's sub-groups have shuffles by any lane number.
pub(super) fn shuffles(caps: &Capabilities) -> bool {
    sub_group_size(caps).is_some() && caps.subgroup.ops.shuffle
}

/// The products of cooperative matrices, each as a `cl_device_cooperative_matrix_product_pumice`; `None` where there
/// are no matrices.
pub fn matrix_products(caps: &Capabilities) -> Option<Vec<[u32; 8]>> {
    let listed = products()
        .filter(|product| has_product(caps, *product))
        .map(|product| listed_product(product, !product.result.is_float()));
    shuffles(caps).then(|| listed.collect())
}

fn has_product(caps: &Capabilities, product: Product) -> bool {
    product.result != Component::Double || doubles(caps)
}

/// A product as the fields of a `cl_device_cooperative_matrix_product_pumice`.
fn listed_product(product: Product, saturating: bool) -> [u32; 8] {
    let (m, n, k) = (product.m, product.n, product.k);
    let [a, b, result] = [product.a, product.b, product.result].map(|c| c as u32);
    [m, n, k, a, b, result, result, u32::from(saturating)]
}

/// Those among them that the Vulkan device computes itself for every program; saturating ones apart.
pub fn native_matrix_products(caps: &Capabilities, target: &Target) -> Option<Vec<[u32; 8]>> {
    let there = |native: &&NativeProduct| native.exact && has_product(caps, native.product);
    let exact = target.native_products.iter().filter(there);
    let listed = exact.map(|native| listed_product(native.product, native.saturating));
    shuffles(caps).then(|| listed.collect())
}

/// Tells whether sub-groups read and write blocks: words of an image are put together of the bytes of four
/// work-items.
pub(super) fn blocks(caps: &Capabilities) -> bool {
    shuffles(caps) && sub_group_sizes(caps).iter().all(|&size| size >= 4)
}

/// The size of the device's sub-groups; `None` where it has none that OpenCL's functions can be
/// made of. Where the size varies, every pipeline requires this one.
pub fn sub_group_size(caps: &Capabilities) -> Option<u32> {
    let subgroup = &caps.subgroup;
    let fixed = subgroup.min_size == subgroup.max_size || subgroup.required_size;
    let ops = subgroup.ops;
    let operations = ops.basic && ops.vote && ops.arithmetic && ops.ballot && fixed;
    // The functions take 8-, 16- and 64-bit integers and half as well, where these are not words.
    let features = &caps.features;
    let words_only = !features.shader_int8
        && !features.shader_int16
        && !features.shader_int64
        && !features.shader_float16;
    (operations && (words_only || features.shader_subgroup_extended_types)).then_some(subgroup.size)
}

/// The sizes of sub-groups that a kernel can require.
pub fn sub_group_sizes(caps: &Capabilities) -> Vec<u32> {
    match sub_group_size(caps) {
        Some(_) => caps.subgroup.sizes(),
        None => Vec::new(),
    }
}

/// The version of OpenCL that a device has: 3.1 demands sub-groups with shuffles (and rotations and
/// the wider types, which follow from them); whatever else it demands every device has.
pub fn version(caps: &Capabilities) -> (u8, u8) {
    if shuffles(caps) { (3, 1) } else { (3, 0) }
}

/// CL_DEVICE_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR and CL_DEVICE_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR.
pub fn semaphore_handles(caps: &Capabilities) -> Vec<u32> {
    let kinds = [
        opencl_sys::CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR,
        opencl_sys::CL_SEMAPHORE_HANDLE_SYNC_FD_KHR,
    ];
    let known = kinds.into_iter().zip(caps.semaphore_fds);
    known
        .filter_map(|(kind, there)| there.then_some(kind))
        .collect()
}

/// CL_DEVICE_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR.
pub fn memory_handles(caps: &Capabilities) -> Vec<u32> {
    let kinds = [
        opencl_sys::CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR,
        opencl_sys::CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR,
    ];
    let known = kinds.into_iter().zip(caps.memory_fds);
    known
        .filter_map(|(kind, there)| there.then_some(kind))
        .collect()
}
