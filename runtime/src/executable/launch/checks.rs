//! The memory of a launch's checks (`pumice_check::layout`).

use std::sync::atomic::{AtomicU64, Ordering};

use pumice_check::layout::MOST_MARKS;
use pumice_check::{Launch, Place, Range, Reports, Table, read};
use pumice_reflection::CheckSite;
use pumice_vulkan_layer::caps::DeviceType;
use pumice_vulkan_layer::{self as vk, Buffer, MemoryClass};

use super::{ArgValue, Executable, KernelInterface};
use crate::base::robust_limits;
use crate::executable::device_module::DeviceModule;

/// The most bytes of race marks that all launches have together.
const MOST_MARKS_OF_ALL: u64 = 512 << 20;
/// Zeros that are written at once.
const ZEROS: usize = 1 << 20;

/// Bytes of race marks that all launches have together.
static MARKS: AtomicU64 = AtomicU64::new(0);

/// Race marks of a launch, in bytes.
struct Share(u64);

impl Share {
    /// Takes so many bytes; none where that is too many.
    fn take(bytes: u64) -> Self {
        let fits = |taken: u64| Some(taken + bytes).filter(|&sum| sum <= MOST_MARKS_OF_ALL);
        match MARKS.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits) {
            Ok(_) => Self(bytes),
            Err(_) => Self(0),
        }
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        MARKS.fetch_sub(self.0, Ordering::Relaxed);
    }
}

/// The memory, and what it holds before a launch: these bytes, and zeros in the race marks behind them.
pub struct CheckMemory {
    buffer: Buffer,
    before: Vec<u8>,
    marks: Share,
}

impl CheckMemory {
    /// The argument that the kernel takes it as.
    pub(super) fn argument(&self) -> ArgValue {
        ArgValue::Buffer {
            buffer: self.buffer.clone(),
            offset: 0,
            size: self.buffer.size(),
        }
    }

    /// Reads the reports of a finished launch, and makes the memory ready for the next run of its recording.
    ///
    /// # Errors
    /// Memory that the host cannot reach.
    pub fn read(&self, launch: &Launch<'_>) -> vk::Result<Reports> {
        let mut bytes = vec![0; self.before.len()];
        self.buffer.read(0, &mut bytes)?;
        let reports = read(&bytes, launch);
        if reports.summary.is_some() || self.marks.0 > 0 {
            self.prepare()?;
        }
        Ok(reports)
    }

    /// Makes the memory what it is before a launch.
    fn prepare(&self) -> vk::Result<()> {
        self.buffer.write(0, &self.before)?;
        let (mut at, end) = (self.before.len() as u64, self.buffer.size());
        let zeros = vec![0; ZEROS.min((end - at) as usize)];
        while at < end {
            let size = (end - at).min(zeros.len() as u64);
            self.buffer.write(at, &zeros[..size as usize])?;
            at += size;
        }
        Ok(())
    }
}

impl Executable {
    /// The places that the kernels test.
    pub fn check_sites(&self) -> &[CheckSite] {
        &self.interface.checks
    }

    /// Memory for the checks of a launch, which may access what `table` says and the module's data.
    pub(super) fn check_memory(
        &self,
        module: &DeviceModule,
        kernel: &KernelInterface,
        table: Option<&Table>,
    ) -> vk::Result<CheckMemory> {
        let mut table = table.cloned().unwrap_or_default();
        let arguments = kernel.info.args.len();
        table.arguments.resize(arguments, Default::default());
        for data in &module.data {
            let range = Range {
                first: module.pointer(data.address()),
                size: data.size(),
                shadow: 0,
            };
            let at = table.allocations.partition_point(|one| *one < range);
            table.allocations.insert(at, range);
        }
        let device_type = module.device.capabilities().device_type;
        table.slices = robust_limits::slices(device_type == DeviceType::Cpu);
        let (sites, kernel) = (&self.interface.checks, kernel.info.number);
        let marks = Share::take(table.marks_size(sites, kernel, MOST_MARKS));
        let told = table.size(sites).next_multiple_of(8);
        let class = MemoryClass::Readback;
        let (marks, buffer) = match (module.device).create_buffer(told + marks.0, class) {
            Err(_) if marks.0 > 0 => (Share(0), (module.device).create_buffer(told, class)?),
            made => (marks, made?),
        };
        let before = table.bytes(&Place {
            sites,
            kernel,
            address: module.pointer(buffer.address()),
            most_marks: marks.0,
        });
        let memory = CheckMemory {
            buffer,
            before,
            marks,
        };
        memory.prepare()?;
        Ok(memory)
    }
}
