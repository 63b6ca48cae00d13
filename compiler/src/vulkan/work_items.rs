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

    /// One of the three 64-bit numbers of a module push constant of 24 bytes.
    fn wide_lane(&mut self, constant: ModuleConstant, lane: u32) -> Result<Id, LowerError> {
        let base = self.constant_offset(constant)?;
        self.push_u64(base + 8 * lane)
    }

    /// One of the three words of a module push constant of 12 bytes.
    fn narrow_lane(&mut self, constant: ModuleConstant, lane: u32) -> Result<Id, LowerError> {
        let word = self.constant_offset(constant)? / 4;
        self.push_word(word + lane)
    }

    /// One lane of an input of three words.
    fn input_lane(&mut self, builtin: SpvBuiltIn, lane: u32) -> Id {
        let u32_ty = self.b.int(32);
        let v3 = self.b.vector(u32_ty, 3);
        let loaded = self.input(builtin, v3);
        self.b.op(Op::CompositeExtract, u32_ty, &[loaded, lane])
    }

    /// One lane of a three-lane built-in: 64 bits.
    pub fn builtin_lane(&mut self, which: BuiltIn, lane: u32) -> Result<Id, LowerError> {
        let u32_ty = self.b.int(32);
        let u64_ty = self.b.int(64);
        let narrow = match which {
            BuiltIn::GlobalId => {
                let id = self.input_lane(SpvBuiltIn::GlobalInvocationId, lane);
                let id = self.widen(id);
                let offset = self.wide_lane(ModuleConstant::RegionOffset, lane)?;
                return Ok(self.b.op(Op::IAdd, u64_ty, &[id, offset]));
            }
            BuiltIn::GlobalSize => return self.wide_lane(ModuleConstant::GlobalSize, lane),
            BuiltIn::GlobalOffset => return self.wide_lane(ModuleConstant::GlobalOffset, lane),
            BuiltIn::LocalId => self.input_lane(SpvBuiltIn::LocalInvocationId, lane),
            BuiltIn::GroupId => {
                let id = self.input_lane(SpvBuiltIn::WorkgroupId, lane);
                let offset = self.narrow_lane(ModuleConstant::RegionGroupOffset, lane)?;
                self.b.op(Op::IAdd, u32_ty, &[id, offset])
            }
            BuiltIn::LocalSize => self.group_size[lane as usize],
            BuiltIn::EnqueuedLocalSize => {
                self.narrow_lane(ModuleConstant::EnqueuedLocalSize, lane)?
            }
            BuiltIn::NumGroups => self.narrow_lane(ModuleConstant::NumWorkgroups, lane)?,
            other => {
                return Err(LowerError::new(format!("internal: {other:?} has no lanes")));
            }
        };
        Ok(self.widen(narrow))
    }

    /// The low word of [`Self::builtin_lane`].
    pub fn builtin_low_word(&mut self, which: BuiltIn, lane: u32) -> Result<Id, LowerError> {
        let u32_ty = self.b.int(32);
        let wide = match which {
            BuiltIn::GlobalId => ModuleConstant::RegionOffset,
            BuiltIn::GlobalSize => ModuleConstant::GlobalSize,
            BuiltIn::GlobalOffset => ModuleConstant::GlobalOffset,
            BuiltIn::LocalId => return Ok(self.input_lane(SpvBuiltIn::LocalInvocationId, lane)),
            BuiltIn::LocalSize => return Ok(self.group_size[lane as usize]),
            BuiltIn::EnqueuedLocalSize => {
                return self.narrow_lane(ModuleConstant::EnqueuedLocalSize, lane);
            }
            BuiltIn::NumGroups => return self.narrow_lane(ModuleConstant::NumWorkgroups, lane),
            _ => {
                let id = self.builtin_lane(which, lane)?;
                return Ok(self.b.op(Op::UConvert, u32_ty, &[id]));
            }
        };
        let word = self.constant_offset(wide)? / 4 + 2 * lane;
        let low = self.push_word(word)?;
        if which != BuiltIn::GlobalId {
            return Ok(low);
        }
        let id = self.input_lane(SpvBuiltIn::GlobalInvocationId, lane);
        Ok(self.b.op(Op::IAdd, u32_ty, &[id, low]))
    }

    fn lanes(&mut self, which: BuiltIn) -> Result<[Id; 3], LowerError> {
        Ok([
            self.builtin_lane(which, 0)?,
            self.builtin_lane(which, 1)?,
            self.builtin_lane(which, 2)?,
        ])
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
            BuiltIn::GlobalId
            | BuiltIn::LocalId
            | BuiltIn::GroupId
            | BuiltIn::GlobalSize
            | BuiltIn::GlobalOffset
            | BuiltIn::LocalSize
            | BuiltIn::EnqueuedLocalSize
            | BuiltIn::NumGroups => {
                let lanes = self.lanes(which)?;
                let ty = self.ty(Type::vector(Scalar::I64, 3));
                self.b.op(Op::CompositeConstruct, ty, &lanes)
            }
            BuiltIn::GlobalLinearId => {
                let id = self.lanes(BuiltIn::GlobalId)?;
                let offset = self.lanes(BuiltIn::GlobalOffset)?;
                let size = self.lanes(BuiltIn::GlobalSize)?;
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
            // Mesa 22.3's CPU driver leaves a partial sub-group out of its own count.
            BuiltIn::NumSubgroups => self.subgroup_count(self.group_size),
            BuiltIn::SubgroupId => self.subgroup_input(SpvBuiltIn::SubgroupId),
            BuiltIn::SubgroupLocalId => self.subgroup_input(SpvBuiltIn::SubgroupLocalInvocationId),
            BuiltIn::NumEnqueuedSubgroups => {
                let size =
                    [0, 1, 2].map(|i| self.narrow_lane(ModuleConstant::EnqueuedLocalSize, i));
                let [x, y, z] = size;
                self.subgroup_count([x?, y?, z?])
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

    /// The sub-groups of a work-group of that size.
    fn subgroup_count(&mut self, [x, y, z]: [Id; 3]) -> Id {
        let u32_ty = self.b.int(32);
        let max = self.max_subgroup_size();
        let area = self.b.op(Op::IMul, u32_ty, &[x, y]);
        let items = self.b.op(Op::IMul, u32_ty, &[area, z]);
        let one = self.b.u32(1);
        let up = self.b.op(Op::ISub, u32_ty, &[max, one]);
        let sum = self.b.op(Op::IAdd, u32_ty, &[items, up]);
        self.b.op(Op::UDiv, u32_ty, &[sum, max])
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
