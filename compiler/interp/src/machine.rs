//! State that work-items share, and the built-in values.

use super::args::{Prepared, prepare};
use super::lanes::{Lanes, lanes_of};
use super::memory::Memory;
use super::nodes::Payloads;
use super::{ErrorKind, Inputs, InterpError, NdRange, Options, PrintfRecord};
use cranelift_entity::SecondaryMap;
use pumice_ir::{AddressSpace, BuiltIn, GlobalId, KernelInfo, Module, Type};
use rustc_hash::FxHashMap;
use smallvec::smallvec;

mod device_queue;
mod work_graph;

use device_queue::DeviceQueue;

/// The answer for the largest work-group, though the interpreter takes any.
const MAX_WORK_GROUP_SIZE: u64 = 1024;

/// Everything that the work-items share.
pub(super) struct Machine<'a> {
    pub module: &'a Module,
    pub options: &'a Options,
    /// Work-items of a sub-group: those that the kernel requires, or the options'.
    pub subgroup_size: u32,
    pub global: Memory,
    pub local: Memory,
    pub global_addresses: SecondaryMap<GlobalId, u64>,
    pub printf: Vec<PrintfRecord>,
    pub payloads: Payloads,
    pub kernel: &'a KernelInfo,
    pub range: NdRange,
    pub prepared: Prepared,
    pub num_buffers: usize,
    /// Addresses of local arguments in the present group, by ordinal.
    pub local_args: Vec<Option<u64>>,
    pub group_id: [u64; 3],
    /// Size of the present group.
    pub group_size: [u64; 3],
    pub fuel: u64,
    /// Address of the printf buffer once something asked for it.
    pub printf_buffer: Option<u64>,
    /// The address of a word that tells nothing to end, once something has looked at it.
    pub termination_flag: Option<u64>,
    /// Once something asked for it.
    device_queue: Option<DeviceQueue>,
    /// Addresses, by work-group and number in it.
    pub private_memory: FxHashMap<([u64; 3], u64), u64>,
}

impl<'a> Machine<'a> {
    /// Sets up global memory.
    pub fn new(
        module: &'a Module,
        kernel: &'a KernelInfo,
        inputs: &Inputs,
        range: &NdRange,
        options: &'a Options,
        received: &[Vec<u32>],
    ) -> Result<Self, InterpError> {
        let mut prepared = prepare(kernel, inputs)?;
        prepared.handles.find_asked(module, kernel);
        let ones =
            |from: u32| (from as usize..3).all(|d| range.global[d] == 1 && range.local[d] == 1);
        if !(1..=3).contains(&range.work_dim) || !ones(range.work_dim) || range.local.contains(&0) {
            return Err(ErrorKind::BadArguments("range".into()).into());
        }
        if kernel
            .required_work_group_size
            .is_some_and(|size| size.map(u64::from) != range.local)
        {
            return Err(ErrorKind::BadArguments("work-group size".into()).into());
        }
        let subgroup_size = (kernel.required_sub_group_size).unwrap_or(options.subgroup_size);
        if !(1..=128).contains(&subgroup_size) {
            return Err(ErrorKind::BadArguments("sub-group size".into()).into());
        }
        let mut global = Memory::default();
        for buffer in &inputs.buffers {
            global.add(buffer.clone(), 4096, false);
        }
        let mut global_addresses = SecondaryMap::new();
        for (id, data) in module.globals.iter() {
            if data.space != AddressSpace::Local {
                let mut bytes = data.init.clone();
                bytes.resize(data.size as usize, 0);
                let read_only = data.space == AddressSpace::Constant;
                global_addresses[id] = global.add(bytes, data.align, read_only);
            }
        }
        for (id, data) in module.globals.iter() {
            for relocation in &data.relocations {
                let value =
                    global_addresses[relocation.target].wrapping_add_signed(relocation.addend);
                let region = (global_addresses[id] >> 32) as usize - 1;
                let start = relocation.offset as usize;
                global.regions[region].bytes[start..start + 8]
                    .copy_from_slice(&value.to_le_bytes());
            }
        }
        let groups = [0, 1, 2].map(|d| range.global[d].div_ceil(range.local[d]));
        let payloads = Payloads::new(module, kernel, received, groups.iter().product())?;
        Ok(Self {
            payloads,
            module,
            options,
            subgroup_size,
            global,
            local: Memory::default(),
            global_addresses,
            printf: Vec::new(),
            kernel,
            range: *range,
            prepared,
            num_buffers: inputs.buffers.len(),
            local_args: Vec::new(),
            group_id: [0; 3],
            group_size: [0; 3],
            fuel: options.fuel,
            printf_buffer: None,
            termination_flag: None,
            device_queue: None,
            private_memory: FxHashMap::default(),
        })
    }

    /// A size or offset of the range in work-items: the range itself counts invocations.
    fn of_items(&self, [x, y, z]: [u64; 3]) -> [u64; 3] {
        let items = self.kernel.coarse.map_or(1, |coarse| coarse.items);
        [x * u64::from(items), y, z]
    }

    /// Work-groups by dimension.
    pub fn num_groups(&self) -> [u64; 3] {
        [0, 1, 2].map(|d| self.range.global[d].div_ceil(self.range.local[d]))
    }

    /// A work-item's global id, from its id in the present group.
    pub fn global_id(&self, local_id: [u64; 3]) -> [u64; 3] {
        [0, 1, 2]
            .map(|d| self.range.offset[d] + self.group_id[d] * self.range.local[d] + local_id[d])
    }

    /// Instructions executed so far.
    pub fn clock(&self) -> u64 {
        self.options.fuel - self.fuel
    }

