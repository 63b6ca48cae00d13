//! Images and samplers among a kernel's arguments. Reads are of pixels that there are, or through samplers that say what
//! lies outside, with coordinates in the middle of a pixel; a work-item writes to a pixel of its own. Shares become the
//! integers that they stand for, since their last bits may differ.

use super::types::{Random, Scalar, Ty};
use super::{Gen, contents};

/// A type of images.
#[derive(Clone, Copy, Debug)]
struct Kind {
    name: &'static str,
    /// Coordinates of a pixel in a layer.
    dimensions: usize,
    layers: bool,
}

const KINDS: [Kind; 6] = [
    kind("image2d", 2, false),
    kind("image1d", 1, false),
    kind("image1d_array", 1, true),
    kind("image2d_array", 2, true),
    kind("image1d_buffer", 1, false),
    // Writes to volumes are an extension: the last one is read only.
    kind("image3d", 3, false),
];

const fn kind(name: &'static str, dimensions: usize, layers: bool) -> Kind {
    Kind {
        name,
        dimensions,
        layers,
    }
}

impl Kind {
    fn coordinates(self) -> usize {
        self.dimensions + usize::from(self.layers)
    }

    fn has_samplers(self) -> bool {
        self.name != "image1d_buffer"
    }
}

/// The numbers of a format's channels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Numbers {
    Signed,
    Unsigned,
    Float,
    Half,
    /// Shares of the largest number, without a sign and with one.
    Unorm(u32),
    Snorm(u32),
}

/// Channel types with the type of their bits.
const TYPES: [(&str, Scalar, Numbers); 12] = [
    ("SIGNED_INT8", Scalar::Char, Numbers::Signed),
    ("SIGNED_INT16", Scalar::Short, Numbers::Signed),
    ("SIGNED_INT32", Scalar::Int, Numbers::Signed),
    ("UNSIGNED_INT8", Scalar::Uchar, Numbers::Unsigned),
    ("UNSIGNED_INT16", Scalar::Ushort, Numbers::Unsigned),
    ("UNSIGNED_INT32", Scalar::Uint, Numbers::Unsigned),
    ("UNORM_INT8", Scalar::Uchar, Numbers::Unorm(255)),
    ("HALF_FLOAT", Scalar::Half, Numbers::Half),
    ("FLOAT", Scalar::Float, Numbers::Float),
    // What follows is not in every list for images that are read and written.
    ("UNORM_INT16", Scalar::Ushort, Numbers::Unorm(65535)),
    ("SNORM_INT8", Scalar::Char, Numbers::Snorm(127)),
    ("SNORM_INT16", Scalar::Short, Numbers::Snorm(32767)),
];

/// The use that the kernel makes of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Access {
    Read,
    Write,
    Both,
}

impl Access {
    fn qualifier(self) -> &'static str {
        match self {
            Access::Read => "read_only",
            Access::Write => "write_only",
            Access::Both => "read_write",
        }
    }
}

/// An image that is an argument.
#[derive(Clone, Debug)]
pub(crate) struct Image {
    name: String,
    kind: Kind,
    size: [u32; 3],
    numbers: Numbers,
    access: Access,
    /// The directive without its contents.
    format: String,
    scalar: Scalar,
    channels: u32,
}

/// A sampler with the nearest filter.
#[derive(Clone, Debug)]
pub(crate) struct Sampler {
    name: String,
    normalized: bool,
    /// CLK_ADDRESS_ without its beginning.
    addressing: &'static str,
    is_argument: bool,
}

impl Gen {
    /// Makes the images and samplers that the kernel will have, for a number of work-items.
    pub(crate) fn choose_images(&mut self, global: u32) {
        if !self.has(Self::IMAGES) {
            return;
        }
        for _ in 0..1 + self.random.below(2) {
            self.choose_image(Access::Read, global);
        }
        for _ in 0..self.random.below(3) {
            self.choose_image(Access::Write, global);
        }
        if self.has(Self::IMAGES_FOR_BOTH) && self.random.chance(40) {
            self.choose_image(Access::Both, global);
        }
        for _ in 0..1 + self.random.below(3) {
            let normalized = self.random.chance(50);
            let all: &[&str] = match normalized {
                true => &["CLAMP", "CLAMP_TO_EDGE", "REPEAT", "MIRRORED_REPEAT"],
                false => &["CLAMP", "CLAMP_TO_EDGE", "NONE"],
            };
            let sampler = Sampler {
                name: self.fresh("smp"),
                normalized,
                addressing: self.random.pick::<&str>(all),
                is_argument: self.random.chance(40),
            };
            if !sampler.is_argument {
                let coordinates = if normalized { "TRUE" } else { "FALSE" };
                self.top.push_str(&format!(
                    "__constant sampler_t {} = CLK_NORMALIZED_COORDS_{coordinates} | CLK_ADDRESS_{} | CLK_FILTER_NEAREST;\n",
                    sampler.name, sampler.addressing
                ));
            }
            self.samplers.push(sampler);
        }
    }

