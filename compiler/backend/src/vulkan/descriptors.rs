//! The descriptor form's interface: sets and bindings, as "OpenCL C 1.2 Language on Vulkan"
//! assigns them.
//!
//! Kernels share one set unless asked otherwise. Literal samplers have a set before it. In the
//! kernels' set every pointer, image and sampler has a binding, in the order
//! of the arguments; plain data comes in one block behind them, or has bindings in that order too.
//! Constant data, program-scope variables and the printf buffer have sets behind the kernels'.

use pumice_ir::ArgLayout;
use pumice_ir::LowerError;
use pumice_ir::analysis::bases::Base;
use pumice_ir::{AddressSpace, KernelArgKind, KernelInfo, Module};
use pumice_target::abi::{DescriptorOptions, PodPlace};

/// A descriptor's place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Slot {
    pub set: u32,
    pub binding: u32,
}

/// A pointer argument.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PointerSlot {
    pub slot: Slot,
    pub uniform: bool,
}

/// One kernel's descriptors.
#[derive(Clone, Debug, Default)]
pub(crate) struct KernelSlots {
    /// By `LoadArg` offset.
    pub pointers: Vec<(u32, PointerSlot)>,
    /// Images and samplers, by ordinal.
    pub handles: Vec<(u32, Slot)>,
    /// Blocks of plain data: the offset in [`ArgLayout`] at which each begins, and its size.
    pub blocks: Vec<PodBlock>,
}

/// A block of plain data.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PodBlock {
    pub start: u32,
    pub size: u32,
    /// `None` for push constants.
    pub slot: Option<Slot>,
}

/// All of a module.
#[derive(Clone, Debug)]
pub(crate) struct Descriptors {
    pub options: DescriptorOptions,
    pub kernels: Vec<KernelSlots>,
    pub constants: Slot,
    pub variables: Slot,
    pub printf: Slot,
}

impl Descriptors {
    /// Assigns sets and bindings.
    ///
    /// # Errors
    /// An argument whose layout a uniform buffer cannot have.
    pub fn of(
        module: &Module,
        layouts: &[ArgLayout],
        options: &DescriptorOptions,
        literal_samplers: bool,
    ) -> Result<Self, LowerError> {
        // Literal samplers have the first set.
        let first = u32::from(literal_samplers);
        let mut kernels = Vec::new();
        for (k, (kernel, layout)) in module.kernels.iter().zip(layouts).enumerate() {
            let set = first + if options.distinct_sets { k as u32 } else { 0 };
            kernels.push(kernel_slots(kernel, layout, options, set)?);
        }
        let mut next = first
            + match options.distinct_sets {
                true => module.kernels.len() as u32,
                false => 1,
            };
        let mut take = |used: bool| {
            let slot = Slot {
                set: next,
                binding: 0,
            };
            next += u32::from(used);
            slot
        };
        let has = |space: AddressSpace| module.globals.values().any(|g| g.space == space);
        Ok(Self {
            options: options.clone(),
            kernels,
            constants: take(has(AddressSpace::Constant) && options.constants_in_buffer),
            variables: take(has(AddressSpace::Global)),
            printf: take(true),
        })
    }

    /// The descriptor of a buffer that is the module's.
    pub fn module_slot(&self, base: Base) -> Option<Slot> {
        match base {
            Base::Constants => Some(self.constants),
            Base::Variables => Some(self.variables),
            Base::Printf => Some(self.printf),
            Base::Null | Base::Arg(_) => None,
        }
    }

    /// The pointer argument that a kernel's `LoadArg` at `offset` reads.
    pub fn pointer(&self, kernel: u32, offset: u32) -> Option<PointerSlot> {
        let slots = self.kernels.get(kernel as usize)?;
        let found = slots.pointers.iter().find(|(at, _)| *at == offset);
        found.map(|&(_, slot)| slot)
    }
}

fn kernel_slots(
    kernel: &KernelInfo,
    layout: &ArgLayout,
    options: &DescriptorOptions,
    set: u32,
) -> Result<KernelSlots, LowerError> {
    let mut slots = KernelSlots::default();
    let mut binding = 0;
    let mut next = || {
        binding += 1;
        Slot {
            set,
            binding: binding - 1,
        }
    };
    let clustered = options.cluster_pods;
    for (ordinal, (arg, place)) in kernel.args.iter().zip(&layout.places).enumerate() {
        if arg.kind.is_handle() {
            slots.handles.push((ordinal as u32, next()));
        }
        let Some(place) = place else { continue };
        match arg.kind {
            KernelArgKind::Pointer(space) => {
                let uniform = space == AddressSpace::Constant && options.constant_args_uniform;
                if uniform {
                    check_uniform(kernel, ordinal)?;
                }
                let pointer = PointerSlot {
                    slot: next(),
                    uniform,
                };
                slots.pointers.push((place.offset, pointer));
            }
            KernelArgKind::Value(_) | KernelArgKind::ByVal { .. } if !clustered => {
                slots.blocks.push(PodBlock {
                    start: place.offset,
                    size: place.size,
                    slot: Some(next()),
                });
            }
            _ => {}
        }
    }
    if clustered && layout.size > 0 {
        slots.blocks.push(PodBlock {
            start: 0,
            size: layout.size,
            slot: (options.pods != PodPlace::PushConstant).then(&mut next),
        });
    }
    Ok(slots)
}

/// The Standard Uniform Buffer Layout wants what not every type has.
fn check_uniform(kernel: &KernelInfo, ordinal: usize) -> Result<(), LowerError> {
    let arg = &kernel.args[ordinal];
    let why = match arg.pointee {
        Some(pointee) if pointee.standard_uniform => return Ok(()),
        Some(pointee) if pointee.size % 16 != 0 => {
            format!(
                "its elements have {} bytes, not a multiple of 16",
                pointee.size
            )
        }
        Some(_) => "a member's array stride or offset is not a multiple of 16".to_string(),
        None => "the type that it points to is not known".to_string(),
    };
    let name = match &arg.info {
        Some(info) if !info.name.is_empty() => format!("'{}'", info.name),
        _ => ordinal.to_string(),
    };
    Err(LowerError::new(format!(
        "argument {name} of kernel '{}' breaks the standard uniform buffer layout that \
         -constant-args-ubo needs: {why}",
        kernel.name
    )))
}
