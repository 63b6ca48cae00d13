//! Rectangular regions of buffers (clEnqueueReadBufferRect and its kin), checked and flattened.

use pumice_vulkan_layer::{ImageBox, TexelRows};

use crate::base::error::{Error, Result};

/// The place of a three-dimensional region in linear memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Byte offset of the region's first byte.
    pub offset: usize,
    /// Bytes from a row to the next.
    pub row_pitch: usize,
    /// Bytes from a slice to the next.
    pub slice_pitch: usize,
}

/// A region in bytes, rows and slices.
pub type Extent = [usize; 3];

/// The extent of a box of texels of `texel` bytes.
pub fn extent_of(area: ImageBox, texel: usize) -> Extent {
    let [width, height, depth] = area.extent.map(|n| n as usize);
    [width * texel, height, depth]
}

impl Layout {
    /// A contiguous run of bytes.
    pub fn linear(offset: usize) -> Self {
        Self {
            offset,
            row_pitch: 0,
            slice_pitch: 0,
        }
    }

    /// Rows and slices without gaps, from the first byte on.
    pub fn packed([size, rows, _]: Extent) -> Self {
        Self {
            offset: 0,
            row_pitch: size,
            slice_pitch: size * rows,
        }
    }

    /// Checks origin and pitches, where 0 selects the tight pitch.
    ///
    /// # Errors
    /// [`Error::InvalidValue`] for pitches that are too small or no multiples, and for offsets that
    /// overflow.
    pub fn new(
        origin: [usize; 3],
        extent: Extent,
        row_pitch: usize,
        slice_pitch: usize,
    ) -> Result<Self> {
        // CL_INVALID_VALUE if a row pitch is not 0 and is less than region[0].
        if row_pitch != 0 && row_pitch < extent[0] {
            return Err(Error::InvalidValue.because(format!(
                "row pitch {row_pitch} is less than the {} bytes of a row",
                extent[0]
            )));
        }
        let row_pitch = if row_pitch == 0 { extent[0] } else { row_pitch };
        let tight = row_pitch.checked_mul(extent[1]).ok_or_else(too_large)?;
        // CL_INVALID_VALUE if a slice pitch is not 0 and is less than region[1] × row pitch, or
        // not a multiple of the row pitch.
        if slice_pitch != 0 && (slice_pitch < tight || slice_pitch % row_pitch.max(1) != 0) {
            return Err(Error::InvalidValue.because(format!(
                "slice pitch {slice_pitch} is less than the {tight} bytes of a slice, or no multiple of row pitch {row_pitch}"
            )));
        }
        let slice_pitch = if slice_pitch == 0 { tight } else { slice_pitch };
        let offset = origin[2]
            .checked_mul(slice_pitch)
            .zip(origin[1].checked_mul(row_pitch))
            .and_then(|(z, y)| z.checked_add(y))
            .and_then(|zy| zy.checked_add(origin[0]))
            .ok_or_else(too_large)?;
        let layout = Self {
            offset,
            row_pitch,
            slice_pitch,
        };
        layout.end(extent).ok_or_else(too_large)?;
        Ok(layout)
    }

    /// One past the last byte of the region; `None` on overflow.
    pub fn end(&self, extent: Extent) -> Option<usize> {
        if extent.contains(&0) {
            return Some(self.offset);
        }
        let z = (extent[2] - 1).checked_mul(self.slice_pitch)?;
        let y = (extent[1] - 1).checked_mul(self.row_pitch)?;
        self.offset
            .checked_add(z)?
            .checked_add(y)?
            .checked_add(extent[0])
    }

    /// Byte offset of row `y` of slice `z`.
    pub fn row(&self, y: usize, z: usize) -> usize {
        self.offset + z * self.slice_pitch + y * self.row_pitch
    }
}

/// The same bytes with as few rows and slices as can be: those that touch in both layouts are one.
fn flattened(mut from: Layout, mut to: Layout, mut extent: Extent) -> (Layout, Layout, Extent) {
    while extent[1] * extent[2] != 1 {
        let tight = from.row_pitch == extent[0] && to.row_pitch == extent[0];
        if extent[1] != 1 && !tight {
            break;
        }
        extent = [extent[0] * extent[1], extent[2], 1];
        from.row_pitch = from.slice_pitch;
        to.row_pitch = to.slice_pitch;
    }
    (from, to, extent)
}

