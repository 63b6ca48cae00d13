//! Copies of kernels whose invocations run several work-items each.

use super::{Interface, KernelInterface};

/// A kernel's copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::executable) struct CoarseCopy {
    /// The copy's index.
    pub index: usize,
    /// Work-items of an invocation: neighbours in the first dimension.
    pub items: u32,
}

impl CoarseCopy {
    /// Finds the copies of kernels that are in their last order.
    ///
    /// # Errors
    /// A copy of a kernel that is not there, is a copy itself, has another copy, or has other arguments.
    pub fn find(kernels: &[KernelInterface]) -> Result<Vec<Option<Self>>, String> {
        let mut found = vec![None; kernels.len()];
        for (index, copy) in kernels.iter().enumerate() {
            let Some((of, items)) = copy.coarse else {
                continue;
            };
            let place = kernels.iter().position(|kernel| kernel.info.number == of);
            let fits = place.is_some_and(|place| {
                let kernel = &kernels[place];
                let again = found[place].replace(Self { index, items }).is_some();
                !again && !kernel.is_hidden() && takes_the_same(copy, kernel)
            });
            if !fits {
                return Err(format!(
                    "kernel `{}` is a copy of no kernel",
                    copy.info.name
                ));
            }
        }
        Ok(found)
    }
}

impl Interface {
    /// The index of the kernel that a kernel is a copy of.
    pub fn coarse_of(&self, copy: usize) -> Option<usize> {
        let is_it = |found: &Option<CoarseCopy>| found.is_some_and(|found| found.index == copy);
        self.coarse.iter().position(is_it)
    }
}

/// Returns whether a launch of a kernel finds everything in its place that the copy takes.
fn takes_the_same(copy: &KernelInterface, kernel: &KernelInterface) -> bool {
    let sizes = [copy.fixed_local_size, kernel.fixed_local_size].map(|size| size.is_some());
    copy.places == kernel.places
        && copy.bindings == kernel.bindings
        && copy.layout == kernel.layout
        && sizes[0] == sizes[1]
}
