//! Work-item built-ins and kernel arguments: inputs, specialization and push constants.

use super::abi::ModuleConstant;
use super::builder::Id;
use super::emitter::{ArgBlock, Emitter};
use crate::ir::{BuiltIn, Scalar, Type};
use crate::passes::LowerError;
use rspirv::spirv::{BuiltIn as SpvBuiltIn, Capability, Op, StorageClass};

impl Emitter<'_> {
    fn constant_offset(&self, constant: ModuleConstant) -> Result<u32, LowerError> {
        self.constants
            .offset(constant)
            .ok_or_else(|| LowerError::new("internal: a module push constant was not laid out"))
    }

    /// A 64-bit number from two words of the push constants.
    fn push_u64(&mut self, byte: u32) -> Result<Id, LowerError> {
        let low = self.push_word(byte / 4)?;
        let high = self.push_word(byte / 4 + 1)?;
        Ok(self.pair_to_u64(low, high))
    }

    fn pair_to_u64(&mut self, low: Id, high: Id) -> Id {
        let u32_ty = self.b.int(32);
        let v2 = self.b.vector(u32_ty, 2);
        let u64_ty = self.b.int(64);
        let pair = self.b.op(Op::CompositeConstruct, v2, &[low, high]);
        self.b.op(Op::Bitcast, u64_ty, &[pair])
    }

    fn widen(&mut self, word: Id) -> Id {
        let u64_ty = self.b.int(64);
        self.b.op(Op::UConvert, u64_ty, &[word])
    }

    /// Three 64-bit numbers of a module push constant of 24 bytes.
    fn wide_triple(&mut self, constant: ModuleConstant) -> Result<[Id; 3], LowerError> {
        let base = self.constant_offset(constant)?;
        Ok([
            self.push_u64(base)?,
            self.push_u64(base + 8)?,
            self.push_u64(base + 16)?,
        ])
    }

    /// Three words of a module push constant of 12 bytes.
    fn narrow_triple(&mut self, constant: ModuleConstant) -> Result<[Id; 3], LowerError> {
        let word = self.constant_offset(constant)? / 4;
        Ok([
            self.push_word(word)?,
            self.push_word(word + 1)?,
            self.push_word(word + 2)?,
        ])
    }

    fn input_triple(&mut self, builtin: SpvBuiltIn) -> [Id; 3] {
        let u32_ty = self.b.int(32);
        let v3 = self.b.vector(u32_ty, 3);
        let loaded = self.input(builtin, v3);
        [0, 1, 2].map(|i| self.b.op(Op::CompositeExtract, u32_ty, &[loaded, i]))
    }

    fn wide_vector(&mut self, lanes: [Id; 3]) -> Id {
        let ty = self.ty(Type::vector(Scalar::I64, 3));
        self.b.op(Op::CompositeConstruct, ty, &lanes)
    }

    fn widened_vector(&mut self, lanes: [Id; 3]) -> Id {
        let lanes = lanes.map(|lane| self.widen(lane));
        self.wide_vector(lanes)
    }

    fn sum(&mut self, a: [Id; 3], b: [Id; 3]) -> [Id; 3] {
        let ty = self.b.int(64);
        [0, 1, 2].map(|i| self.b.op(Op::IAdd, ty, &[a[i], b[i]]))
    }

    fn global_id(&mut self) -> Result<[Id; 3], LowerError> {
        let id = self.input_triple(SpvBuiltIn::GlobalInvocationId);
        let id = id.map(|lane| self.widen(lane));
        let offset = self.wide_triple(ModuleConstant::RegionOffset)?;
        Ok(self.sum(id, offset))
    }

    fn subgroup_input(&mut self, builtin: SpvBuiltIn) -> Id {
        self.b.capability(Capability::GroupNonUniform);
        let u32_ty = self.b.int(32);
        self.input(builtin, u32_ty)
    }

    /// The value of a built-in, of type [`BuiltIn::ty`].
    pub fn builtin(&mut self, which: BuiltIn) -> Result<Id, LowerError> {
        let u32_ty = self.b.int(32);
        let u64_ty = self.b.int(64);
        Ok(match which {
            BuiltIn::GlobalId => {
                let id = self.global_id()?;
                self.wide_vector(id)
            }
            BuiltIn::LocalId => {
                let id = self.input_triple(SpvBuiltIn::LocalInvocationId);
                self.widened_vector(id)
            }
            BuiltIn::GroupId => {
                let id = self.input_triple(SpvBuiltIn::WorkgroupId);
                let offset = self.narrow_triple(ModuleConstant::RegionGroupOffset)?;
                let sum = [0, 1, 2].map(|i| self.b.op(Op::IAdd, u32_ty, &[id[i], offset[i]]));
                self.widened_vector(sum)
            }
            BuiltIn::GlobalSize => {
                let size = self.wide_triple(ModuleConstant::GlobalSize)?;
                self.wide_vector(size)
            }
            BuiltIn::GlobalOffset => {
                let offset = self.wide_triple(ModuleConstant::GlobalOffset)?;
                self.wide_vector(offset)
            }
            BuiltIn::LocalSize => {
                let size = self.group_size;
                self.widened_vector(size)
            }
            BuiltIn::EnqueuedLocalSize => {
                let size = self.narrow_triple(ModuleConstant::EnqueuedLocalSize)?;
                self.widened_vector(size)
            }
            BuiltIn::NumGroups => {
                let groups = self.narrow_triple(ModuleConstant::NumWorkgroups)?;
                self.widened_vector(groups)
            }
            BuiltIn::GlobalLinearId => {
                let id = self.global_id()?;
                let offset = self.wide_triple(ModuleConstant::GlobalOffset)?;
                let size = self.wide_triple(ModuleConstant::GlobalSize)?;
                let at = [0, 1, 2].map(|i| self.b.op(Op::ISub, u64_ty, &[id[i], offset[i]]));
                let row = self.b.op(Op::IMul, u64_ty, &[at[2], size[1]]);
                let row = self.b.op(Op::IAdd, u64_ty, &[row, at[1]]);
                let cell = self.b.op(Op::IMul, u64_ty, &[row, size[0]]);
                self.b.op(Op::IAdd, u64_ty, &[cell, at[0]])
            }
            BuiltIn::LocalLinearId => {
                let index = self.input(SpvBuiltIn::LocalInvocationIndex, u32_ty);
                self.widen(index)
            }
            BuiltIn::WorkDim => {
                let (id, _) = match self.work_dim {
                    Some(pair) => pair,
                    None => {
                        let pair = self.spec_constant(3);
                        self.work_dim = Some(pair);
                        pair
                    }
                };
                id
            }
            BuiltIn::SubgroupMaxSize => self.max_subgroup_size(),
            BuiltIn::SubgroupSize => self.subgroup_size()?,
            BuiltIn::NumSubgroups => self.subgroup_input(SpvBuiltIn::NumSubgroups),
            BuiltIn::SubgroupId => self.subgroup_input(SpvBuiltIn::SubgroupId),
            BuiltIn::SubgroupLocalId => self.subgroup_input(SpvBuiltIn::SubgroupLocalInvocationId),
            BuiltIn::NumEnqueuedSubgroups => {
                let size = self.narrow_triple(ModuleConstant::EnqueuedLocalSize)?;
                let max = self.max_subgroup_size();
                let area = self.b.op(Op::IMul, u32_ty, &[size[0], size[1]]);
                let items = self.b.op(Op::IMul, u32_ty, &[area, size[2]]);
                let one = self.b.u32(1);
                let up = self.b.op(Op::ISub, u32_ty, &[max, one]);
                let sum = self.b.op(Op::IAdd, u32_ty, &[items, up]);
                self.b.op(Op::UDiv, u32_ty, &[sum, max])
            }
            BuiltIn::SubgroupEqMask
            | BuiltIn::SubgroupGeMask
            | BuiltIn::SubgroupGtMask
            | BuiltIn::SubgroupLeMask
            | BuiltIn::SubgroupLtMask => {
                self.b.capability(Capability::GroupNonUniformBallot);
                let builtin = match which {
                    BuiltIn::SubgroupEqMask => SpvBuiltIn::SubgroupEqMask,
                    BuiltIn::SubgroupGeMask => SpvBuiltIn::SubgroupGeMask,
                    BuiltIn::SubgroupGtMask => SpvBuiltIn::SubgroupGtMask,
                    BuiltIn::SubgroupLeMask => SpvBuiltIn::SubgroupLeMask,
                    _ => SpvBuiltIn::SubgroupLtMask,
                };
                let v4 = self.b.vector(u32_ty, 4);
                self.input(builtin, v4)
            }
            BuiltIn::PrintfBuffer => {
                let base = self.constant_offset(ModuleConstant::PrintfBuffer)?;
                self.push_u64(base)?
            }
        })
    }

    fn max_subgroup_size(&mut self) -> Id {
        let (id, _) = match self.subgroup_max_size {
            Some(pair) => pair,
            None => {
                let pair = self.spec_constant(self.target.max_subgroup_size.max(1));
                self.subgroup_max_size = Some(pair);
                pair
            }
        };
        id
    }

    /// The work-items in this sub-group: the last one of a work-group may be partial.
    fn subgroup_size(&mut self) -> Result<Id, LowerError> {
        let u32_ty = self.b.int(32);
        let full = self.subgroup_input(SpvBuiltIn::SubgroupSize);
        let id = self.subgroup_input(SpvBuiltIn::SubgroupId);
        let [x, y, z] = self.group_size;
        let area = self.b.op(Op::IMul, u32_ty, &[x, y]);
        let items = self.b.op(Op::IMul, u32_ty, &[area, z]);
        let before = self.b.op(Op::IMul, u32_ty, &[id, full]);
        let left = self.b.op(Op::ISub, u32_ty, &[items, before]);
        let bool_ty = self.b.bool();
        let partial = self.b.op(Op::ULessThan, bool_ty, &[left, full]);
        Ok(self.b.op(Op::Select, u32_ty, &[partial, left, full]))
    }

    /// The address of the program-scope buffer plus `offset`.
    pub fn program_scope_address(&mut self, offset: u64) -> Result<Id, LowerError> {
        let base = self.constant_offset(ModuleConstant::ProgramScope)?;
        let address = self.push_u64(base)?;
        if offset == 0 {
            return Ok(address);
        }
        let u64_ty = self.b.int(64);
        let offset = self.b.const_int(64, offset);
        Ok(self.b.op(Op::IAdd, u64_ty, &[address, offset]))
    }

    /// One word of the current kernel's argument block.
    fn argument_word(&mut self, block: ArgBlock, word: u32) -> Result<Id, LowerError> {
        match block {
            ArgBlock::Push(base) => self.push_word(base / 4 + word),
            ArgBlock::Uniform(var) => {
                self.cur_uses.insert(var);
                let u32_ty = self.b.int(32);
                let ptr = self.b.pointer(StorageClass::Uniform, u32_ty);
                let zero = self.b.u32(0);
                let (row, column) = (self.b.u32(word / 4), self.b.u32(word % 4));
                let chain = self.b.op(Op::AccessChain, ptr, &[var, zero, row, column]);
                Ok(self.b.op(Op::Load, u32_ty, &[chain]))
            }
        }
    }

    /// A kernel argument at a byte offset of the argument block.
    pub fn load_arg(&mut self, offset: u32, ty: Type) -> Result<Id, LowerError> {
        let block = self.kernel_of[self.cur]
            .map(|k| self.arg_blocks[k as usize])
            .ok_or_else(|| LowerError::new("internal: argument read outside a kernel"))?;
        let size = ty.scalar.bytes();
        let mut lanes = Vec::with_capacity(usize::from(ty.lanes));
        for lane in 0..u32::from(ty.lanes) {
            let at = offset + lane * size;
            let word = self.argument_word(block, at / 4)?;
            let bits = match size {
                8 => {
                    let high = self.argument_word(block, at / 4 + 1)?;
                    self.pair_to_u64(word, high)
                }
                4 => word,
                _ => {
                    let u32_ty = self.b.int(32);
                    let narrow = self.b.int(size * 8);
                    let mut word = word;
                    if at % 4 != 0 {
                        let shift = self.b.u32(at % 4 * 8);
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
