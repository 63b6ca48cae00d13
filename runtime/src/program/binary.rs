//! Program binaries.
//!
//! Our own container: a header {magic, format version, kind, options of lowering, word counts,
//! compiler version, hash of the target, hash of the options and of everything behind the header}, then Kernel words,
//! then Vulkan words, then those of the form with descriptors.
//!
//! Binaries from the application may be damaged, and a hash that fits is easily made: Vulkan words go to
//! the driver, which checks nothing, so a binary is lowered again from its Kernel words, which the
//! importer does not trust. The options of lowering stand in the header for that. Only the program
//! cache's own entries, which nobody else can write, are taken with their Vulkan words.
//!
//! A bare Vulkan SPIR-V module with NonSemantic.ClspvReflection is accepted as well (the door for
//! modules made by clspv). Anything else is CL_INVALID_BINARY.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use opencl_sys as cl;
use pumice_compiler::options::MathOptions;
use pumice_compiler::{KernelModule, VulkanModule};

use crate::device::Device;
use crate::program::Build;

const MAGIC: [u8; 8] = *b"\x7fPUMICE\n";
const FORMAT: u32 = 3;
/// Magic, then format, kind, two word counts, options of lowering and the third word count (u32 each), version,
/// target and contents hashes (u64 each).
const HEADER: usize = 8 + 6 * 4 + 3 * 8;

/// FNV-1a of 64-bit numbers, whose upper bits reach the lower ones: detects damage, not malice; what is read is checked like
/// any other module.
#[derive(Clone, Copy)]
struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv {
    fn add(&mut self, number: u64) {
        let product = (self.0 ^ number).wrapping_mul(0x0100_0000_01b3);
        self.0 = product ^ product >> 32;
    }
}

impl Hasher for Fnv {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.add(u64::from(*byte));
        }
    }
}

/// Writes the options of lowering as bits and reads them back, by the one list of fields. Neither
/// direction compiles without every field, so that a new one is not forgotten.
macro_rules! options_as_bits {
    ($($field:ident,)*) => {
        fn bits_of(math: &MathOptions) -> u32 {
            let MathOptions { $($field,)* } = *math;
            (0..).zip([$($field,)*]).map(|(bit, set)| u32::from(set) << bit).sum()
        }

        fn math_of(bits: u32) -> MathOptions {
            let mut bits = (0..u32::BITS).map(|bit| bits >> bit & 1 != 0);
            MathOptions { $($field: bits.next().unwrap_or_default(),)* }
        }
    };
}

options_as_bits! {
    single_precision_constant,
    denorms_are_zero,
    correctly_rounded_divide_sqrt,
    opt_disable,
    mad_enable,
    no_signed_zeros,
    unsafe_math,
    finite_math_only,
    fast_relaxed,
    uniform_work_group_size,
    no_subgroup_ifp,
    native,
}

/// The options of either.
pub(crate) fn either(one: &MathOptions, other: &MathOptions) -> MathOptions {
    math_of(bits_of(one) | bits_of(other))
}

/// The hash of what decides the program.
fn contents_hash(options: u32, body: &[u8]) -> u64 {
    let mut hash = Fnv::default();
    hash.add(options.into());
    // Bodies are words, and a step for two of them takes as long as one for a byte.
    for words in body.chunks(8) {
        let mut bytes = [0; 8];
        bytes[..words.len()].copy_from_slice(words);
        hash.add(u64::from_le_bytes(bytes));
    }
    hash.finish()
}

fn hash_of(value: &impl Hash) -> u64 {
    let mut hasher = Fnv::default();
    value.hash(&mut hasher);
    hasher.finish()
}

fn version_hash() -> u64 {
    hash_of(&(env!("CARGO_PKG_VERSION"), FORMAT))
}

/// The hash of the target that a binary's Vulkan words were made for.
pub(crate) fn target_hash(device: &Device) -> u64 {
    device.target().map_or(0, |target| hash_of(&*target))
}

/// The contents of a binary.
#[derive(Debug, Default)]
pub struct BinaryContents {
    kernel: Option<KernelModule>,
    vulkan: Option<VulkanModule>,
    descriptors: Option<VulkanModule>,
    math: MathOptions,
    binary_type: u32,
}

impl BinaryContents {
    /// Without the Vulkan words where they can be made again.
    fn without_derived(self) -> Self {
        let vulkan = match self.kernel {
            Some(_) => None,
            None => self.vulkan,
        };
        Self {
            vulkan,
            descriptors: None,
            ..self
        }
    }

    /// Makes a device's state of it: loaded, not yet built.
    pub fn store(self, build: &mut Build) {
        build.kernel_module = self.kernel.map(Arc::new);
        build.vulkan_module = self.vulkan.map(Arc::new);
        build.descriptor_module = self.descriptors.map(Arc::new);
        build.lowered_with = self.math;
        build.binary_type = self.binary_type;
    }
}

