//! Device-side enqueue: runs what a kernel has enqueued, as the runtime does on devices.
//!
//! The interpreter has queue memory of its own. After the kernel, rounds follow until the queue is
//! empty: the module's scheduler, then each block over the work-groups that the scheduler gave it. A
//! block runs with the range of its record, so work-item functions are right before the pass that
//! computes them from the record, too. A module with the nodes of a work graph runs by those instead
//! (`work_graph.rs`).

use super::Machine;
use crate::args::{Param, Prepared, prepare};
use crate::memory::Access;
use crate::{Arg, ErrorKind, Inputs, InterpError, NdRange};
use pumice_ir::{EnqueueRole, KernelInfo, Module};
use pumice_target::device_queue::{
    Entry, Key, Launch, Layout, QUEUES, STATE_BYTES, State, VARIANTS, Write, record,
};

/// Work-groups of a dispatch at most: few, so that ranges are run in parts.
const MAX_GROUPS: u32 = 64;
/// Local memory that a block may ask for, in bytes.
const MOST_LOCAL_BYTES: u32 = 32 << 10;

/// The memory that kernels enqueue into.
#[derive(Debug)]
pub(super) struct DeviceQueue {
    base: u64,
    layout: Layout,
    /// The address that the present kernel takes for its launch: of the memory, or of a variant in it.
    launch: u64,
    variants: Vec<Key>,
    /// The record that the present kernel runs, 0 for the host's launch.
    record: u32,
    /// The number of the work-group in the present dispatch.
    group: u64,
}

fn role(kernel: &KernelInfo) -> Option<EnqueueRole> {
    kernel.enqueue
}

/// The most bytes that a block of the module captures.
fn captured(module: &Module) -> u32 {
    let blocks = module
        .kernels
        .iter()
        .filter_map(|kernel| match role(kernel) {
            Some(EnqueueRole::Block { captured, .. }) => Some(captured),
            _ => None,
        });
    blocks.max().unwrap_or(0)
}

pub(super) fn bad(message: &str) -> InterpError {
    ErrorKind::BadArguments(message.into()).into()
}

impl<'a> Machine<'a> {
    /// The launch's memory of device-side enqueue; made when a kernel first asks for it.
    pub fn device_launch(&mut self) -> Result<u64, ErrorKind> {
        if let Some(queue) = &self.device_queue {
            return Ok(queue.launch);
        }
        let bytes = self.options.device_queues;
        if bytes == [0; QUEUES] {
            return Err(ErrorKind::Unsupported("device-side enqueue".into()));
        }
        let layout = Layout::new(&bytes, captured(self.module));
        let base = self
            .global
            .add(vec![0; layout.size() as usize], 4096, false);
        self.write(base, &[layout.free_records()])?;
        self.write(base, &layout.unused_events(0))?;
        let launch = Launch {
            queue_bytes: bytes,
            default: (bytes[0] != 0).then_some(0),
            variants: 0,
            tick_scale: 1 << 16,
            max_groups: MAX_GROUPS,
            most_local_bytes: MOST_LOCAL_BYTES,
            uniform_groups: false,
        };
        self.write(base, &layout.begin(base, &launch))?;
        self.device_queue = Some(DeviceQueue {
            base,
            layout,
            launch: base,
            variants: Vec::new(),
            record: 0,
            group: 0,
        });
        Ok(base)
    }

    /// The number of the record that the present kernel runs.
    pub fn device_record(&self) -> u64 {
        let queue = self.device_queue.as_ref();
        queue.map_or(0, |queue| u64::from(queue.record))
    }

    /// The number of the present work-group in its dispatch, if that is of device-side enqueue.
    pub fn queue_group(&self) -> Option<u64> {
        let queue = self.device_queue.as_ref()?;
        (queue.record != 0).then_some(queue.group)
    }

    fn write(&mut self, base: u64, writes: &[Write]) -> Result<(), ErrorKind> {
        for (at, bytes) in writes {
            let access = Access {
                address: base + at,
                size: bytes.len() as u64,
                align: 1,
            };
            self.global.store(access, bytes, None)?;
        }
        Ok(())
    }

    fn read_at(&self, address: u64, size: usize) -> Result<Vec<u8>, ErrorKind> {
        let access = Access {
            address,
            size: size as u64,
            align: 1,
        };
        self.global.load(access).map(<[u8]>::to_vec)
    }

    fn word(&self, address: u64) -> Result<u32, ErrorKind> {
        let bytes = self.read_at(address, 4)?;
        Ok(u32::from_le_bytes(bytes.try_into().unwrap_or_default()))
    }

    fn three<const SIZE: usize>(&self, address: u64) -> Result<[u64; 3], ErrorKind> {
        let bytes = self.read_at(address, 3 * SIZE)?;
        let mut numbers = [0; 3];
        for (number, bytes) in numbers.iter_mut().zip(bytes.chunks(SIZE)) {
            let mut all = [0; 8];
            all[..SIZE].copy_from_slice(bytes);
            *number = u64::from_le_bytes(all);
        }
        Ok(numbers)
    }