/// The offsets of a region's rows, in their order in memory. The application chooses how many there
/// are, so they are counted out, never collected.
fn rows(layout: Layout, extent: Extent) -> impl Iterator<Item = usize> {
    (0..extent[2]).flat_map(move |z| (0..extent[1]).map(move |y| layout.row(y, z)))
}

/// The number of pieces that [`pieces`] gives.
pub fn piece_count(from: Layout, to: Layout, extent: Extent) -> usize {
    if extent.contains(&0) {
        return 0;
    }
    let (_, _, extent) = flattened(from, to, extent);
    extent[1] * extent[2]
}

/// A region that lies in a buffer and in the host's memory.
#[derive(Clone, Copy, Debug)]
pub struct Sides {
    /// Its place in the buffer.
    pub buffer: Layout,
    /// Its place in the host's memory.
    pub host: Layout,
    /// Its extent.
    pub extent: Extent,
}

/// Bytes that are contiguous on both sides of a copy between a buffer and the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// The first byte in the buffer.
    pub buffer: usize,
    /// The first byte in the host's memory.
    pub host: usize,
    /// Their number.
    pub size: usize,
}

impl Sides {
    /// `size` bytes from one byte of the buffer on, which are the first of the host's memory.
    pub fn linear(buffer: usize, size: usize) -> Self {
        Self {
            buffer: Layout::linear(buffer),
            host: Layout::linear(0),
            extent: [size, 1, 1],
        }
    }

    /// The same for a copy the other way.
    pub fn turned(self) -> Self {
        Self {
            buffer: self.host,
            host: self.buffer,
            extent: self.extent,
        }
    }

    /// Bytes of the region.
    pub fn bytes(&self) -> usize {
        self.extent.iter().product()
    }

    /// The runs that the region consists of.
    pub fn runs(&self) -> impl Iterator<Item = Run> + use<> {
        let run = |(buffer, host, size)| Run { buffer, host, size };
        pieces(self.buffer, self.host, self.extent).map(run)
    }
}

/// The contiguous pieces that a copy of `extent` between two layouts is made of:
/// (offset in `from`, offset in `to`, bytes). Rows and slices that touch are one.
pub fn pieces(
    from: Layout,
    to: Layout,
    extent: Extent,
) -> impl Iterator<Item = (usize, usize, usize)> + use<> {
    let nothing = extent.contains(&0);
    let (from, to, extent) = match nothing {
        true => (from, to, [0; 3]),
        false => flattened(from, to, extent),
    };
    rows(from, extent)
        .zip(rows(to, extent))
        .map(move |(a, b)| (a, b, extent[0]))
}

/// Tells whether two boxes, each an origin and an extent, intersect, as coordinates: pitches play no part.
pub fn boxes_intersect(a: ([usize; 3], Extent), b: ([usize; 3], Extent)) -> bool {
    (0..3).all(|i| a.0[i] < b.0[i] + b.1[i] && b.0[i] < a.0[i] + a.1[i])
}

/// The pieces of a copy between overlapping layouts of one shape that, done one after the other,
/// give what copying byte after byte in ascending order gives: none overlaps its own source.
pub fn ascending_pieces(
    from: Layout,
    to: Layout,
    extent: Extent,
) -> impl Iterator<Item = (usize, usize, usize)> {
    let step = from.offset.abs_diff(to.offset).clamp(1, extent[0].max(1));
    rows(from, extent)
        .zip(rows(to, extent))
        .flat_map(move |(a, b)| {
            (0..extent[0])
                .step_by(step)
                .map(move |x| (a + x, b + x, step.min(extent[0] - x)))
        })
}

impl Layout {
    /// The same rows from another byte on.
    pub fn shifted(self, bytes: usize) -> Self {
        Self {
            offset: self.offset + bytes,
            ..self
        }
    }

