//! The ranges of programs that work on grids.

use crate::random_programs::types::Random;

/// Rows above the grid, which are there.
pub(super) const MARGIN_ROWS: u32 = 2;
/// Columns on both sides of it.
pub(super) const MARGIN: u32 = 4;

/// The range, and how it lies in memory.
pub(super) struct Shape {
    dimensions: usize,
    pub(super) offset: [u32; 3],
    pub(super) global: [u32; 3],
    /// The size of work-groups, if the program says it.
    pub(super) local: Option<[u32; 3]>,
    /// Elements from one row to the next.
    pub(super) pitch: u32,
    /// Elements of a plane.
    pub(super) plane: u32,
}

impl Shape {
    /// Chooses one.
    pub(super) fn random(random: &mut Random) -> Self {
        let dimensions = 1 + random.below(3) as usize;
        // Those that work-groups of 64 divide, and others.
        let global: [u32; 3] = match dimensions {
            1 => [
                *random.pick(&[64, 128, 256, 512, 1024, 200, 333, 1000, 1021]),
                1,
                1,
            ],
            2 => [
                *random.pick(&[32, 64, 128, 100, 62, 33]),
                *random.pick(&[4, 8, 9]),
                1,
            ],
            _ => [
                *random.pick(&[16, 32, 64, 30]),
                *random.pick(&[4, 6]),
                *random.pick(&[2, 3]),
            ],
        };
        let mut offset = [0; 3];
        if random.chance(25) {
            for offset in &mut offset[..dimensions] {
                *offset = *random.pick(&[0, 1, 2, 8, 64]);
            }
        }
        let local = random.chance(60).then(|| {
            let mut local = [1; 3];
            for (size, global) in local.iter_mut().zip(global) {
                let divides = |size: &u32| global % size == 0 && *size <= 64;
                let sizes: Vec<u32> = (1..=global).filter(divides).collect();
                // The larger half of them.
                let first = sizes.len() as u32 / 2;
                *size = sizes[(first + random.below(sizes.len() as u32 - first)) as usize];
            }
            // A work-group of at most 256.
            while local.iter().product::<u32>() > 256 {
                let largest = (0..3).max_by_key(|&d| local[d]).unwrap_or(0);
                let divides = |size: &u32| global[largest] % size == 0;
                local[largest] = (1..local[largest]).rev().find(divides).unwrap_or(1);
            }
            local
        });
        let row = offset[0] + global[0];
        let pitch = row + *random.pick(&[8, 9, 12]);
        let pitch = match random.chance(50) {
            true => pitch.next_multiple_of(4),
            false => pitch,
        };
        let plane = pitch * (offset[1] + global[1] + 1);
        Self {
            dimensions,
            offset,
            global,
            local,
            pitch,
            plane,
        }
    }

    /// The element of the first work-item of a range without an offset.
    pub(super) fn base(&self) -> u32 {
        MARGIN_ROWS * self.pitch + MARGIN
    }

    /// Elements of each buffer that is read.
    pub(super) fn length(&self) -> u32 {
        let planes = self.plane * (self.offset[2] + self.global[2] + 1);
        let strided = 4 * (self.offset[0] + self.global[0]);
        self.base() + planes.max(strided) + (MARGIN_ROWS + 8) * self.pitch
    }

    /// The range as directives of a kernel file.
    pub(super) fn directives(&self) -> String {
        let local = self.local.map(|local| ("local", local));
        let offset = (self.offset != [0; 3]).then_some(("offset", self.offset));
        let sizes = [Some(("global", self.global)), local, offset];
        let lines = sizes.into_iter().flatten().map(|(key, sizes)| {
            let sizes = sizes[..self.dimensions].iter().map(u32::to_string);
            format!("// {key}: {}\n", sizes.collect::<Vec<_>>().join(" "))
        });
        lines.collect()
    }
}