    fn choose_image(&mut self, access: Access, global: u32) {
        let kinds = if access == Access::Read { 6 } else { 5 };
        let kind = KINDS[self.random.below(kinds) as usize];
        let types = if access == Access::Both { 9 } else { 12 };
        let (data_type, scalar, numbers) = loop {
            let row = TYPES[self.random.below(types) as usize];
            let float = matches!(row.2, Numbers::Float | Numbers::Half);
            if self.has(Self::FLOATS) || !float {
                break row;
            }
        };
        let (order, channels) = match self.random.below(6) {
            0 | 1 => ("R", 1),
            2 if access != Access::Both => ("RG", 2),
            3 if data_type == "UNORM_INT8" && access != Access::Both => ("BGRA", 4),
            _ => ("RGBA", 4),
        };
        let mut size = [1; 3];
        let used = kind.coordinates();
        for n in &mut size[..used] {
            *n = *self.random.pick(&[1, 2, 2, 3, 4, 4]);
        }
        if access != Access::Read {
            // A pixel for each work-item.
            let others: u32 = size[..used - 1].iter().product();
            size[used - 1] = global.div_ceil(others);
        }
        let sizes: Vec<String> = size[..used].iter().map(u32::to_string).collect();
        let image = Image {
            name: self.fresh("im"),
            kind,
            size,
            numbers,
            access,
            format: format!("{} {} {order} {data_type}", kind.name, sizes.join("x")),
            scalar,
            channels,
        };
        self.images.push(image);
    }

    /// The parameters of the kernel behind its others.
    pub(crate) fn image_parameters(&self) -> String {
        let images = self.images.iter().map(|image| {
            let qualifier = image.access.qualifier();
            format!(", {qualifier} {}_t {}", image.kind.name, image.name)
        });
        let samplers = self.samplers.iter().filter(|sampler| sampler.is_argument);
        let samplers = samplers.map(|sampler| format!(", sampler_t {}", sampler.name));
        images.chain(samplers).collect()
    }

    /// The directives of these parameters.
    pub(crate) fn image_directives(&mut self) -> String {
        let random: &mut Random = &mut self.random;
        let images = self.images.iter().map(|image| {
            let pixels: u32 = image.size.iter().product();
            let data = contents(random, image.scalar, pixels * image.channels);
            format!("// arg: {}{data}\n", image.format)
        });
        let mut text: String = images.collect();
        for sampler in self.samplers.iter().filter(|sampler| sampler.is_argument) {
            let normalized = if sampler.normalized {
                " NORMALIZED"
            } else {
                ""
            };
            text += &format!(
                "// arg: sampler {} NEAREST{normalized}\n",
                sampler.addressing
            );
        }
        text
    }

    /// A pixel or a fact of an image as a value of a type; `None` if there are none that can be read.
    pub(crate) fn image_value(&mut self, ty: Ty, depth: u32) -> Option<String> {
        if self.images.is_empty() {
            return None;
        }
        if self.random.chance(15) {
            let (text, from) = self.image_query();
            return Some(self.convert(&text, from, ty));
        }
        let (text, from) = self.pixel(depth)?;
        Some(self.convert(&text, from, ty))
    }

    fn image_query(&mut self) -> (String, Ty) {
        let image = self.random.pick(&self.images).clone();
        let mut queries = vec!["width", "channel_order", "channel_data_type"];
        if image.kind.dimensions > 1 {
            queries.push("height");
        }
        if image.kind.dimensions > 2 {
            queries.push("depth");
        }
        if image.kind.layers {
            queries.push("array_size");
        }
        let query = *self.random.pick(&queries);
        let text = format!("(int)get_image_{query}({})", image.name);
        (text, Ty::scalar(Scalar::Int))
    }

    /// The images with other uses.
    fn images_but(&self, access: Access) -> Vec<Image> {
        let others = self.images.iter().filter(|image| image.access != access);
        others.cloned().collect()
    }

    /// Returns whether an access of an image is one of halves.
    fn takes_halves(&mut self, image: &Image) -> bool {
        image.numbers == Numbers::Half && self.has(Self::HALVES) && self.random.chance(50)
    }

