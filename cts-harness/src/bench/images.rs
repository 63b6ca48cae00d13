//! Reads and writes of images; their text is `bench/images.cl`.

use super::kernels::SIDE;
use super::list::{Row, What, row};
use super::{Clock, Failure, Result, Subject};
use crate::cl::{Arg, Image};
use cl_sys::{CL_FLOAT, CL_R, CL_RGBA, CL_UNORM_INT8};
use pumice_filetests::{Image as Shape, ImageKind};

pub(super) const SOURCE: &str = include_str!("../../bench/images.cl");

/// Use of an image by a kernel.
#[derive(Clone, Copy, Debug)]
pub(super) enum Access {
    /// Nine pixels are read for each.
    Nine,
    /// A place between two pixels is read.
    Between,
    /// A pixel is written.
    Write,
}

/// An access of images of a format.
#[derive(Clone, Copy, Debug)]
pub(super) struct OnImage {
    name: &'static str,
    access: Access,
    bytes: bool,
}

const fn on_image(name: &'static str, access: Access, bytes: bool) -> Row {
    let what = OnImage {
        name,
        access,
        bytes,
    };
    row(name, "Mpixels/s", true, What::Image(what))
}

/// The rows.
pub(super) const ROWS: &[Row] = &[
    on_image(
        "image of bytes, nine reads for each pixel",
        Access::Nine,
        true,
    ),
    on_image(
        "image of floats, nine reads for each pixel",
        Access::Nine,
        false,
    ),
    on_image("image of bytes, linear filter", Access::Between, true),
    on_image("image of bytes, writes", Access::Write, true),
];

impl OnImage {
    /// RGBA in bytes, or one float.
    fn shape(self) -> Shape {
        let (order, data_type) = match self.bytes {
            true => (CL_RGBA, CL_UNORM_INT8),
            false => (CL_R, CL_FLOAT),
        };
        let side = SIDE as u32;
        Shape {
            kind: ImageKind::Image2d,
            size: [side, side, 1],
            order,
            data_type,
        }
    }

    fn kernel(self) -> &'static str {
        match self.access {
            Access::Nine => "nine",
            Access::Between => "between",
            Access::Write => "ramp",
        }
    }

    /// The sum of red and green of a pixel, by the image's bytes. Coordinates outside are at the edge.
    fn color(self, pixels: &[u8], x: usize, y: usize) -> f64 {
        let (x, y) = (x.min(SIDE - 1), y.min(SIDE - 1));
        let at = 4 * (y * SIDE + x);
        let pixel = [pixels[at], pixels[at + 1], pixels[at + 2], pixels[at + 3]];
        match self.bytes {
            true => (f64::from(pixel[0]) + f64::from(pixel[1])) / 255.0,
            false => f64::from(f32::from_le_bytes(pixel)),
        }
    }

    /// The number that a kernel writes for a pixel.
    fn expected(self, pixels: &[u8], x: usize, y: usize) -> f64 {
        let color = |x: usize, y: usize| self.color(pixels, x, y);
        match self.access {
            Access::Nine => {
                let rows = [y.saturating_sub(1), y, y + 1].into_iter();
                let columns = [x.saturating_sub(1), x, x + 1];
                rows.flat_map(|y| columns.map(|x| color(x, y))).sum()
            }
            Access::Between => 0.75 * color(x, y) + 0.25 * color(x + 1, y),
            Access::Write => color(x, y),
        }
    }
}

impl Subject {
    /// Millions of pixels a second.
    pub(super) fn image(&mut self, on: &OnImage, clock: Clock) -> Result<f64> {
        let program = self.images.as_ref().map_err(Failure::clone)?;
        let kernel = program.kernel(on.kernel())?;
        let image = self.device.image(&on.shape(), &self.host)?;
        let both = [Arg::Image(&image), Arg::Buffer(&self.buffers[2])];
        let args = match on.access {
            Access::Write => &both[..1],
            Access::Nine | Access::Between => &both[..],
        };
        let size = [SIDE, SIDE];
        self.device.run(&kernel, args, None, &size, None)?;
        if self.checked.insert(on.name) {
            self.check_image(on, &image)?;
            self.warm_up(&kernel, args, &size, None)?;
        }
        let best = self.time_of_kernel(&kernel, &size, None, clock)?;
        Ok(1e-6 * (SIDE * SIDE) as f64 / best)
    }

    fn check_image(&self, on: &OnImage, image: &Image) -> Result<()> {
        let pixels = self.device.read_image(image)?;
        let after = match on.access {
            Access::Write => Vec::new(),
            Access::Nine | Access::Between => self.device.read(&self.buffers[2])?,
        };
        for at in (0..SIDE * SIDE).step_by(4099) {
            let (x, y) = (at % SIDE, at / SIDE);
            let (got, want) = match on.access {
                Access::Write => {
                    let ramp = (x & 3) as f64 / 3.0 + (y & 1) as f64;
                    (on.expected(&pixels, x, y), ramp)
                }
                Access::Nine | Access::Between => {
                    let bytes = [0, 1, 2, 3].map(|byte| after[4 * at + byte]);
                    let got = f64::from(f32::from_le_bytes(bytes));
                    (got, on.expected(&pixels, x, y))
                }
            };
            // Filters of devices have eight bits.
            if !(0.0..=0.01).contains(&(got - want).abs()) {
                return Err(Failure(format!(
                    "wrong result: {got}, not {want}, at {x}, {y}"
                )));
            }
        }
        Ok(())
    }
}