    /// The same bytes as slices of one row, if they are rows of one slice, and as rows of one slice, if they are slices of
    /// one row.
    pub fn transposed(self, [size, rows, slices]: Extent) -> (Self, Extent) {
        debug_assert!(rows == 1 || slices == 1);
        let pitch = match rows {
            1 => self.slice_pitch,
            _ => self.row_pitch,
        };
        let layout = Self {
            offset: self.offset,
            row_pitch: pitch,
            slice_pitch: pitch * slices,
        };
        (layout, [size, slices, rows])
    }

    /// The place for Vulkan, in texels and rows; `None` if a pitch is no multiple of them.
    pub fn texel_rows(self, texel: usize) -> Option<TexelRows> {
        let row = self.row_pitch.max(1);
        let whole = self.row_pitch % texel == 0 && self.slice_pitch % row == 0;
        let rows = TexelRows {
            offset: self.offset as u64,
            row_texels: u32::try_from(self.row_pitch / texel).ok()?,
            slice_rows: u32::try_from(self.slice_pitch / row).ok()?,
        };
        whole.then_some(rows)
    }
}

/// Tells whether two regions of one buffer, each with its extent, share a byte (CL_MEM_COPY_OVERLAP).
pub fn overlap(a: (Layout, Extent), b: (Layout, Extent)) -> bool {
    if a.1.contains(&0) || b.1.contains(&0) {
        return false;
    }
    let end = |(layout, extent): (Layout, Extent)| layout.end(extent).unwrap_or(usize::MAX);
    // Regions apart as a whole cannot overlap, which is the usual case.
    if end(a) <= b.0.offset || end(b) <= a.0.offset {
        return false;
    }
    let [(mut of_a, length_a), (mut of_b, length_b)] = [a, b].map(|(layout, extent)| {
        let (layout, _, extent) = flattened(layout, layout, extent);
        (rows(layout, extent), extent[0])
    });
    let (mut x, mut y) = (of_a.next(), of_b.next());
    while let (Some(row_a), Some(row_b)) = (x, y) {
        if row_a + length_a <= row_b {
            x = of_a.next();
        } else if row_b + length_b <= row_a {
            y = of_b.next();
        } else {
            return true;
        }
    }
    false
}

fn too_large() -> Error {
    Error::InvalidValue.because("origin, region and pitches reach beyond any memory")
}

#[cfg(test)]
mod tests {
    use super::{Extent, Layout, ascending_pieces, boxes_intersect, overlap, piece_count};
    use crate::base::error::Error;

    #[test]
    fn pitches_are_checked() {
        assert_eq!(
            Layout::new([0; 3], [8, 2, 1], 4, 0),
            Err(Error::InvalidValue)
        );
        assert_eq!(
            Layout::new([0; 3], [8, 2, 1], 8, 17),
            Err(Error::InvalidValue)
        );
        let layout = Layout::new([1, 2, 1], [4, 2, 2], 10, 40).unwrap();
        assert_eq!(layout.offset, 1 + 20 + 40);
        assert_eq!(layout.end([4, 2, 2]), Some(61 + 40 + 10 + 4));
        assert_eq!(
            Layout::new([usize::MAX, 1, 0], [4, 1, 1], 10, 0),
            Err(Error::InvalidValue)
        );
    }

    fn pieces(from: Layout, to: Layout, extent: Extent) -> Vec<(usize, usize, usize)> {
        let pieces: Vec<_> = super::pieces(from, to, extent).collect();
        assert_eq!(pieces.len(), piece_count(from, to, extent));
        pieces
    }

    #[test]
    fn touching_rows_are_one_piece() {
        let tight = Layout::new([0; 3], [4, 3, 2], 0, 0).unwrap();
        assert_eq!(pieces(tight, tight, [4, 3, 2]), [(0, 0, 24)]);
        let wide = Layout::new([0; 3], [4, 2, 1], 8, 0).unwrap();
        let narrow = Layout::new([0; 3], [4, 2, 1], 0, 0).unwrap();
        assert_eq!(pieces(wide, narrow, [4, 2, 1]), [(0, 0, 4), (8, 4, 4)]);
    }