/// Reads a binary for a device.
///
/// # Errors
/// The reason of CL_INVALID_BINARY for anything that is neither ours nor a Vulkan module with
/// reflection.
pub fn read(bytes: &[u8], device: &Device) -> Result<BinaryContents, String> {
    if let Some(words) = pumice_spirv::module_words(bytes) {
        return read_bare(words);
    }
    let contents = read_container(bytes, target_hash(device));
    contents
        .map(BinaryContents::without_derived)
        .ok_or_else(|| refusal(bytes).to_string())
}

/// The reason why bytes are not a binary of this driver.
fn refusal(bytes: &[u8]) -> &'static str {
    if !bytes.starts_with(&MAGIC) {
        return "it was not made by Pumice (other drivers' binaries cannot be used)";
    }
    let format = bytes.get(8..12).map(|field| field == FORMAT.to_le_bytes());
    if format == Some(false) {
        return "it was made by another version of Pumice; build the program again";
    }
    "it is damaged or cut off"
}

fn read_bare(words: Vec<u32>) -> Result<BinaryContents, String> {
    // Only a module that says what its kernels are: others, IL among them, are no binaries.
    match pumice_reflection::read(&words) {
        Ok(_) => Ok(BinaryContents {
            vulkan: Some(VulkanModule { words }),
            binary_type: cl::CL_PROGRAM_BINARY_TYPE_EXECUTABLE,
            ..BinaryContents::default()
        }),
        Err(error) => Err(format!(
            "it is SPIR-V that says nothing about its kernels ({error}); give IL to clCreateProgramWithIL"
        )),
    }
}

/// Reads a container; its Vulkan words only if they were made for `target` by this version.
pub(crate) fn read_container(bytes: &[u8], target: u64) -> Option<BinaryContents> {
    let u32_at = |at: usize| {
        let field: [u8; 4] = bytes.get(at..at + 4)?.try_into().ok()?;
        Some(u32::from_le_bytes(field))
    };
    let u64_at = |at: usize| {
        let field: [u8; 8] = bytes.get(at..at + 8)?.try_into().ok()?;
        Some(u64::from_le_bytes(field))
    };
    if bytes.get(..8)? != MAGIC || u32_at(8)? != FORMAT {
        return None;
    }
    let binary_type = u32_at(12)?;
    let kernel_words = u32_at(16)? as usize;
    let vulkan_words = u32_at(20)? as usize;
    let math = math_of(u32_at(24)?);
    let descriptor_words = u32_at(28)? as usize;
    if u32_at(24)? != bits_of(&math) {
        return None;
    }
    let (version, made_for, contents) = (u64_at(32)?, u64_at(40)?, u64_at(48)?);
    let body = bytes.get(HEADER..)?;
    let all_words = kernel_words + vulkan_words + descriptor_words;
    if body.len() != all_words.checked_mul(4)? {
        return None;
    }
    if contents_hash(bits_of(&math), body) != contents {
        return None;
    }
    let words = |bytes: &[u8]| -> Vec<u32> {
        bytes
            .chunks_exact(4)
            .map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]]))
            .collect()
    };
    let (kernel, lowered) = body.split_at(kernel_words * 4);
    let (vulkan, descriptors) = lowered.split_at(vulkan_words * 4);
    let known = [
        cl::CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT,
        cl::CL_PROGRAM_BINARY_TYPE_LIBRARY,
        cl::CL_PROGRAM_BINARY_TYPE_EXECUTABLE,
    ];
    if !known.contains(&binary_type) {
        return None;
    }
    let kernel = (!kernel.is_empty()).then(|| KernelModule {
        words: words(kernel),
        is_library: binary_type == cl::CL_PROGRAM_BINARY_TYPE_LIBRARY,
    });
    // Vulkan words of another version or device are made again from the Kernel words; a binary
    // that has only Vulkan words came from outside and is checked by its reflection.
    let fresh = version == version_hash() && made_for == target;
    let vulkan = (!vulkan.is_empty() && (fresh || kernel.is_none())).then(|| VulkanModule {
        words: words(vulkan),
    });
    if kernel.is_none() && vulkan.is_none() {
        return None;
    }
    let descriptors = (!descriptors.is_empty() && fresh).then(|| VulkanModule {
        words: words(descriptors),
    });
    Some(BinaryContents {
        kernel,
        vulkan,
        descriptors,
        math,
        binary_type,
    })
}

