//! Copies of kernels, which are for some launches only; their invocations may run several work-items each.

use std::cmp::Reverse;

use pumice_compiler::target::coarse::Multiples;

use super::module_scan::ModuleScan;
use super::{Interface, KernelInterface};

/// A copy, as a module describes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::executable) struct CopyOf {
    /// The kernel's number in the module.
    pub of: u32,
    /// Work-items of an invocation.
    pub items: u32,
    /// The distance between two of them in the first dimension: 1, or the number of a sub-group's lanes.
    pub spacing: u32,
    /// Arguments that must be multiples of a number.
    pub multiples: Multiples,
    /// The objects that pointer arguments point at must not overlap.
    pub disjoint: bool,
}

impl CopyOf {
    /// Returns whether the bytes of the argument at a place are what is asked of it.
    pub fn suits(&self, place: usize, bytes: &[u8]) -> bool {
        self.multiples.hold_for(place, bytes, self.span())
    }

    /// The work-items that are neighbours: an invocation's, or those of a sub-group.
    pub fn span(&self) -> u64 {
        u64::from(self.items) * u64::from(self.spacing)
    }
}

/// A copy of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::executable) struct CoarseCopy {
    /// The copy's index.
    pub index: usize,
    /// Its kernel, and what it asks of launches.
    pub form: CopyOf,
    /// It has local memory, which may be as large as some size of work-groups needs.
    pub has_local_memory: bool,
}

impl CoarseCopy {
    /// Finds the copies of kernels that are in their last order. Those come first that ask most of launches: of the sizes of
    /// their work-groups, then of their arguments.
    ///
    /// # Errors
    /// A copy of a kernel that is not there, is a copy itself, has such a copy already, or has other arguments.
    pub fn find(kernels: &[KernelInterface], scan: &ModuleScan) -> Result<Vec<Vec<Self>>, String> {
        let mut found: Vec<Vec<Self>> = vec![Vec::new(); kernels.len()];
        for (index, copy) in kernels.iter().enumerate() {
            let Some(form) = copy.coarse else {
                continue;
            };
            let place = kernels
                .iter()
                .position(|kernel| kernel.info.number == form.of);
            let fits = place.is_some_and(|place| {
                let kernel = &kernels[place];
                let others = &mut found[place];
                let asks =
                    |form: &CopyOf| (form.spacing, form.items, form.multiples, form.disjoint);
                let again = others.iter().any(|other| asks(&other.form) == asks(&form));
                others.push(Self {
                    index,
                    form,
                    has_local_memory: copy.local_buffer.is_some()
                        || scan.uses_local_memory(copy.function),
                });
                !again && !kernel.is_hidden() && takes_the_same(copy, kernel)
            });
            if !fits {
                return Err(format!(
                    "kernel `{}` is a copy of no kernel",
                    copy.info.name
                ));
            }
        }
        for copies in &mut found {
            copies.sort_by_key(|copy| {
                (
                    Reverse(copy.form.spacing),
                    Reverse(copy.form.items),
                    !copy.form.disjoint,
                    Reverse(copy.form.multiples.count()),
                )
            });
        }
        Ok(found)
    }
}

impl Interface {
    /// The index of the kernel that a kernel is a copy of.
    pub fn coarse_of(&self, copy: usize) -> Option<usize> {
        let is_it = |found: &Vec<CoarseCopy>| found.iter().any(|found| found.index == copy);
        self.coarse.iter().position(is_it)
    }
}

/// Returns whether a launch of a kernel finds everything in its place that the copy takes.
fn takes_the_same(copy: &KernelInterface, kernel: &KernelInterface) -> bool {
    let sizes = [copy.fixed_local_size, kernel.fixed_local_size].map(|size| size.is_some());
    copy.places == kernel.places
        && copy.bindings == kernel.bindings
        && copy.layout == kernel.layout
        && copy.local_buffer.is_some() == kernel.local_buffer.is_some()
        && sizes[0] == sizes[1]
}
