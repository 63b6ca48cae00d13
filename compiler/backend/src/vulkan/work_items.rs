//! Work-item built-ins: inputs, specialization and push constants.
//!
//! The interface's form ([`RangeForm`]) says where ids, sizes and offsets of the range come from.

use super::abi::{ModuleConstant, range_form};
use super::builder::Id;
use super::emitter::Emitter;
use pumice_ir::LowerError;
use pumice_ir::{AddressSpace, ArgLayout, ArgPlace, BuiltIn, EnqueueRole, Scalar, Type};
use pumice_reflection::PromiseKind;
use pumice_target::QuirkKind;
use pumice_target::abi::RangeForm;
use rspirv::spirv::{BuiltIn as SpvBuiltIn, Capability, Op};

impl Emitter<'_> {
    fn constant_offset(&self, constant: ModuleConstant) -> Result<u32, LowerError> {
        self.constants
            .offset(constant)
            .ok_or_else(|| LowerError::new("internal: a module push constant was not laid out"))
    }

    /// A 64-bit number from two words of the push constants.
    pub fn push_u64(&mut self, byte: u32) -> Result<Id, LowerError> {
        let low = self.push_word(byte / 4)?;
        let high = self.push_word(byte / 4 + 1)?;
        Ok(self.wide_of_words([low, high]))
    }

    /// One of the three numbers of an offset or size in push constants, as 64 bits.
    fn wide_lane(&mut self, constant: ModuleConstant, lane: u32) -> Result<Id, LowerError> {
        if self.constants.wide {
            let base = self.constant_offset(constant)?;
            return self.push_u64(base + 8 * lane);
        }
        let word = self.narrow_lane(constant, lane)?;
        Ok(self.widen(word))
    }

    /// The low word of [`Self::wide_lane`].
    fn wide_lane_low(&mut self, constant: ModuleConstant, lane: u32) -> Result<Id, LowerError> {
        match self.constants.wide {
            true => {
                let word = self.constant_offset(constant)? / 4 + 2 * lane;
                self.push_word(word)
            }
            false => self.narrow_lane(constant, lane),
        }
    }

    /// One of the three specialization constants of the global offset.
    fn offset_spec(&mut self, lane: u32) -> Id {
        let all = match self.global_offset {
            Some(all) => all,
            None => {
                let all = [0; 3].map(|zero| self.spec_constant(zero));
                self.global_offset = Some(all);
                all
            }
        };
        all[lane as usize].0
    }

    /// Gives the difference between an id in Vulkan's range and the global id, low word only or 64
    /// bits; `None` for nothing.
    fn id_offset(&mut self, lane: u32, low: bool) -> Result<Option<Id>, LowerError> {
        let constant = match range_form(&self.target.abi) {
            RangeForm::BuiltIns => return Ok(None),
            RangeForm::OffsetSpec => {
                let word = self.offset_spec(lane);
                return Ok(Some(if low { word } else { self.widen(word) }));
            }
            RangeForm::OffsetPush => ModuleConstant::GlobalOffset,
            RangeForm::Regions | RangeForm::WideRegions => ModuleConstant::RegionOffset,
        };
        let offset = match low {
            true => self.wide_lane_low(constant, lane)?,
            false => self.wide_lane(constant, lane)?,
        };
        self.unless_at_zero(offset, low).map(Some)
    }

    /// An offset of the range or region, or 0 where the launch promises that
    /// ([`PromiseKind::NoOffset`]).
    fn unless_at_zero(&mut self, offset: Id, low: bool) -> Result<Id, LowerError> {
        if !self.takes_promises() {
            return Ok(offset);
        }
        let condition = self.promised(PromiseKind::NoOffset);
        if low {
            let (u32_ty, zero) = (self.b.ty_int(32), self.b.const_u32(0));
            return Ok(self.b.op(Op::Select, u32_ty, &[condition, zero, offset]));
        }
        let zero = self.wide_constant(0);
        Ok(self.wide_select(condition, zero, offset))
    }

    /// One of the three words of a module push constant of 12 bytes.
    fn narrow_lane(&mut self, constant: ModuleConstant, lane: u32) -> Result<Id, LowerError> {
        let word = self.constant_offset(constant)? / 4;
        self.push_word(word + lane)
    }

    /// One lane of an input of three words.
    fn input_lane(&mut self, builtin: SpvBuiltIn, lane: u32) -> Id {
        let u32_ty = self.b.ty_int(32);
        let v3 = self.b.ty_vector(u32_ty, 3);
        let loaded = self.input(builtin, v3);
        self.b.op(Op::CompositeExtract, u32_ty, &[loaded, lane])
    }

    /// Returns whether kernels enqueue blocks of the module. They choose the sizes of the blocks' work-groups, of which only
    /// the number of work-items is bounded (CL_KERNEL_WORK_GROUP_SIZE); a device bounds each dimension too.
    pub fn has_blocks(&self) -> bool {
        let mut kernels = self.module.kernels.iter();
        kernels.any(|kernel| matches!(kernel.enqueue, Some(EnqueueRole::Block { .. })))
    }

    /// Returns whether local ids are computed: for [`QuirkKind::LocalIdsFromLanes`], and in a single row, where Vulkan's are
    /// others.
    fn computes_local_ids(&self) -> bool {
        self.single_row || self.target.quirks.has(QuirkKind::LocalIdsFromLanes)
    }

    /// Returns whether the device numbers the sub-groups of a single row, and their lanes, in order.
    fn has_lanes_in_order(&self) -> bool {
        let quirks = [QuirkKind::LocalIdsFromLanes, QuirkKind::SubGroupsInRows];
        quirks.iter().any(|&kind| self.target.quirks.has(kind))
    }

    /// One lane of the local id: 32 bits.
    ///
    /// On devices that number sub-groups and their lanes in order it is computed from those, which
    /// are a scalar and a constant vector there; divisions are by specialization constants. A row
    /// of work-items that holds whole sub-groups has one number for all their lanes.
    fn local_lane(&mut self, lane: u32) -> Id {
        if !self.computes_local_ids() {
            return self.input_lane(SpvBuiltIn::LocalInvocationId, lane);
        }
        let u32_ty = self.b.ty_int(32);
        let bool_ty = self.b.ty_bool();
        if self.has_matrices || !self.has_lanes_in_order() {
            return self.lane_of_row(lane);
        }
        let (zero, one) = (self.b.const_u32(0), self.b.const_u32(1));
        let width = self.b.const_u32(self.target.max_subgroup_size.max(1));
        let number = self.subgroup_input(SpvBuiltIn::SubgroupId);
        let first = self.b.op(Op::IMul, u32_ty, &[number, width]);
        let item = self.subgroup_input(SpvBuiltIn::SubgroupLocalInvocationId);
        let index = self.b.op(Op::IAdd, u32_ty, &[first, item]);
        let [x, y, z] = self.group_size;
        let around = match lane {
            2 => self.b.op(Op::IMul, u32_ty, &[x, y]),
            _ => x,
        };
        let rest = self.b.op(Op::UMod, u32_ty, &[around, width]);
        let whole = self.b.op(Op::IEqual, bool_ty, &[rest, zero]);
        if lane == 0 {
            let rows = self.b.op(Op::IMul, u32_ty, &[y, z]);
            let single = self.b.op(Op::IEqual, bool_ty, &[rows, one]);
            let start = self.b.op(Op::UMod, u32_ty, &[first, x]);
            let start = self.b.op(Op::IAdd, u32_ty, &[start, item]);
            let any = self.b.op(Op::UMod, u32_ty, &[index, x]);
            let wrapped = self.b.op(Op::Select, u32_ty, &[whole, start, any]);
            return self.b.op(Op::Select, u32_ty, &[single, index, wrapped]);
        }
        let same = self.b.op(Op::UDiv, u32_ty, &[first, around]);
        let any = self.b.op(Op::UDiv, u32_ty, &[index, around]);
        let row = self.b.op(Op::Select, u32_ty, &[whole, same, any]);
        if lane == 2 {
            return row;
        }
        let flat = self.b.op(Op::IEqual, bool_ty, &[z, one]);
        let wrapped = self.b.op(Op::UMod, u32_ty, &[row, y]);
        self.b.op(Op::Select, u32_ty, &[flat, row, wrapped])
    }

    /// One lane of the local id, from the place in the row that the group is.
    fn lane_of_row(&mut self, lane: u32) -> Id {
        let u32_ty = self.b.ty_int(32);
        let index = self.input(SpvBuiltIn::LocalInvocationIndex, u32_ty);
        let [x, y, _] = self.group_size;
        if lane == 0 {
            return self.b.op(Op::UMod, u32_ty, &[index, x]);
        }
        let row = self.b.op(Op::UDiv, u32_ty, &[index, x]);
        match lane {
            1 => self.b.op(Op::UMod, u32_ty, &[row, y]),
            _ => self.b.op(Op::UDiv, u32_ty, &[row, y]),
        }
    }

    /// One lane of the global id within the dispatch: 32 bits.
    fn dispatch_lane(&mut self, lane: u32) -> Id {
        if !self.computes_local_ids() {
            return self.input_lane(SpvBuiltIn::GlobalInvocationId, lane);
        }
        let u32_ty = self.b.ty_int(32);
        let group = self.input_lane(SpvBuiltIn::WorkgroupId, lane);
        let size = self.group_size[lane as usize];
        let start = self.b.op(Op::IMul, u32_ty, &[group, size]);
        let local = self.local_lane(lane);
        self.b.op(Op::IAdd, u32_ty, &[start, local])
    }

    /// One lane of a three-lane built-in: 64 bits.
    pub fn builtin_lane(&mut self, which: BuiltIn, lane: u32) -> Result<Id, LowerError> {
        let u32_ty = self.b.ty_int(32);
        let regions = range_form(&self.target.abi).has_regions();
        let narrow = match which {
            BuiltIn::GlobalId => {
                let id = self.dispatch_lane(lane);
                let id = self.widen(id);
                return Ok(match self.id_offset(lane, false)? {
                    Some(offset) => self.wide_sum(Op::IAdd, id, offset),
                    None => id,
                });
            }
            BuiltIn::GlobalSize if regions => {
                return self.wide_lane(ModuleConstant::GlobalSize, lane);
            }
            BuiltIn::GlobalSize => {
                let groups = self.input_lane(SpvBuiltIn::NumWorkgroups, lane);
                let (groups, size) = (self.widen(groups), self.group_size[lane as usize]);
                let size = self.widen(size);
                return Ok(self.wide_product(groups, size));
            }
            BuiltIn::GlobalOffset => match range_form(&self.target.abi) {
                RangeForm::BuiltIns => self.b.const_u32(0),
                RangeForm::OffsetSpec => self.offset_spec(lane),
                _ => {
                    let offset = self.wide_lane(ModuleConstant::GlobalOffset, lane)?;
                    return self.unless_at_zero(offset, false);
                }
            },
            BuiltIn::LocalId => self.local_lane(lane),
            BuiltIn::GroupId if !regions => self.input_lane(SpvBuiltIn::WorkgroupId, lane),
            BuiltIn::GroupId => {
                let id = self.input_lane(SpvBuiltIn::WorkgroupId, lane);
                let offset = self.narrow_lane(ModuleConstant::RegionGroupOffset, lane)?;
                let offset = self.unless_at_zero(offset, true)?;
                self.b.op(Op::IAdd, u32_ty, &[id, offset])
            }
            BuiltIn::LocalSize => self.group_size[lane as usize],
            BuiltIn::EnqueuedLocalSize => {
                self.narrow_lane(ModuleConstant::EnqueuedLocalSize, lane)?
            }
            BuiltIn::NumGroups if !regions => self.input_lane(SpvBuiltIn::NumWorkgroups, lane),
            BuiltIn::NumGroups => self.narrow_lane(ModuleConstant::NumWorkgroups, lane)?,
            other => {
                return Err(LowerError::new(format!("internal: {other:?} has no lanes")));
            }
        };
        Ok(self.widen(narrow))
    }

    /// One word of one lane of a built-in that is made of 64-bit numbers.
    pub fn builtin_word(
        &mut self,
        which: BuiltIn,
        lane: u32,
        high: bool,
    ) -> Result<Id, LowerError> {
        let has_lanes = which.ty().is_vector();
        if has_lanes && !high {
            return self.builtin_low_word(which, lane);
        }
        let number = match has_lanes {
            true => self.builtin_lane(which, lane)?,
            false => self.builtin(which)?,
        };
        if !self.target.int64 {
            return Ok(self.wide_words(number)[usize::from(high)]);
        }
        let number = match high {
            true => {
                let (ty, by) = (self.wide_ty(), self.b.const_u32(32));
                self.b.op(Op::ShiftRightLogical, ty, &[number, by])
            }
            false => number,
        };
        Ok(self.wide_low(number))
    }

    /// The low word of [`Self::builtin_lane`].
    pub fn builtin_low_word(&mut self, which: BuiltIn, lane: u32) -> Result<Id, LowerError> {
        let u32_ty = self.b.ty_int(32);
        let regions = range_form(&self.target.abi).has_regions();
        Ok(match which {
            BuiltIn::GlobalId => {
                let id = self.dispatch_lane(lane);
                match self.id_offset(lane, true)? {
                    Some(offset) => self.b.op(Op::IAdd, u32_ty, &[id, offset]),
                    None => id,
                }
            }
            BuiltIn::GlobalSize if regions => {
                self.wide_lane_low(ModuleConstant::GlobalSize, lane)?
            }
            BuiltIn::GlobalOffset if regions => {
                let offset = self.wide_lane_low(ModuleConstant::GlobalOffset, lane)?;
                self.unless_at_zero(offset, true)?
            }
            BuiltIn::LocalId => self.local_lane(lane),
            BuiltIn::LocalSize => self.group_size[lane as usize],
            BuiltIn::EnqueuedLocalSize => {
                self.narrow_lane(ModuleConstant::EnqueuedLocalSize, lane)?
            }
            BuiltIn::NumGroups if regions => {
                self.narrow_lane(ModuleConstant::NumWorkgroups, lane)?
            }
            _ => {
                let id = self.builtin_lane(which, lane)?;
                self.wide_low(id)
            }
        })
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
        let u32_ty = self.b.ty_int(32);
        self.input(builtin, u32_ty)
    }

    /// The value of a built-in, of type [`BuiltIn::ty`].
    pub fn builtin(&mut self, which: BuiltIn) -> Result<Id, LowerError> {
        let u32_ty = self.b.ty_int(32);
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
                let at = [0, 1, 2].map(|i| self.wide_sum(Op::ISub, id[i], offset[i]));
                let row = self.wide_product(at[2], size[1]);
                let row = self.wide_sum(Op::IAdd, row, at[1]);
                let cell = self.wide_product(row, size[0]);
                self.wide_sum(Op::IAdd, cell, at[0])
            }
            BuiltIn::LocalLinearId => {
                let index = self.input(SpvBuiltIn::LocalInvocationIndex, u32_ty);
                self.widen(index)
            }
            BuiltIn::WorkDim
                if (self.descriptors.as_ref()).is_some_and(|d| !d.options.work_dim) =>
            {
                self.b.const_u32(3)
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
                let v4 = self.b.ty_vector(u32_ty, 4);
                self.input(builtin, v4)
            }
            BuiltIn::PrivateMemory => self.private_memory()?,
            BuiltIn::CheckMemory => self.check_memory()?,
            BuiltIn::DeviceLaunch => self.device_launch()?,
            BuiltIn::DispatchGroup => self.dispatch_group(),
            BuiltIn::DeviceRecord => {
                return Err(LowerError::new("internal: a record outside a kernel"));
            }
            BuiltIn::PrintfBuffer if self.has_buffers() => self.b.const_u32(0),
            BuiltIn::RemainingRecursionLevels => {
                self.node_input(SpvBuiltIn::RemainingRecursionLevelsAMDX)
            }
            BuiltIn::ShaderIndex => self.node_input(SpvBuiltIn::ShaderIndexAMDX),
            BuiltIn::MaxWorkGroupSize => self.b.const_u32(self.target.max_work_group_size),
            BuiltIn::PrintfBuffer => {
                let base = self.constant_offset(ModuleConstant::PrintfBuffer)?;
                self.push_u64(base)?
            }
            BuiltIn::TerminationFlag => {
                let base = self.constant_offset(ModuleConstant::TerminationFlag)?;
                self.push_u64(base)?
            }
            BuiltIn::AddressDelta => {
                let base = self.constant_offset(ModuleConstant::AddressDelta)?;
                self.push_u64(base)?
            }
        })
    }

    /// The address of the work-item's part of the memory that the launch has: parts are numbered
    /// by the work-group in its dispatch and the work-item in its group.
    fn private_memory(&mut self) -> Result<Id, LowerError> {
        let (k, base) = self.address_behind(|layout| layout.private, "private memory")?;
        let u32_ty = self.b.ty_int(32);
        let group = self.dispatch_group();
        let [x, y, z] = self.group_size;
        let items = self.b.op(Op::IMul, u32_ty, &[x, y]);
        let items = self.b.op(Op::IMul, u32_ty, &[items, z]);
        let first = self.b.op(Op::IMul, u32_ty, &[group, items]);
        let item = self.input(SpvBuiltIn::LocalInvocationIndex, u32_ty);
        let number = self.b.op(Op::IAdd, u32_ty, &[first, item]);
        let number = self.widen(number);
        let bytes = u64::from(self.module.kernels[k].private_bytes);
        let bytes = self.wide_constant(bytes);
        let offset = self.wide_product(number, bytes);
        Ok(self.wide_sum(Op::IAdd, base, offset))
    }

    /// The address of the memory of the launch's checks.
    fn check_memory(&mut self) -> Result<Id, LowerError> {
        let (_, address) = self.address_behind(|layout| layout.check, "a check")?;
        Ok(address)
    }

    /// The current kernel's number, and an address behind its arguments; `what` it leads to is for errors.
    pub fn address_behind(
        &mut self,
        place: impl FnOnce(&ArgLayout) -> Option<ArgPlace>,
        what: &str,
    ) -> Result<(usize, Id), LowerError> {
        let none = || LowerError::new(format!("internal: {what} outside a kernel"));
        let k = self.kernel_of[self.cur].ok_or_else(none)? as usize;
        let place = place(&self.arg_layouts[k]).ok_or_else(none)?;
        let address = self.load_arg(place.offset, Type::ptr(AddressSpace::Generic))?;
        Ok((k, address))
    }

    /// The address of the memory of device-side enqueue.
    fn device_launch(&mut self) -> Result<Id, LowerError> {
        if self.has_buffers() {
            let text = "device-side enqueue needs device addresses, which this device lacks";
            return Err(LowerError::new(text));
        }
        let (_, address) = self.address_behind(|layout| layout.launch, "device-side enqueue")?;
        Ok(address)
    }

    /// The number of the work-group in its dispatch.
    pub fn dispatch_group(&mut self) -> Id {
        let u32_ty = self.b.ty_int(32);
        let [gx, gy, gz] = [0, 1, 2].map(|lane| self.input_lane(SpvBuiltIn::WorkgroupId, lane));
        let [nx, ny] = match self.payload_counts() {
            Some(counts) => counts,
            None => [0, 1].map(|lane| self.input_lane(SpvBuiltIn::NumWorkgroups, lane)),
        };
        let rows = self.b.op(Op::IMul, u32_ty, &[gz, ny]);
        let rows = self.b.op(Op::IAdd, u32_ty, &[rows, gy]);
        let groups = self.b.op(Op::IMul, u32_ty, &[rows, nx]);
        self.b.op(Op::IAdd, u32_ty, &[groups, gx])
    }

    /// A word that an execution graph gives its nodes.
    fn node_input(&mut self, builtin: SpvBuiltIn) -> Id {
        self.b.capability(Capability::ShaderEnqueueAMDX);
        self.b.extension("SPV_AMDX_shader_enqueue");
        let word = self.b.ty_int(32);
        self.input(builtin, word)
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
        let u32_ty = self.b.ty_int(32);
        let max = self.max_subgroup_size();
        let area = self.b.op(Op::IMul, u32_ty, &[x, y]);
        let items = self.b.op(Op::IMul, u32_ty, &[area, z]);
        let one = self.b.const_u32(1);
        let up = self.b.op(Op::ISub, u32_ty, &[max, one]);
        let sum = self.b.op(Op::IAdd, u32_ty, &[items, up]);
        self.b.op(Op::UDiv, u32_ty, &[sum, max])
    }

    /// The work-items in this sub-group: the last one of a work-group may be partial.
    fn subgroup_size(&mut self) -> Result<Id, LowerError> {
        let u32_ty = self.b.ty_int(32);
        let full = self.subgroup_input(SpvBuiltIn::SubgroupSize);
        let id = self.subgroup_input(SpvBuiltIn::SubgroupId);
        let [x, y, z] = self.group_size;
        let area = self.b.op(Op::IMul, u32_ty, &[x, y]);
        let items = self.b.op(Op::IMul, u32_ty, &[area, z]);
        let before = self.b.op(Op::IMul, u32_ty, &[id, full]);
        let left = self.b.op(Op::ISub, u32_ty, &[items, before]);
        let bool_ty = self.b.ty_bool();
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
        let offset = self.wide_constant(offset);
        Ok(self.wide_sum(Op::IAdd, address, offset))
    }
}
