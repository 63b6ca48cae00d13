//! Launches like others, with other bytes for some arguments: mostly numbers, which are in push constants.

use smallvec::SmallVec;

use super::{ArgBytes, Prepared};
use crate::executable::Executable;
use crate::executable::interface::{ArgPlace, Content};

impl Executable {
    /// A launch of a kernel with all that `prepared` has but for bytes of arguments (ordinals). `None` if one of these
    /// is elsewhere than in push constants, another copy of the kernel may serve it, or the launch has memory of its own.
    pub fn rewrite(
        &self,
        kernel: usize,
        prepared: &Prepared,
        arguments: &[(u32, ArgBytes)],
    ) -> Option<Prepared> {
        if prepared.printf.is_some() || prepared.check.is_some() {
            return None;
        }
        let interface = self.interface.kernels.get(kernel)?;
        let pushes = prepared.pushes.iter();
        let mut pushes: SmallVec<_> = pushes.map(|push| SmallVec::from_slice(push)).collect();
        for &(ordinal, place) in &interface.places {
            let mut given = arguments.iter();
            let Some((_, bytes)) = given.find(|(given, _)| *given as usize == ordinal) else {
                continue;
            };
            let ArgPlace::Push {
                offset,
                content: Content::Bytes,
                ..
            } = place
            else {
                return None;
            };
            let first = offset as usize;
            for push in &mut pushes {
                let push: &mut super::Push = push;
                let place = push.get_mut(first..first + bytes.len())?;
                if self.changes_copies(kernel, ordinal, [place, bytes]) {
                    return None;
                }
                place.copy_from_slice(bytes);
            }
        }
        Some(Prepared {
            sets: prepared.sets.clone(),
            pushes,
            held: prepared.held.clone(),
            printf: None,
            check: None,
        })
    }
}
