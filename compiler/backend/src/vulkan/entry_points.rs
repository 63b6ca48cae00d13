//! Entry points, execution modes, capabilities and extensions: known once all functions are written.

use super::builder::Id;
use super::emitter::Emitter;
use super::matrix::number_of;
use cranelift_entity::SecondaryMap;
use pumice_ir::{FuncId, InstKind, LowerError, Scalar};
use rspirv::spirv::{Capability, ExecutionMode, ExecutionModel};
use std::collections::BTreeSet;

impl Emitter<'_> {
    /// Checks that the device has the float types that were written.
    pub fn check_types(&self) -> Result<(), LowerError> {
        for (width, name, has) in [
            (16, "half", self.target.float16),
            (64, "double", self.target.has_doubles()),
        ] {
            if self.float_widths.contains(&width) && !has {
                return Err(LowerError::new(format!(
                    "this device has no arithmetic on '{name}'"
                )));
            }
        }
        Ok(())
    }

    /// The entry points, execution modes and capabilities that follow from what was written.
    pub fn declare_entry_points(&mut self) {
        let all_variables = self.target.spirv_version >= (1, 4);
        let inputs: BTreeSet<Id> = self.inputs.values().copied().collect();
        // What each function uses with all that it calls; callees come first.
        let mut interfaces: SecondaryMap<FuncId, BTreeSet<Id>> = SecondaryMap::new();
        let mut widths: SecondaryMap<FuncId, BTreeSet<u32>> = SecondaryMap::new();
        for &func in &self.functions {
            let mut interface = self.uses.get(&func).cloned().unwrap_or_default();
            let mut its_widths = self.widths_of(func);
            for &callee in &self.summaries[func].calls {
                interface.extend(&interfaces[callee]);
                its_widths.extend(&widths[callee]);
            }
            interfaces[func] = interface;
            widths[func] = its_widths;
        }
        for (k, kernel) in self.module.kernels.iter().enumerate() {
            let collective = self.summaries[kernel.func].collective;
            let interface: Vec<Id> = (interfaces[kernel.func].iter().copied())
                .filter(|id| all_variables || inputs.contains(id))
                .collect();
            let id = self.func_ids[kernel.func];
            self.b
                .entry_point(ExecutionModel::GLCompute, id, &kernel.name, &interface);
            self.b.name(id, &kernel.name);
            if let Some(sizes) = &self.fixed_group_sizes {
                self.b
                    .execution_mode(id, ExecutionMode::LocalSize, &sizes[k]);
            }
            if let Some(node) = &kernel.node {
                self.node_modes(id, node);
            }
            self.float_modes(id, &widths[kernel.func]);
            if collective && self.target.maximal_reconvergence {
                self.b.extension("SPV_KHR_maximal_reconvergence");
                self.b
                    .execution_mode(id, ExecutionMode::MaximallyReconvergesKHR, &[]);
            }
        }
    }

    /// Declares the extensions that older versions of SPIR-V need.
    pub fn declare_extensions(&mut self) -> Result<(), LowerError> {
        use Capability as C;
        let version = self.target.spirv_version;
        let mut extensions = Vec::new();
        if version < (1, 3) {
            if self.has_buffers() {
                extensions.push("SPV_KHR_storage_buffer_storage_class");
            }
            if self.b.has_capability(C::VariablePointers) {
                extensions.push("SPV_KHR_variable_pointers");
            }
            if self.b.has_capability(C::StorageBuffer16BitAccess) {
                extensions.push("SPV_KHR_16bit_storage");
            }
            if self.b.has_capability(C::GroupNonUniform) {
                return Err(LowerError::new("sub-groups need SPIR-V 1.3"));
            }
        }
        if version < (1, 4) {
            let modes = [
                C::DenormPreserve,
                C::DenormFlushToZero,
                C::SignedZeroInfNanPreserve,
                C::RoundingModeRTE,
            ];
            if modes.iter().any(|&mode| self.b.has_capability(mode)) {
                extensions.push("SPV_KHR_float_controls");
            }
        }
        if version < (1, 5) {
            let storage8 = [
                C::StorageBuffer8BitAccess,
                C::UniformAndStorageBuffer8BitAccess,
                C::StoragePushConstant8,
            ];
            if storage8
                .iter()
                .any(|&storage| self.b.has_capability(storage))
            {
                extensions.push("SPV_KHR_8bit_storage");
            }
            if self.b.has_capability(C::PhysicalStorageBufferAddresses) {
                extensions.push("SPV_KHR_physical_storage_buffer");
            }
            if self.b.has_capability(C::VulkanMemoryModel) {
                extensions.push("SPV_KHR_vulkan_memory_model");
            }
        }
        self.check_integers()?;
        for name in extensions {
            self.b.extension(name);
        }
        Ok(())
    }

    /// The widths of a function's floats, those of what it calls left out. Operations on images may make any.
    fn widths_of(&self, func: FuncId) -> BTreeSet<u32> {
        let func = &self.module.functions[func];
        let mut widths = BTreeSet::new();
        for &block in &func.layout.blocks {
            let insts = func.layout.insts[block].iter();
            for data in insts.map(|&inst| &func.insts[inst]) {
                if matches!(data.kind, InstKind::Image { .. }) {
                    return self.float_widths.clone();
                }
                let mut add = |value| {
                    let scalar = number_of(func.ty(value).scalar);
                    if matches!(scalar, Scalar::F16 | Scalar::F32 | Scalar::F64) {
                        widths.insert(scalar.bits());
                    }
                };
                data.results.iter().for_each(|&value| add(value));
                data.kind.for_each_value(add);
            }
        }
        widths
    }

    /// The modes of floats, of the widths that a kernel has: what a driver does by floats on its own, as integers'
    /// division, is the cheaper without.
    fn float_modes(&mut self, entry: Id, widths: &BTreeSet<u32>) {
        for width in self
            .float_widths
            .intersection(widths)
            .copied()
            .collect::<Vec<_>>()
        {
            let controls = self.target.float_controls[match width {
                16 => 0,
                32 => 1,
                _ => 2,
            }];
            let flush = self.options.math.denorms_are_zero && width == 32;
            if controls.denorm_preserve && !flush {
                self.b.capability(Capability::DenormPreserve);
                self.b
                    .execution_mode(entry, ExecutionMode::DenormPreserve, &[width]);
            }
            if controls.denorm_flush_to_zero && flush {
                self.b.capability(Capability::DenormFlushToZero);
                self.b
                    .execution_mode(entry, ExecutionMode::DenormFlushToZero, &[width]);
            }
            if controls.signed_zero_inf_nan_preserve {
                self.b.capability(Capability::SignedZeroInfNanPreserve);
                self.b
                    .execution_mode(entry, ExecutionMode::SignedZeroInfNanPreserve, &[width]);
            }
            let exactly = self.options.math.correctly_rounded_divide_sqrt;
            let to_nearest = match width {
                32 => self.target.asks_for_nearest_f32(exactly),
                _ => controls.rounding_rte,
            };
            if to_nearest {
                self.b.capability(Capability::RoundingModeRTE);
                self.b
                    .execution_mode(entry, ExecutionMode::RoundingModeRTE, &[width]);
            }
        }
    }
}
