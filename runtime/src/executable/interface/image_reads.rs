//! The storage images without a format that a module reads. Pipelines of devices that need the format name that of the
//! argument (`image_formats.rs`).

use pumice_spirv::{Inst, op};
use pumice_vulkan_layer::Capabilities;
use rustc_hash::{FxHashMap, FxHashSet};

/// OpImageRead and OpImageSparseRead.
const READS: [u16; 2] = [98, 320];
/// OpAccessChain to OpInBoundsPtrAccessChain: elements of arrays of images.
const CHAINS: std::ops::RangeInclusive<u16> = 65..=70;
/// OpCopyObject.
const COPY: u16 = 83;
/// The operand Sampled of images that are storage images.
const STORAGE: u32 = 2;
/// The operand Dim of texel buffers.
const BUFFER: u32 = 5;
/// The operand Image Format of images without one.
const UNKNOWN: u32 = 0;

/// See the module.
#[derive(Debug, Default)]
pub(in crate::executable) struct ImageReads {
    /// Types of storage images without a format, and whether they are of texel buffers.
    types: FxHashMap<u32, bool>,
    /// Variables that hold such an image, likewise.
    variables: FxHashMap<u32, bool>,
    /// Images that were loaded, and their variables.
    loads: FxHashMap<u32, u32>,
    read: FxHashSet<u32>,
    /// Some image is read whose variable does not show, or the module names formats itself.
    is_unclear: bool,
}

impl ImageReads {
    /// Notes a type of images, by its operands.
    pub fn image_type(&mut self, operands: &[u32]) {
        if let &[id, _, dim, _, _, _, STORAGE, format, ..] = operands {
            match format {
                UNKNOWN => {
                    self.types.insert(id, dim == BUFFER);
                }
                // A type that names a format could be one that a pipeline needs, and types are unique.
                _ => self.is_unclear = true,
            }
        }
    }

    /// Notes a variable of the UniformConstant class, by the type that it holds.
    pub fn variable(&mut self, variable: u32, ty: u32) {
        if let Some(&of_buffer) = self.types.get(&ty) {
            self.variables.insert(variable, of_buffer);
        }
    }

    /// Notes an instruction of a function.
    pub fn instruction(&mut self, inst: &Inst<'_>) {
        // Most modules have none of these images.
        if self.types.is_empty() {
            return;
        }
        match (inst.opcode, inst.operands) {
            (op::LOAD, &[_, image, variable, ..]) if self.variables.contains_key(&variable) => {
                self.loads.insert(image, variable);
            }
            (opcode, &[_, _, image, ..]) if READS.contains(&opcode) => {
                match self.loads.get(&image) {
                    Some(&variable) => {
                        self.read.insert(variable);
                    }
                    None => self.is_unclear = true,
                }
            }
            (opcode, operands)
                if opcode == op::FUNCTION_CALL || opcode == COPY || CHAINS.contains(&opcode) =>
            {
                let handed_on =
                    |id: &u32| self.variables.contains_key(id) || self.loads.contains_key(id);
                self.is_unclear |= operands.iter().any(handed_on);
            }
            _ => {}
        }
    }

    /// Returns whether every image that is read shows its variable, so that its type can name a format.
    pub fn are_clear(&self) -> bool {
        !self.is_unclear
    }

    /// The variables whose images need a format: those that are read, of the kinds that the device does not read without.
    pub fn need_formats(&self, caps: &Capabilities) -> Vec<u32> {
        let images = !caps.features.shader_storage_image_read_without_format;
        let texels = images || caps.formats.texel_reads_name_formats;
        let needs = |variable: &u32| match self.variables.get(variable) {
            Some(true) => texels,
            _ => images,
        };
        let mut variables: Vec<u32> = self.read.iter().copied().filter(needs).collect();
        variables.sort_unstable();
        variables
    }
}