    /// Runs everything that the host's kernel has enqueued.
    pub fn run_device_queue(&mut self) -> Result<(), InterpError> {
        let Some(queue) = &self.device_queue else {
            return Ok(());
        };
        let (base, layout) = (queue.base, queue.layout.clone());
        let scheduler = self.kernel_with(|role| matches!(role, EnqueueRole::Scheduler { .. }))?;
        let has_graph = self.has_work_graph();
        loop {
            if has_graph {
                self.run_work_graph(base)?;
            } else {
                self.begin_kernel(scheduler, 0, base);
                self.range = NdRange::linear(1, 1);
                self.group_id = [0; 3];
                self.run_group()?;
            }
            let header = self.read_at(base, STATE_BYTES)?;
            let progress = layout.progress(&header);
            let progress =
                progress.ok_or_else(|| bad("the device queue's memory is overwritten"))?;
            match progress.state {
                // The graph has come to its last level.
                State::Running if has_graph => {}
                State::Running => {
                    let start = self.clock().to_le_bytes();
                    self.write(base, &[(layout.times(), start.to_vec())])?;
                    self.run_dispatches(base, &layout)?;
                    let end = self.clock().to_le_bytes();
                    self.write(base, &[(layout.times() + 8, end.to_vec())])?;
                }
                State::NeedsVariants => {
                    for index in 0..progress.missing {
                        self.add_variant(base, &layout, index)?;
                    }
                    let known = self.device_queue.as_ref().map_or(0, |q| q.variants.len());
                    self.write(base, &layout.go_on(known))?;
                }
                State::Done => return Ok(()),
                State::Stuck => {
                    return Err(bad("records wait for user events that nothing sets"));
                }
            }
        }
    }

    /// The kernel whose part that is.
    pub(super) fn kernel_with(
        &self,
        is: impl Fn(EnqueueRole) -> bool,
    ) -> Result<&'a KernelInfo, InterpError> {
        let mut kernels = self.module.kernels.iter();
        let found = kernels.find(|kernel| role(kernel).is_some_and(&is));
        found.ok_or_else(|| ErrorKind::NoSuchKernel.into())
    }

    /// A variant of the queue's memory.
    pub(super) fn variant_key(&self, variant: usize) -> Result<Key, InterpError> {
        let queue = self.device_queue.as_ref();
        let key = queue.and_then(|queue| queue.variants.get(variant));
        key.cloned().ok_or_else(|| bad("no such variant"))
    }

    fn add_variant(&mut self, base: u64, layout: &Layout, missing: u64) -> Result<(), InterpError> {
        let (at, size) = layout.missing(missing);
        let key = Key::read(&self.read_at(base + at, size)?);
        let Some(queue) = &mut self.device_queue else {
            return Ok(());
        };
        if queue.variants.len() == VARIANTS {
            queue.variants.clear();
        }
        let index = queue.variants.len();
        queue.variants.push(key.clone());
        let write = layout.new_variant(base, index, &key, MAX_GROUPS);
        Ok(self.write(base, &[write])?)
    }

    /// Makes a kernel the present one, with the private memory and local arguments that it has.
    pub(super) fn begin_kernel(&mut self, kernel: &'a KernelInfo, record: u32, launch: u64) {
        self.kernel = kernel;
        self.private_memory.clear();
        if let Some(queue) = &mut self.device_queue {
            queue.record = record;
            queue.launch = launch;
        }
        if record == 0 {
            self.prepared = Prepared::default();
        }
    }

    /// Runs what the scheduler gave to each variant.
    fn run_dispatches(&mut self, base: u64, layout: &Layout) -> Result<(), InterpError> {
        let known = self.device_queue.as_ref().map_or(0, |q| q.variants.len());
        for variant in 0..known {
            let entries = self.word(base + layout.entry_count(variant))?;
            for index in 0..entries {
                let (at, size) = layout.entry(variant, index);
                let entry = Entry::read(&self.read_at(base + at, size)?);
                self.run_entry(base, layout, variant, entry)?;
            }
        }
        Ok(())
    }

    fn run_entry(
        &mut self,
        base: u64,
        layout: &Layout,
        variant: usize,
        entry: Entry,
    ) -> Result<(), InterpError> {
        let key = self.variant_key(variant)?;
        let kernel = self.kernel_with(
            |role| matches!(role, EnqueueRole::Block { number, .. } if number == key.block),
        )?;
        let locals = &key.locals[..kernel.args.len().min(key.locals.len())];
        let inputs = Inputs {
            buffers: Vec::new(),
            args: locals.iter().map(|&size| Arg::Local(size.into())).collect(),
        };
        let launch = base + layout.variant(variant);
        self.begin_kernel(kernel, entry.record, launch);
        self.prepared = prepare(kernel, &inputs)?;
        debug_assert!(
            self.prepared
                .params
                .iter()
                .all(|p| matches!(p, Param::Local { .. }))
        );
        let record = base + layout.record(entry.record);
        self.range = NdRange {
            work_dim: self.word(record + record::DIMENSIONS)?,
            global: self.three::<8>(record + record::SIZE)?,
            local: self.three::<4>(record + record::LOCAL_SIZE)?,
            offset: self.three::<8>(record + record::OFFSET)?,
        };
        let region = self.word(record + record::REGION)?;
        // A region is the whole groups of each dimension, or the smaller ones at its end.
        let full = [0, 1, 2].map(|d| self.range.global[d] / self.range.local[d]);
        let last = [0, 1, 2].map(|d| region >> d & 1 != 0);
        for group in 0..entry.groups {
            let mut index = u64::from(entry.base + group);
            for d in 0..3 {
                let across = if last[d] { 1 } else { full[d].max(1) };
                self.group_id[d] = index % across + if last[d] { full[d] } else { 0 };
                index /= across;
            }
            if let Some(queue) = &mut self.device_queue {
                queue.group = u64::from(entry.first + group);
            }
            self.run_group()?;
        }
        Ok(())
    }
}
