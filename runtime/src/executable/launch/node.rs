//! Kernels as nodes of a work graph: each has its specialization, all have the same push constants.

use pumice_vulkan_layer::{Buffer, LogicalDevice};

use super::bind::{Buffers, LaunchBuilder, Push, range_constants};
use super::{Launch, LaunchError, NdRange, Result};
use super::{check_args, check_sub_groups, required_sub_group_size};
use crate::executable::Executable;
use crate::executable::device_module::DeviceModule;

/// The push constants of a work graph's nodes.
pub(in crate::executable) struct NodeConstants {
    /// The kernel with the largest ones, whose layout the graph has.
    pub kernel: usize,
    pub push: Push,
    /// Buffers that the nodes reach by address.
    pub keep: Buffers,
    /// The printf buffer of all nodes, if one of them prints.
    pub printf: Option<Buffer>,
}

/// A kernel's specialization as a node.
pub(in crate::executable) struct NodeSpecialization {
    /// The specialization constants: numbers and values.
    pub constants: Vec<(u32, u32)>,
    /// The size that the kernel requires of sub-groups.
    pub subgroup_size: Option<u32>,
}

impl Executable {
    /// Gives the specialization of a launch's kernel as a node.
    ///
    /// # Errors
    /// See [`LaunchError`].
    pub(in crate::executable) fn node_specialization(
        &self,
        device: &LogicalDevice,
        launch: &Launch<'_>,
    ) -> Result<NodeSpecialization> {
        let kernel = &self.interface.kernels[launch.kernel];
        check_args(kernel, launch.args)?;
        check_sub_groups(kernel, launch.range, device)?;
        let mut constants = self.specialization(kernel, launch, device)?;
        if let Some(ids) = self.interface.spec_local_size {
            constants.extend(ids.into_iter().zip(launch.range.local_size));
        }
        Ok(NodeSpecialization {
            constants,
            subgroup_size: required_sub_group_size(kernel, device),
        })
    }

    /// The push constants of nodes of these kernels, which have no arguments in them.
    ///
    /// # Errors
    /// See [`LaunchError`].
    pub(in crate::executable) fn node_constants(
        &self,
        device_module: &DeviceModule,
        kernels: &[usize],
        termination: Option<&Buffer>,
    ) -> Result<NodeConstants> {
        let interface = |index: &usize| &self.interface.kernels[*index];
        let size = |index: &&usize| interface(index).layout.push_constant_size;
        let prints = |index: &&usize| interface(index).info.may_use_printf;
        let (Some(widest), Some(printer)) = (
            kernels.iter().max_by_key(size),
            kernels.iter().max_by_key(prints),
        ) else {
            return Err(LaunchError::Resources("a graph without nodes".into()));
        };
        let kernel = interface(printer);
        let range = NdRange {
            work_dim: 3,
            global_offset: [0; 3],
            global_size: [1; 3],
            local_size: [1; 3],
        };
        let mut builder = LaunchBuilder {
            interface: &self.interface,
            kernel,
            device_module,
            args: &[],
            push: range_constants(&self.interface, kernel, device_module, &range)?,
            keep: Buffers::new(),
            printf: None,
        };
        builder.printf()?;
        builder.termination(termination)?;
        builder.push_constants()?;
        let LaunchBuilder {
            mut push,
            keep,
            printf,
            ..
        } = builder;
        push.resize(interface(widest).layout.push_constant_size as usize, 0);
        Ok(NodeConstants {
            kernel: *widest,
            push,
            keep,
            printf,
        })
    }
}
