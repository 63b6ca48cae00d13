//! Local memory that kernels have in a buffer.

use super::module_scan::SpecValues;
use super::{ArgKind, ArgPlace, KernelInterface};

/// A work-group's part begins at a multiple of this many bytes, or of a larger alignment.
const LEAST_ALIGN: u64 = 16;

/// Returns where the last of some arguments ends: each begins at a multiple of `align` bytes, the first behind `bytes` bytes.
pub(crate) fn end_of_arguments(bytes: u64, align: u64, sizes: impl Iterator<Item = u64>) -> u64 {
    let behind = |end: u64, size: u64| {
        let start = end.checked_next_multiple_of(align);
        start.unwrap_or(u64::MAX).saturating_add(size)
    };
    sizes.fold(bytes, behind)
}

/// The part of a buffer that a work-group has: the kernel's variables, then its local arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::executable) struct LocalBuffer {
    /// Bytes of the variables.
    bytes: u32,
    /// Alignment of each argument and of the part.
    align: u32,
}

impl LocalBuffer {
    /// The form that a module describes; `None` if the alignment is none.
    pub fn new(bytes: u32, align: u32) -> Option<Self> {
        align.is_power_of_two().then_some(Self { bytes, align })
    }

    /// Bytes that a work-group uses, with local arguments of these sizes, in their order.
    pub fn bytes(self, sizes: &[u64]) -> u64 {
        let (bytes, align) = (u64::from(self.bytes), u64::from(self.align));
        end_of_arguments(bytes, align, sizes.iter().copied())
    }

    /// Bytes from one work-group's part to the next.
    pub fn stride(self, sizes: &[u64]) -> u64 {
        let align = u64::from(self.align).max(LEAST_ALIGN);
        let end = self.bytes(sizes).max(1).checked_next_multiple_of(align);
        end.unwrap_or(u64::MAX)
    }
}

impl KernelInterface {
    /// The sizes of the local arguments in bytes, in their order, for these specialization values.
    pub fn local_sizes(&self, spec: &SpecValues) -> Vec<u64> {
        let ordinals = 0..self.info.args.len();
        let locals = ordinals.filter(|&ordinal| self.info.args[ordinal].kind == ArgKind::Local);
        locals
            .map(|ordinal| {
                let place = self.places.iter().find(|(of, _)| *of == ordinal);
                match place {
                    Some(&(_, ArgPlace::Local { spec_id, elem_size })) => {
                        let count = spec.get(&spec_id).copied().unwrap_or(1);
                        u64::from(count) * u64::from(elem_size)
                    }
                    _ => 0,
                }
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::LocalBuffer;

    #[test]
    fn arguments_lie_behind_variables() {
        let buffer = LocalBuffer::new(400, 4).unwrap();
        assert_eq!((buffer.bytes(&[]), buffer.stride(&[])), (400, 400));
        assert_eq!((buffer.bytes(&[1]), buffer.stride(&[1])), (401, 416));
        assert_eq!(buffer.bytes(&[1, 64]), 468);
        let wide = LocalBuffer::new(4, 128).unwrap();
        assert_eq!((wide.bytes(&[8]), wide.stride(&[8])), (136, 256));
        assert_eq!((wide.bytes(&[0, 0]), wide.stride(&[0, 0])), (128, 128));
        assert_eq!(wide.stride(&[u64::MAX, 8]), u64::MAX);
        let empty = LocalBuffer::new(0, 1).unwrap();
        assert_eq!((empty.bytes(&[]), empty.stride(&[])), (0, 16));
        assert_eq!(LocalBuffer::new(4, 0), None);
        assert_eq!(LocalBuffer::new(4, 12), None);
    }
}