    /// The address of a local argument.
    pub fn local_arg(&self, ordinal: u32) -> Result<u64, ErrorKind> {
        let found = self.local_args.get(ordinal as usize).copied().flatten();
        found.ok_or_else(|| ErrorKind::Unsupported(format!("local_arg {ordinal}")))
    }

    /// A value in the argument block.
    pub fn load_arg(&self, offset: u32, ty: Type) -> Result<Lanes, ErrorKind> {
        let start = offset as usize;
        let bytes = self
            .prepared
            .block
            .get(start..start + ty.access_bytes() as usize);
        match bytes {
            Some(bytes) => Ok(lanes_of(ty, bytes)),
            None => Err(ErrorKind::OutOfBounds {
                address: u64::from(offset),
                size: u64::from(ty.access_bytes()),
            }),
        }
    }

    /// A built-in value of the work-item with this id in its group, in three numbers and in one.
    pub fn built_in(
        &mut self,
        which: BuiltIn,
        local_id: [u64; 3],
        linear: u64,
    ) -> Result<Lanes, ErrorKind> {
        let range = &self.range;
        let count = |size: [u64; 3]| size.iter().product::<u64>();
        let width = u64::from(self.subgroup_size);
        let lane = linear % width;
        let members = width.min(count(self.group_size) - (linear - lane));
        let mask = |first: u64, end: u64| -> Lanes {
            let ones = |n: u64| {
                if n >= 128 {
                    u128::MAX
                } else {
                    (1u128 << n) - 1
                }
            };
            let bits = ones(end) & !ones(first);
            (0..4)
                .map(|word| (bits >> (32 * word)) as u64 & 0xffff_ffff)
                .collect()
        };
        Ok(match which {
            BuiltIn::GlobalId => Lanes::from_slice(&self.global_id(local_id)),
            BuiltIn::LocalId => Lanes::from_slice(&local_id),
            BuiltIn::GroupId => Lanes::from_slice(&self.group_id),
            BuiltIn::GlobalSize => Lanes::from_slice(&self.of_items(range.global)),
            BuiltIn::LocalSize => Lanes::from_slice(&self.group_size),
            BuiltIn::EnqueuedLocalSize => Lanes::from_slice(&self.of_items(range.local)),
            BuiltIn::NumGroups => Lanes::from_slice(&self.num_groups()),
            BuiltIn::GlobalOffset => Lanes::from_slice(&self.of_items(range.offset)),
            BuiltIn::WorkDim => smallvec![u64::from(range.work_dim)],
            BuiltIn::GlobalLinearId => {
                let id = self.global_id(local_id);
                let [x, y, z] = [0, 1, 2].map(|d| id[d] - range.offset[d]);
                smallvec![(z * range.global[1] + y) * range.global[0] + x]
            }
            BuiltIn::LocalLinearId => smallvec![linear],
            BuiltIn::SubgroupSize => smallvec![members],
            BuiltIn::SubgroupMaxSize => smallvec![width],
            BuiltIn::NumSubgroups => smallvec![count(self.group_size).div_ceil(width)],
            BuiltIn::NumEnqueuedSubgroups => smallvec![count(range.local).div_ceil(width)],
            BuiltIn::SubgroupId => smallvec![linear / width],
            BuiltIn::SubgroupLocalId => smallvec![lane],
            BuiltIn::SubgroupEqMask => mask(lane, lane + 1),
            BuiltIn::SubgroupGeMask => mask(lane, members),
            BuiltIn::SubgroupGtMask => mask(lane + 1, members.max(lane + 1)),
            BuiltIn::SubgroupLeMask => mask(0, lane + 1),
            BuiltIn::SubgroupLtMask => mask(0, lane),
            BuiltIn::RemainingRecursionLevels => smallvec![0],
            BuiltIn::ShaderIndex => {
                let node = self.kernel.node.as_deref();
                let index = node.and_then(|node| node.shader_index);
                smallvec![u64::from(index.unwrap_or(0))]
            }
            BuiltIn::MaxWorkGroupSize => smallvec![MAX_WORK_GROUP_SIZE],
            // Pointers are addresses here.
            BuiltIn::AddressDelta => smallvec![0],
            BuiltIn::TerminationFlag if self.options.termination_flag != 0 => {
                smallvec![self.options.termination_flag]
            }
            BuiltIn::TerminationFlag => {
                let global = &mut self.global;
                let flag = self.termination_flag;
                let address = flag.unwrap_or_else(|| global.add(vec![0; 4], 4, false));
                self.termination_flag = Some(address);
                smallvec![address]
            }
            BuiltIn::PrivateMemory => {
                let size = self.kernel.private_bytes as usize;
                let global = &mut self.global;
                let key = (self.group_id, linear);
                let address = (self.private_memory)
                    .entry(key)
                    .or_insert_with(|| global.add(vec![0; size], 128, false));
                smallvec![*address]
            }
            BuiltIn::DeviceLaunch => smallvec![self.device_launch()?],
            BuiltIn::DeviceRecord => smallvec![self.device_record()],
            BuiltIn::CheckMemory if self.options.check_memory != 0 => {
                smallvec![self.options.check_memory]
            }
            BuiltIn::CheckMemory => return Err(ErrorKind::Unsupported("checks".into())),
            BuiltIn::DispatchGroup => {
                if let Some(group) = self.queue_group() {
                    return Ok(smallvec![group]);
                }
                let [x, y, z] = self.group_id;
                let [width, height, _] = self.num_groups();
                smallvec![(z * height + y) * width + x]
            }
            BuiltIn::PrintfBuffer => {
                let size = self.options.printf_buffer_size as usize;
                let global = &mut self.global;
                let address = self
                    .printf_buffer
                    .get_or_insert_with(|| global.add(vec![0; size], 4096, false));
                smallvec![*address]
            }
        })
    }
}