    /// A pixel of an image that may be read.
    fn pixel(&mut self, depth: u32) -> Option<(String, Ty)> {
        let readable = self.images_but(Access::Write);
        if readable.is_empty() {
            return None;
        }
        let image = self.random.pick(&readable).clone();
        Some(match image.access {
            Access::Both => {
                let place = self.own_pixel(&image, "gid");
                self.read(&image, None, place)
            }
            _ if image.kind.has_samplers() && self.random.chance(60) => {
                let sampler = self.random.pick(&self.samplers).clone();
                let place = self.sampled_place(&image, &sampler, depth);
                self.read(&image, Some(sampler.name), place)
            }
            _ => {
                let place = self.place_inside(&image, depth);
                self.read(&image, None, place)
            }
        })
    }

    /// A read of a pixel, perhaps through a sampler.
    fn read(&mut self, image: &Image, sampler: Option<String>, place: Place) -> (String, Ty) {
        let (scalar, count) = (place.scalar, image.kind.coordinates());
        let lanes = if count == 3 { 4 } else { count as u32 };
        let qualifier = image.access.qualifier();
        let mut types = vec![format!("{qualifier} {}_t a", image.kind.name)];
        types.extend(sampler.as_ref().map(|_| "sampler_t b".to_string()));
        types.push(format!("{} c", Ty { scalar, lanes }.name()));
        let arguments = [Some(image.name.clone()), sampler, Some(place.text)];
        let arguments: Vec<String> = arguments.into_iter().flatten().collect();
        let halves = self.takes_halves(image);
        let (suffix, scalar) = match image.numbers {
            Numbers::Signed => ("i", Scalar::Int),
            Numbers::Unsigned => ("ui", Scalar::Uint),
            _ if halves => ("h", Scalar::Half),
            _ => ("f", Scalar::Float),
        };
        let of = |scalar| Ty { scalar, lanes: 4 };
        let mut name = format!("read_image{suffix}");
        if self.random.chance(25) {
            name = self.read_function(&name, of(scalar), &types);
        }
        let text = format!("{name}({})", arguments.join(", "));
        match image.numbers {
            Numbers::Unorm(most) | Numbers::Snorm(most) => {
                let text = format!("convert_int4_rte({text} * {most}.0f)");
                (text, of(Scalar::Int))
            }
            _ => (text, of(scalar)),
        }
    }

    /// A function that reads for its callers.
    fn read_function(&mut self, read: &str, result: Ty, types: &[String]) -> String {
        // One for each list of types: their names make its own.
        let words: String = types.join("_").replace([' ', ','], "_");
        let name = format!("{read}_{words}");
        let values: Vec<&str> = types
            .iter()
            .filter_map(|ty| ty.split(' ').next_back())
            .collect();
        let text = format!(
            "{} {name}({}) {{ return {read}({}); }}\n",
            result.name(),
            types.join(", "),
            values.join(", ")
        );
        self.helper(&name, text);
        name
    }

    /// A coordinate below a size.
    fn coordinate_below(&mut self, size: u32, depth: u32) -> String {
        match size {
            1 => "0".to_string(),
            _ => {
                let value = self.expr(Ty::scalar(Scalar::Uint), depth.min(1));
                format!("(int)({value} % {size}u)")
            }
        }
    }

    fn place_inside(&mut self, image: &Image, depth: u32) -> Place {
        let sizes = &image.size[..image.kind.coordinates()];
        let parts = sizes.iter().map(|&size| self.coordinate_below(size, depth));
        Place::of(Scalar::Int, &parts.collect::<Vec<String>>())
    }

    /// The pixel that nobody but the work-item with a global id writes to.
    fn own_pixel(&self, image: &Image, id: &str) -> Place {
        let mut parts = Vec::new();
        let mut before = 1;
        let used = image.kind.coordinates();
        for (at, size) in image.size[..used].iter().enumerate() {
            parts.push(match at + 1 == used {
                true => format!("(int)({id} / {before}u)"),
                false => format!("(int)({id} / {before}u % {size}u)"),
            });
            before *= size;
        }
        Place::of(Scalar::Int, &parts)
    }

