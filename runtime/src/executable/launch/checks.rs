//! The memory of a launch's checks (`pumice_check::layout`).

use pumice_check::{Launch, Layout, Reports, Table, read};
use pumice_reflection::CheckSite;
use pumice_vulkan_layer::{self as vk, Buffer, MemoryClass};

use super::{ArgValue, Executable, KernelInterface};
use crate::base::loop_limit;
use crate::executable::device_module::DeviceModule;

/// The memory, and what it holds before a launch.
pub struct CheckMemory {
    buffer: Buffer,
    before: Vec<u8>,
    /// Bytes from the start that tell of faults; race marks follow.
    told: usize,
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
        let mut bytes = vec![0; self.told];
        self.buffer.read(0, &mut bytes)?;
        let reports = read(&bytes, launch);
        if reports.summary.is_some() || self.told < self.before.len() {
            self.buffer.write(0, &self.before)?;
        }
        Ok(reports)
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
        table.arguments.resize(kernel.info.args.len(), (0, 0));
        for data in &module.data {
            let range = (module.pointer(data.address()), data.size());
            let at = table.allocations.partition_point(|one| *one < range);
            table.allocations.insert(at, range);
        }
        table.slices = loop_limit::slices();
        let sites = &self.interface.checks;
        let layout = Layout::new(table.arguments.len(), sites.len());
        let told = layout.size(table.allocations.len()) as usize;
        let before = table.bytes(sites);
        let buffer = (module.device).create_buffer(before.len() as u64, MemoryClass::Readback)?;
        buffer.write(0, &before)?;
        Ok(CheckMemory {
            buffer,
            before,
            told,
        })
    }
}