    #[test]
    fn slices_and_rows_keep_their_order() {
        let from = Layout::new([0; 3], [4, 2, 2], 8, 32).unwrap();
        let to = Layout::new([0; 3], [4, 2, 2], 0, 0).unwrap();
        let all = [(0, 0, 4), (8, 4, 4), (32, 8, 4), (40, 12, 4)];
        assert_eq!(pieces(from, to, [4, 2, 2]), all);
        // One row in each slice.
        let from = Layout::new([0; 3], [4, 1, 2], 8, 16).unwrap();
        let to = Layout::new([0; 3], [4, 1, 2], 0, 0).unwrap();
        assert_eq!(pieces(from, to, [4, 1, 2]), [(0, 0, 4), (16, 4, 4)]);
        assert_eq!(pieces(from, to, [4, 0, 2]), []);
    }

    #[test]
    fn as_many_rows_as_the_application_likes() {
        let most = 1 << 40;
        let tight = Layout::new([0; 3], [1, most, 1], 0, 0).unwrap();
        assert_eq!(pieces(tight, tight, [1, most, 1]), [(0, 0, most)]);
        let wide = Layout::new([0; 3], [1, most, 1], 2, 0).unwrap();
        assert_eq!(piece_count(wide, tight, [1, most, 1]), most);
        assert!(overlap((wide, [1, most, 1]), (wide, [1, most, 1])));
    }

    #[test]
    fn ascending_pieces_copy_like_bytes_in_order() {
        let extent = [5, 3, 2];
        for (source, target) in [
            ([0, 0, 0], [3, 1, 0]),
            ([9, 2, 0], [0, 0, 1]),
            ([0; 3], [0; 3]),
        ] {
            let from = Layout::new(source, extent, 0, 0).unwrap();
            let to = Layout::new(target, extent, 0, 0).unwrap();
            let mut bytes: Vec<u8> = (0..100).collect();
            let mut expected = bytes.clone();
            for (z, y, x) in (0..30).map(|i| (i / 15, i / 5 % 3, i % 5)) {
                expected[to.row(y, z) + x] = expected[from.row(y, z) + x];
            }
            for (from, to, length) in ascending_pieces(from, to, extent) {
                assert!(from == to || from.abs_diff(to) >= length);
                bytes.copy_within(from..from + length, to);
            }
            assert_eq!(bytes, expected);
        }
        assert!(!boxes_intersect(([0, 0, 0], extent), ([5, 0, 0], extent)));
        assert!(boxes_intersect(([0, 0, 0], extent), ([4, 2, 1], extent)));
        assert!(!boxes_intersect(
            ([0, 0, 0], [4, 1, 1]),
            ([4, 0, 0], extent)
        ));
    }

    #[test]
    fn rows_and_slices_of_one_row_are_the_same_bytes() {
        let layout = Layout::new([4, 1, 0], [4, 3, 1], 12, 0).unwrap();
        let (slices, extent) = layout.transposed([4, 3, 1]);
        assert_eq!(extent, [4, 1, 3]);
        assert_eq!([0, 1, 2].map(|y| layout.row(y, 0)), [16, 28, 40]);
        assert_eq!([0, 1, 2].map(|z| slices.row(0, z)), [16, 28, 40]);
        let (rows, extent) = slices.transposed(extent);
        assert_eq!(extent, [4, 3, 1]);
        assert_eq!([0, 1, 2].map(|y| rows.row(y, 0)), [16, 28, 40]);
    }

    #[test]
    fn interleaved_rows_do_not_overlap() {
        let a = Layout::new([0, 0, 0], [4, 3, 1], 8, 0).unwrap();
        let b = Layout::new([4, 0, 0], [4, 3, 1], 8, 0).unwrap();
        let c = Layout::new([3, 1, 0], [4, 3, 1], 8, 0).unwrap();
        let extent = [4, 3, 1];
        assert!(!overlap((a, extent), (b, extent)));
        assert!(overlap((a, extent), (c, extent)));
        assert!(overlap((a, extent), (a, extent)));
        // Rows of another length, and fewer of them.
        assert!(!overlap((a, extent), (b, [2, 2, 1])));
        assert!(overlap((a, extent), (a, [1, 1, 1])));
    }
}
