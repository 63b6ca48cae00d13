//! Kernel arguments and the module's own data: blocks, buffers, push constants.

use super::builder::Id;
use super::descriptors::Slot;
use super::emitter::{ArgBlock, Emitter};
use super::images;
use pumice_budget as budget;
use pumice_ir::LowerError;
use pumice_ir::analysis::bases::Base;
use pumice_ir::{AddressSpace, HandleInfo, Type};
use pumice_reflection::MAX_INITIAL_DATA;
use pumice_target::abi::PodPlace;
use rspirv::spirv::{Decoration, Op, StorageClass};

/// Constant data beyond this does not become a private array, in bytes.
const MAX_PRIVATE_CONSTANTS: u64 = 64 << 10;

/// A fact that the driver tells: the argument, and the kind of fact.
type Told = (u32, HandleInfo);

/// The place of a fact that the driver tells of an image or sampler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InfoPlace {
    /// At this byte of the push constants.
    Push(u32),
    /// At this byte of a uniform buffer (the variable).
    Uniform(Id, Slot, u32),
}

impl Emitter<'_> {
    /// Finds places for the argument blocks of all kernels, and declares what they need.
    pub fn declare_arguments(&mut self) -> Result<(), LowerError> {
        let limit = self.target.max_push_constants_size;
        let base = self.constants.end;
        let mut push_bytes = base;
        for k in 0..self.arg_layouts.len() {
            let infos: Vec<_> = images::infos(self.module, self.module.kernels[k].func)
                .into_iter()
                .collect();
            let (pushed, in_block) = self.split_infos(k, infos, base);
            let start = (base + 4 * pushed.len() as u32).next_multiple_of(8);
            if !pushed.is_empty() {
                push_bytes = push_bytes.max(base + 4 * pushed.len() as u32);
            }
            for ((ordinal, which), n) in pushed.into_iter().zip(0..) {
                let place = InfoPlace::Push(base + 4 * n);
                self.info_places.insert((k as u32, ordinal, which), place);
            }
            let more = 4 * in_block.len() as u32;
            let blocks = if self.has_buffers() {
                self.pod_blocks(k, start, more, &mut push_bytes)?
            } else {
                let size = self.arg_layouts[k].size;
                let block = if in_block.is_empty() && start + size <= limit {
                    push_bytes = push_bytes.max(start + size);
                    ArgBlock::Push(start)
                } else {
                    let slot = Slot { set: 0, binding: 0 };
                    ArgBlock::Uniform(self.uniform_block(size + more, slot), slot)
                };
                vec![(0, block)]
            };
            if let Some(&(first, ArgBlock::Uniform(var, slot))) = blocks.last() {
                let behind = self.arg_layouts[k].size - first;
                for ((ordinal, which), n) in in_block.into_iter().zip(0..) {
                    let place = InfoPlace::Uniform(var, slot, behind + 4 * n);
                    self.info_places.insert((k as u32, ordinal, which), place);
                }
            }
            self.arg_blocks.push(blocks);
        }
        // Without descriptors only what the driver tells of samplers has no other place.
        if push_bytes > limit && (self.has_buffers() || !self.info_places.is_empty()) {
            return Err(LowerError::new(format!(
                "the module's own push constants take {push_bytes} bytes, the device has {limit}"
            )));
        }
        self.push_words = push_bytes.div_ceil(4);
        if self.push_words == 0 {
            return Ok(());
        }
        let array = self.word_array(self.push_words);
        let block = self.block(array);
        let ptr = self.b.ty_pointer(StorageClass::PushConstant, block);
        let var = self.b.variable(ptr, StorageClass::PushConstant);
        self.b.name(var, "push_constants");
        self.push_var = Some(var);
        Ok(())
    }

    /// Divides the facts that the driver tells of a kernel's images and samplers into those in push
    /// constants and those behind its arguments in a uniform buffer. Masks of samplers can only be
    /// pushed.
    fn split_infos(&self, k: usize, infos: Vec<Told>, base: u32) -> (Vec<Told>, Vec<Told>) {
        let size = self.arg_layouts[k].size;
        let uniform = match &self.descriptors {
            Some(descriptors) => {
                let blocks = !descriptors.kernels[k].blocks.is_empty();
                blocks && descriptors.options.pods == PodPlace::Uniform
            }
            None => {
                let start = (base + 4 * infos.len() as u32).next_multiple_of(8);
                start + size > self.target.max_push_constants_size
            }
        };
        let is_pushed = |told: &Told| !uniform || told.1 == HandleInfo::SamplerMask;
        infos.into_iter().partition(is_pushed)
    }

    /// The blocks of plain data of a kernel with descriptors; the last uniform one is longer by
    /// `more` bytes.
    fn pod_blocks(
        &mut self,
        k: usize,
        base: u32,
        more: u32,
        push_bytes: &mut u32,
    ) -> Result<Vec<(u32, ArgBlock)>, LowerError> {
        let Some(descriptors) = &self.descriptors else {
            return Ok(Vec::new());
        };
        let options = &descriptors.options;
        let uniform = options.pods == PodPlace::Uniform;
        // Only one block can be the last thing in push constants.
        let may_push = options.pods == PodPlace::PushConstantOrStorage && options.cluster_pods;
        let limit = self.target.max_push_constants_size;
        // As aligned in push constants as in the block.
        let base = base.next_multiple_of(16);
        let mut blocks = Vec::new();
        let list = descriptors.kernels[k].blocks.clone();
        let last = list.len().saturating_sub(1);
        for (i, block) in list.into_iter().enumerate() {
            let place = match block.slot {
                Some(_) if may_push && base + block.size <= limit => {
                    *push_bytes = (*push_bytes).max(base + block.size);
                    ArgBlock::Push(base)
                }
                None => {
                    let end = base + block.size;
                    if end > limit {
                        return Err(LowerError::new(format!(
                            "the plain data of kernel '{}' ends at byte {end} of the push \
                             constants, -max-pushconstant-size is {limit}",
                            self.module.kernels[k].name
                        )));
                    }
                    *push_bytes = (*push_bytes).max(end);
                    ArgBlock::Push(base)
                }
                Some(slot) if uniform => {
                    let end = block.size.next_multiple_of(4) + if i == last { more } else { 0 };
                    ArgBlock::Uniform(self.uniform_block(end, slot), slot)
                }
                Some(slot) => {
                    let array = self.word_array(block.size.div_ceil(4));
                    let ty = self.block(array);
                    let var = self.bound_variable(ty, StorageClass::StorageBuffer, slot);
                    self.b.decorate_member(ty, 0, Decoration::NonWritable, &[]);
                    self.b.name(var, "arguments");
                    ArgBlock::Storage(var, slot)
                }
            };
            blocks.push((block.start, place));
        }
        Ok(blocks)
    }

    fn word_array(&mut self, words: u32) -> Id {
        let u32_ty = self.b.ty_int(32);
        let length = self.b.const_u32(words);
        let array = self.b.global(Op::TypeArray, None, &[u32_ty, length]);
        self.b.decorate(array, Decoration::ArrayStride, &[4]);
        array
    }

    /// A uniform buffer of 16-byte elements.
    fn uniform_block(&mut self, bytes: u32, slot: Slot) -> Id {
        let u32_ty = self.b.ty_int(32);
        let v4 = self.b.ty_vector(u32_ty, 4);
        let length = self.b.const_u32(bytes.div_ceil(16).max(1));
        let array = self.b.global(Op::TypeArray, None, &[v4, length]);
        self.b.decorate(array, Decoration::ArrayStride, &[16]);
        let block = self.block(array);
        let var = self.bound_variable(block, StorageClass::Uniform, slot);
        self.b.name(var, "arguments");
        var
    }

    /// The bytes of the program's constants or variables, without the addresses in them.
    pub fn data_bytes(&self, constants: bool) -> Result<Vec<u8>, LowerError> {
        let size = self.data_sizes[usize::from(!constants)];
        if size > MAX_INITIAL_DATA {
            return Err(LowerError::new(format!(
                "{size} bytes of program-scope data are more than {} MiB",
                MAX_INITIAL_DATA >> 20
            )));
        }
        // The bytes here; what is not zero as digits, in words, and in the finished module.
        let initial = self.module.globals.values().map(|g| g.init.len() as u64);
        budget::charge(size + 6 * initial.sum::<u64>())?;
        // No buffer is empty, whatever the objects in it are.
        let mut bytes = vec![0u8; size.max(1) as usize];
        for (id, global) in &self.module.globals {
            let Some(&at) = self.data_offsets.get(&id) else {
                continue;
            };
            let is_constant = self.has_buffers() && global.space == AddressSpace::Constant;
            if is_constant == constants {
                let at = at as usize;
                bytes[at..at + global.init.len()].copy_from_slice(&global.init);
            }
        }
        Ok(bytes)
    }

    /// Constant data as a private array, where it gets no buffer.
    pub fn declare_private_constants(&mut self) -> Result<(), LowerError> {
        let in_buffer = self
            .descriptors
            .as_ref()
            .map(|d| d.options.constants_in_buffer);
        if in_buffer != Some(false) || self.data_sizes[0] == 0 {
            return Ok(());
        }
        if self.data_sizes[0] > MAX_PRIVATE_CONSTANTS {
            return Err(LowerError::new(format!(
                "{} bytes of constant data are too many for private memory: \
                 -module-constants-in-storage-buffer gives them a buffer",
                self.data_sizes[0]
            )));
        }
        let bytes = self.data_bytes(true)?;
        let words: Vec<Id> = bytes
            .chunks(4)
            .map(|chunk| {
                let mut word = [0; 4];
                word[..chunk.len()].copy_from_slice(chunk);
                self.b.const_u32(u32::from_le_bytes(word))
            })
            .collect();
        let u32_ty = self.b.ty_int(32);
        let length = self.b.const_u32(words.len() as u32);
        let array = self.b.unique(Op::TypeArray, None, &[u32_ty, length]);
        let data = self.b.unique(Op::ConstantComposite, Some(array), &words);
        let ptr = self.b.ty_pointer(StorageClass::Private, array);
        let private = StorageClass::Private as u32;
        let var = self.b.global(Op::Variable, Some(ptr), &[private, data]);
        self.b.name(var, "constants");
        self.private_constants = Some(var);
        Ok(())
    }

    /// One word of the current kernel's argument block.
    pub fn argument_word(&mut self, block: ArgBlock, word: u32) -> Result<Id, LowerError> {
        let index = match block {
            ArgBlock::Push(base) => self.b.const_u32(base / 4 + word),
            ArgBlock::Storage(..) => self.b.const_u32(word),
            ArgBlock::Uniform(..) => {
                let place = [word / 4, word % 4].map(|n| self.b.const_u32(n));
                return self.block_word(block, &place);
            }
        };
        self.block_word(block, &[index])
    }

    /// The word of an argument block at these indices into its array.
    fn block_word(&mut self, block: ArgBlock, indices: &[Id]) -> Result<Id, LowerError> {
        let (var, class) = match block {
            ArgBlock::Push(_) => (self.push_variable()?, StorageClass::PushConstant),
            ArgBlock::Storage(var, _) => (var, StorageClass::StorageBuffer),
            ArgBlock::Uniform(var, _) => (var, StorageClass::Uniform),
        };
        self.cur_uses.insert(var);
        let u32_ty = self.b.ty_int(32);
        let ptr = self.b.ty_pointer(class, u32_ty);
        let mut operands = vec![var, self.b.const_u32(0)];
        operands.extend_from_slice(indices);
        let chain = self.b.op(Op::AccessChain, ptr, &operands);
        Ok(self.b.op(Op::Load, u32_ty, &[chain]))
    }

    /// The block of the current kernel that holds a byte, and where the block begins.
    fn argument_block(&self, offset: u32) -> Result<(u32, ArgBlock), LowerError> {
        self.kernel_of[self.cur]
            .and_then(|k| {
                let blocks = &self.arg_blocks[k as usize];
                blocks.iter().rev().find(|(start, _)| *start <= offset)
            })
            .copied()
            .ok_or_else(|| LowerError::new("internal: argument read outside a kernel"))
    }

    /// The word `index` words behind a byte offset of the argument block.
    pub fn load_arg_word(&mut self, offset: u32, index: Id) -> Result<Id, LowerError> {
        let (start, block) = self.argument_block(offset)?;
        let first = match block {
            ArgBlock::Push(base) => base + offset - start,
            _ => offset - start,
        };
        let u32_ty = self.b.ty_int(32);
        let first = self.b.const_u32(first / 4);
        let word = self.b.op(Op::IAdd, u32_ty, &[index, first]);
        if !matches!(block, ArgBlock::Uniform(..)) {
            return self.block_word(block, &[word]);
        }
        let (two, three) = (self.b.const_u32(2), self.b.const_u32(3));
        let row = self.b.op(Op::ShiftRightLogical, u32_ty, &[word, two]);
        let column = self.b.op(Op::BitwiseAnd, u32_ty, &[word, three]);
        self.block_word(block, &[row, column])
    }

    /// A kernel argument at a byte offset of the argument block.
    pub fn load_arg(&mut self, offset: u32, ty: Type) -> Result<Id, LowerError> {
        if self.is_offset_pointer(ty) {
            // Its buffer begins there.
            return Ok(self.b.const_u32(0));
        }
        if self.has_buffers() && ty.scalar.is_ptr() {
            let number = u64::from(Base::Arg(offset).number());
            return Ok(self.wide_constant(number << 32));
        }
        let (start, block) = self.argument_block(offset)?;
        let offset = offset - start;
        let size = ty.scalar.bytes();
        let mut lanes = Vec::with_capacity(usize::from(ty.lanes));
        for lane in 0..u32::from(ty.lanes) {
            let at = offset + lane * size;
            // The high word comes first: Mesa turns their order around, and NVK's compiler keeps a pointer where it was
            // loaded only if the low word was loaded before, and moves it in each round of a loop if not.
            let high = match size {
                8 => Some(self.argument_word(block, at / 4 + 1)?),
                _ => None,
            };
            let word = self.argument_word(block, at / 4)?;
            let bits = match (size, high) {
                (_, Some(high)) => self.wide_of_words([word, high]),
                (4, _) => word,
                _ => {
                    let u32_ty = self.b.ty_int(32);
                    let narrow = self.b.ty_int(size * 8);
                    let mut word = word;
                    if at % 4 != 0 {
                        let shift = self.b.const_u32(at % 4 * 8);
                        word = self.b.op(Op::ShiftRightLogical, u32_ty, &[word, shift]);
                    }
                    self.b.op(Op::UConvert, narrow, &[word])
                }
            };
            lanes.push(self.register_form(bits, ty.scalar));
        }
        Ok(self.build(ty, &lanes))
    }
}