    /// A place that a sampler reads, inside or outside of the image.
    fn sampled_place(&mut self, image: &Image, sampler: &Sampler, depth: u32) -> Place {
        let whole = !sampler.normalized && self.random.chance(60);
        if sampler.addressing == "NONE" && whole {
            return self.place_inside(image, depth);
        }
        let used = image.kind.coordinates();
        let mut parts = Vec::new();
        for (at, &size) in image.size[..used].iter().enumerate() {
            // Pixels from some before the first to some behind the last, or those that there are.
            let number = if sampler.addressing == "NONE" {
                self.coordinate_below(size, depth)
            } else {
                let value = self.expr(Ty::scalar(Scalar::Int), depth.min(1));
                match whole && self.random.chance(10) {
                    true => value,
                    false => format!("(({value} & 15) - {})", self.random.below(9)),
                }
            };
            let is_layer = at >= image.kind.dimensions;
            parts.push(match (whole, is_layer, sampler.normalized) {
                (true, ..) => number,
                (_, true, _) => format!("((float)({number}) + 0.25f)"),
                (_, _, true) => format!("(((float)({number}) + 0.5f) / {size}.0f)"),
                (_, _, false) => format!("((float)({number}) + 0.375f)"),
            });
        }
        let scalar = if whole { Scalar::Int } else { Scalar::Float };
        Place::of(scalar, &parts)
    }

    /// Declares a variable of a pixel that another work-item of the group may have written.
    fn pixel_of_another(&mut self, image: &Image) {
        let other = self.fresh("t");
        let (step, group) = (1 + self.random.below(5), self.group);
        self.line(&format!(
            "uint {other} = gid - lid + (lid + {step}) % {group};"
        ));
        let place = self.own_pixel(image, &other);
        let (text, ty) = self.read(image, None, place);
        self.line("work_group_barrier(CLK_IMAGE_MEM_FENCE);");
        self.declared(ty, &text);
        self.line("work_group_barrier(CLK_IMAGE_MEM_FENCE);");
    }

    /// Writes a pixel, or declares a variable of one.
    pub(crate) fn image_statement(&mut self, uniform: bool) {
        let written = self.images_but(Access::Read);
        if written.is_empty() || self.random.chance(30) {
            if let Some((text, ty)) = self.pixel(2) {
                self.declared(ty, &text);
            }
            return;
        }
        let image = self.random.pick(&written).clone();
        if uniform && image.access == Access::Both && self.random.chance(30) {
            return self.pixel_of_another(&image);
        }
        let of = |scalar| Ty { scalar, lanes: 4 };
        let halves = self.takes_halves(&image);
        let (suffix, value) = match image.numbers {
            Numbers::Signed => ("i", self.expr(of(Scalar::Int), 3)),
            Numbers::Unsigned => ("ui", self.expr(of(Scalar::Uint), 3)),
            Numbers::Float => {
                let value = self.expr(of(Scalar::Float), 3);
                let name = "number4";
                // The bits of a NaN are open.
                let text = format!(
                    "float4 {name}(float4 v) {{ return select(v, (float4)(1), isnan(v)); }}\n"
                );
                self.helper(name, text);
                ("f", format!("{name}({value})"))
            }
            // Numbers that halves hold, and shares that are not between two.
            Numbers::Half => {
                let value = self.expr(of(Scalar::Int), 3);
                let (suffix, ty) = if halves {
                    ("h", "half4")
                } else {
                    ("f", "float4")
                };
                let factor = if halves { "0.125h" } else { "0.125f" };
                (suffix, format!("convert_{ty}({value} & 2047) * {factor}"))
            }
            Numbers::Unorm(most) | Numbers::Snorm(most) => {
                let value = self.expr(of(Scalar::Int), 3);
                let mask = 2 * (most + 1).next_power_of_two() - 1;
                (
                    "f",
                    format!(
                        "convert_float4(({value} & {mask}) - {}) / {most}.0f",
                        most / 2
                    ),
                )
            }
        };
        let place = self.own_pixel(&image, "gid").text;
        self.line(&format!(
            "write_image{suffix}({}, {place}, {value});",
            image.name
        ));
        if image.access == Access::Both {
            self.line("atomic_work_item_fence(CLK_IMAGE_MEM_FENCE, memory_order_acq_rel, memory_scope_work_item);");
        }
    }
}

/// Coordinates, as the function's last argument.
struct Place {
    scalar: Scalar,
    text: String,
}

impl Place {
    fn of(scalar: Scalar, parts: &[String]) -> Self {
        let text = match parts {
            [one] => one.clone(),
            [x, y] => format!("({}2)({x}, {y})", scalar.name()),
            [x, y, z] => format!("({0}4)({x}, {y}, {z}, 0)", scalar.name()),
            _ => String::new(),
        };
        Self { scalar, text }
    }
}
