//! Recording of copies between buffers.

use ash::vk;

use crate::commands::recorder::Recorder;
use crate::error::Result;
use crate::objects::buffer::Buffer;

/// A region of a copy between buffers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CopyRegion {
    /// First byte in the source.
    pub from: u64,
    /// First byte in the target.
    pub to: u64,
    /// Bytes; a region of 0 is skipped.
    pub size: u64,
}

impl CopyRegion {
    /// The two parts of a copy that [`UnalignedCopiesSplit`](crate::quirks::QuirkKind::UnalignedCopiesSplit) asks for: up to the
    /// target's next multiple of 16 bytes, and from there.
    fn parts(self) -> [Self; 2] {
        let first = (self.to.wrapping_neg() % 16).min(self.size);
        let start = Self {
            size: first,
            ..self
        };
        let rest = Self {
            from: self.from + first,
            to: self.to + first,
            size: self.size - first,
        };
        [start, rest]
    }
}

impl Recorder {
    /// Copies bytes between buffers; regions of one buffer must not overlap.
    ///
    /// # Errors
    /// A range beyond a buffer's end.
    pub fn copy_buffer(
        &mut self,
        from: &Buffer,
        to: &Buffer,
        regions: &[CopyRegion],
    ) -> Result<()> {
        self.own(from)?;
        self.own(to)?;
        let mut raw = Vec::with_capacity(regions.len());
        let mut add = |region: CopyRegion| {
            if region.size > 0 {
                raw.push(vk::BufferCopy {
                    src_offset: region.from,
                    dst_offset: region.to,
                    size: region.size,
                });
            }
        };
        for &region in regions {
            from.check_range(region.from, region.size)?;
            to.check_range(region.to, region.size)?;
            match self.device().splits_unaligned_copies {
                true => region.parts().into_iter().for_each(&mut add),
                false => add(region),
            }
        }
        if raw.is_empty() {
            return Ok(());
        }
        // SAFETY: both buffers are alive, kept, and hold the regions.
        unsafe {
            self.device()
                .raw
                .cmd_copy_buffer(self.raw(), from.raw(), to.raw(), &raw)
        };
        self.keep((from.clone(), to.clone()));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::CopyRegion;

    fn parts(from: u64, to: u64, size: u64) -> [(u64, u64, u64); 2] {
        let region = CopyRegion { from, to, size };
        region.parts().map(|part| (part.from, part.to, part.size))
    }

    #[test]
    fn copies_split_at_the_next_multiple_of_16() {
        assert_eq!(parts(3, 5, 70_000), [(3, 5, 11), (14, 16, 69_989)]);
        assert_eq!(parts(7, 32, 100), [(7, 32, 0), (7, 32, 100)]);
        assert_eq!(parts(0, 31, 1), [(0, 31, 1), (1, 32, 0)]);
        assert_eq!(parts(0, 17, 4), [(0, 17, 4), (4, 21, 0)]);
    }
}