/// A device's binary, for the application; empty when there is none. Vulkan words that would be made
/// again are left out.
pub fn write(build: &Build, device: &Device) -> Vec<u8> {
    let vulkan = match build.kernel_module {
        Some(_) => None,
        None => build.vulkan_module.clone(),
    };
    let build = Build {
        vulkan_module: vulkan,
        descriptor_module: None,
        ..build.clone()
    };
    write_all(&build, device)
}

/// A device's binary with everything that there is, for the program cache.
pub(crate) fn write_all(build: &Build, device: &Device) -> Vec<u8> {
    if build.binary_type == cl::CL_PROGRAM_BINARY_TYPE_NONE {
        return Vec::new();
    }
    container(build, target_hash(device))
}

fn container(build: &Build, target: u64) -> Vec<u8> {
    let kernel = build.kernel_module.as_ref().map_or(&[][..], |m| &m.words);
    let vulkan = build.vulkan_module.as_ref().map_or(&[][..], |m| &m.words);
    let descriptors = (build.descriptor_module.as_ref()).map_or(&[][..], |m| &m.words);
    if kernel.is_empty() && vulkan.is_empty() {
        return Vec::new();
    }
    let parts = [kernel, vulkan, descriptors];
    let mut body = Vec::with_capacity(4 * parts.iter().map(|part| part.len()).sum::<usize>());
    for word in parts.into_iter().flatten() {
        body.extend_from_slice(&word.to_le_bytes());
    }
    let options = bits_of(&build.lowered_with);
    let mut bytes = Vec::with_capacity(HEADER + body.len());
    bytes.extend_from_slice(&MAGIC);
    for field in [
        FORMAT,
        build.binary_type,
        kernel.len() as u32,
        vulkan.len() as u32,
        options,
        descriptors.len() as u32,
    ] {
        bytes.extend_from_slice(&field.to_le_bytes());
    }
    for field in [version_hash(), target, contents_hash(options, &body)] {
        bytes.extend_from_slice(&field.to_le_bytes());
    }
    bytes.extend_from_slice(&body);
    bytes
}

#[cfg(test)]
mod tests {
    use super::{HEADER, bits_of, container, math_of, read_container};
    use crate::program::Build;
    use opencl_sys as cl;
    use pumice_compiler::{KernelModule, VulkanModule};
    use std::sync::Arc;

    fn build() -> Build {
        Build {
            kernel_module: Some(Arc::new(KernelModule {
                words: vec![1, 2, 3],
                is_library: false,
            })),
            vulkan_module: Some(Arc::new(VulkanModule { words: vec![4, 5] })),
            descriptor_module: Some(Arc::new(VulkanModule { words: vec![6] })),
            lowered_with: math_of(0b100),
            binary_type: cl::CL_PROGRAM_BINARY_TYPE_EXECUTABLE,
            ..Build::default()
        }
    }

    #[test]
    fn options_are_bits() {
        for bit in 0..12 {
            assert_eq!(bits_of(&math_of(1 << bit)), 1 << bit, "{bit}");
        }
        assert!(math_of(0b100).correctly_rounded_divide_sqrt);
        assert_eq!(bits_of(&math_of(1 << 12)), 0);
    }

    #[test]
    fn what_an_application_passes_is_made_again() {
        let contents = read_container(&container(&build(), 9), 9).unwrap();
        let contents = contents.without_derived();
        assert!(contents.vulkan.is_none() && contents.descriptors.is_none());
        assert_eq!(contents.kernel.unwrap().words, [1, 2, 3]);
        assert!(contents.math.correctly_rounded_divide_sqrt);
        // There is nothing to make it of.
        let bare = Build {
            kernel_module: None,
            descriptor_module: None,
            ..build()
        };
        let contents = read_container(&container(&bare, 9), 9).unwrap();
        assert_eq!(contents.without_derived().vulkan.unwrap().words, [4, 5]);
    }

    #[test]
    fn containers_round_trip() {
        let bytes = container(&build(), 9);
        let contents = read_container(&bytes, 9).unwrap();
        assert_eq!(contents.kernel.unwrap().words, [1, 2, 3]);
        assert_eq!(contents.vulkan.unwrap().words, [4, 5]);
        assert_eq!(contents.descriptors.unwrap().words, [6]);
        // For another device the Kernel words are left to lower again.
        let contents = read_container(&bytes, 8).unwrap();
        assert!(contents.kernel.is_some() && contents.vulkan.is_none());
        assert!(contents.descriptors.is_none());
    }

    #[test]
    fn damage_is_found() {
        let bytes = container(&build(), 9);
        for length in 0..bytes.len() {
            assert!(read_container(&bytes[..length], 9).is_none(), "{length}");
        }
        for at in (0..32).chain(HEADER..bytes.len()) {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x40;
            assert!(read_container(&damaged, 9).is_none(), "byte {at}");
        }
    }
}
