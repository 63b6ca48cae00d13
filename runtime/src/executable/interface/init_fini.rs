//! Tells initializers and finalizers from the kernels of applications.

use pumice_reflection::KernelRole;

use super::KernelInterface;

/// The kernels that a program runs by itself, which stand behind those of applications.
#[derive(Debug, Default)]
pub(in crate::executable) struct InitFini {
    /// The number of applications' kernels.
    pub first: usize,
    /// Indices of the initializers, in the module's order.
    pub initializers: Vec<usize>,
    /// Indices of the finalizers, in the module's order.
    pub finalizers: Vec<usize>,
}

impl InitFini {
    /// Moves initializers, finalizers, coarse copies and the kernels of device-side enqueue behind the other kernels.
    ///
    /// # Errors
    /// One of them has arguments.
    pub fn take(roles: &[KernelRole], kernels: &mut Vec<KernelInterface>) -> Result<Self, String> {
        let hidden: Vec<bool> = kernels.iter().map(KernelInterface::is_hidden).collect();
        let is_hidden = |index: usize| {
            hidden[index] || (roles.iter()).any(|role| role.kernel().0 as usize == index)
        };
        for role in roles {
            // The reader gives references to kernels that are there.
            if let Some(kernel) = kernels.get(role.kernel().0 as usize) {
                if !kernel.info.args.is_empty() {
                    let (name, role) = (&kernel.info.name, role.name());
                    return Err(format!("kernel `{name}`: an {role} has arguments"));
                }
            }
        }
        // Stable: both parts keep the module's order.
        let mut order: Vec<usize> = (0..kernels.len()).collect();
        order.sort_by_key(|&index| is_hidden(index));
        let place = |index: usize| order.iter().position(|&old| old == index);
        let of = |is: fn(&KernelRole) -> bool| -> Vec<usize> {
            let kernels = roles.iter().filter(|role| is(role));
            kernels
                .filter_map(|role| place(role.kernel().0 as usize))
                .collect()
        };
        let made = Self {
            first: (0..kernels.len())
                .filter(|&index| !is_hidden(index))
                .count(),
            initializers: of(|role| matches!(role, KernelRole::Initializer(_))),
            finalizers: of(|role| matches!(role, KernelRole::Finalizer(_))),
        };
        let mut old: Vec<_> = std::mem::take(kernels).into_iter().map(Some).collect();
        kernels.extend(order.iter().filter_map(|&index| old[index].take()));
        Ok(made)
    }
}
