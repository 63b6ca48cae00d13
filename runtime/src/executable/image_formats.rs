//! Formats of storage images that kernels read, for devices that must know them. Modules name none: the driver gets
//! a module that names those of a launch's arguments.

use std::borrow::Cow;

use pumice_spirv::{self as spirv, Capability, ImageFormat, Inst, op};
use pumice_vulkan_layer::{Capabilities, Format};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

const UNIFORM_CONSTANT: u32 = 0;
/// Place of the operand Image Format among those of OpTypeImage.
const FORMAT: usize = 7;
const WITHOUT_FORMAT: u32 = Capability::StorageImageReadWithoutFormat as u32;
const EXTENDED_FORMATS: u32 = Capability::StorageImageExtendedFormats as u32;

/// Variables that hold images, each with the format of the image.
pub(super) type ImageFormats = SmallVec<[(u32, Format); 2]>;

/// The module with a format for each of the variables `needed`: the given one, or any for those that a pipeline does not
/// use.
pub(super) fn with_formats<'a>(
    words: &'a [u32],
    needed: &[u32],
    given: &[(u32, Format)],
    caps: &Capabilities,
) -> Cow<'a, [u32]> {
    let Some(header) = spirv::header(words).ok().filter(|_| !needed.is_empty()) else {
        return Cow::Borrowed(words);
    };
    let types = Types::read(words);
    let mut writer = Writer {
        formats: (needed.iter())
            .filter_map(|&variable| Some((variable, types.format(variable, given)?)))
            .collect(),
        types,
        reads_without: caps.features.shader_storage_image_read_without_format,
        bound: header.bound,
        images: FxHashMap::default(),
        pointers: FxHashMap::default(),
        out: words[..spirv::HEADER_WORDS].to_vec(),
    };
    for inst in spirv::instructions(words).map_while(Result::ok) {
        writer.instruction(&inst);
    }
    // The id bound.
    writer.out[3] = writer.bound;
    Cow::Owned(writer.out)
}

/// The numbers that a shader reads from an image.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Numbers {
    Float,
    Signed,
    Unsigned,
}

impl Numbers {
    fn of(format: ImageFormat) -> Self {
        match format as u32 {
            n if n <= ImageFormat::R8Snorm as u32 => Self::Float,
            n if n <= ImageFormat::R8i as u32 => Self::Signed,
            _ => Self::Unsigned,
        }
    }

    /// A format of such numbers that every device has.
    fn any(self) -> Format {
        match self {
            Self::Float => Format::R32Sfloat,
            Self::Signed => Format::R32Sint,
            Self::Unsigned => Format::R32Uint,
        }
    }
}

/// The module's types and the variables of its images.
#[derive(Default)]
struct Types<'a> {
    numbers: FxHashMap<u32, Numbers>,
    /// The operands of OpTypeImage.
    images: FxHashMap<u32, &'a [u32]>,
    /// Pointers of the UniformConstant class, and what they point at.
    pointers: FxHashMap<u32, u32>,
    /// Variables and their pointers' types.
    variables: FxHashMap<u32, u32>,
    names_extended_formats: bool,
}

impl<'a> Types<'a> {
    fn read(words: &'a [u32]) -> Self {
        let mut types = Self::default();
        let all = spirv::instructions(words).map_while(Result::ok);
        for inst in all.take_while(|inst| inst.opcode != op::FUNCTION) {
            match (inst.opcode, inst.operands) {
                (op::CAPABILITY, [EXTENDED_FORMATS]) => types.names_extended_formats = true,
                (op::TYPE_FLOAT, [id, ..]) => {
                    types.numbers.insert(*id, Numbers::Float);
                }
                (op::TYPE_INT, &[id, _, sign]) => {
                    let numbers = match sign {
                        0 => Numbers::Unsigned,
                        _ => Numbers::Signed,
                    };
                    types.numbers.insert(id, numbers);
                }
                (op::TYPE_IMAGE, operands @ [id, ..]) => {
                    types.images.insert(*id, operands);
                }
                (op::TYPE_POINTER, &[id, UNIFORM_CONSTANT, to]) => {
                    types.pointers.insert(id, to);
                }
                (op::VARIABLE, &[pointer, id, UNIFORM_CONSTANT, ..]) => {
                    types.variables.insert(id, pointer);
                }
                _ => {}
            }
        }
        types
    }

    /// The format of a variable's image. OpenCL leaves open what a kernel gets that reads other numbers than the
    /// image holds; its type names a format of its own numbers all the same.
    fn format(&self, variable: u32, given: &[(u32, Format)]) -> Option<Format> {
        let image = self.pointers.get(self.variables.get(&variable)?)?;
        let sampled = *self.images.get(image)?.get(1)?;
        let numbers = *self.numbers.get(&sampled)?;
        let given = given.iter().find(|(of, _)| *of == variable);
        let given = given.map(|(_, format)| *format);
        let fitting = given.filter(|format| Numbers::of(format.in_shaders()) == numbers);
        Some(fitting.unwrap_or_else(|| numbers.any()))
    }
}

/// Writes the module anew.
struct Writer<'a> {
    types: Types<'a>,
    formats: FxHashMap<u32, Format>,
    /// The device reads other images without a format.
    reads_without: bool,
    bound: u32,
    /// New types of images by the old one and the format, and of pointers by the type of the image.
    images: FxHashMap<(u32, Format), u32>,
    pointers: FxHashMap<u32, u32>,
    out: Vec<u32>,
}

impl Writer<'_> {
    fn instruction(&mut self, inst: &Inst<'_>) {
        match (inst.opcode, inst.operands) {
            (op::CAPABILITY, [WITHOUT_FORMAT]) => {
                if self.reads_without {
                    self.out.extend(inst.words);
                }
                let extended = self.formats.values().any(|format| format.is_extended());
                if extended && !self.types.names_extended_formats {
                    spirv::push_inst(&mut self.out, op::CAPABILITY, &[EXTENDED_FORMATS]);
                }
            }
            (op::VARIABLE, &[_, id, ref rest @ ..]) => match self.pointer(id) {
                Some(pointer) => {
                    spirv::push_parts(&mut self.out, op::VARIABLE, [&[pointer, id], rest]);
                }
                None => self.out.extend(inst.words),
            },
            (op::LOAD, &[_, id, variable, ref rest @ ..]) => match self.image(variable) {
                Some(image) => {
                    spirv::push_parts(&mut self.out, op::LOAD, [&[image, id, variable], rest]);
                }
                None => self.out.extend(inst.words),
            },
            _ => self.out.extend(inst.words),
        }
    }

    fn new_id(&mut self) -> u32 {
        self.bound += 1;
        self.bound - 1
    }

    /// The type of a variable's image with its format, declared if it is new; `None` for other variables.
    fn image(&mut self, variable: u32) -> Option<u32> {
        let format = *self.formats.get(&variable)?;
        let old = *self
            .types
            .pointers
            .get(self.types.variables.get(&variable)?)?;
        if let Some(&image) = self.images.get(&(old, format)) {
            return Some(image);
        }
        let operands = *self.types.images.get(&old)?;
        let image = self.new_id();
        let mut named = operands.to_vec();
        named[0] = image;
        *named.get_mut(FORMAT)? = format.in_shaders() as u32;
        spirv::push_inst(&mut self.out, op::TYPE_IMAGE, &named);
        self.images.insert((old, format), image);
        Some(image)
    }

    /// The type of a variable whose image has a format, declared if it is new; `None` for other variables.
    fn pointer(&mut self, variable: u32) -> Option<u32> {
        let image = self.image(variable)?;
        if let Some(&pointer) = self.pointers.get(&image) {
            return Some(pointer);
        }
        let pointer = self.new_id();
        spirv::push_inst(
            &mut self.out,
            op::TYPE_POINTER,
            &[pointer, UNIFORM_CONSTANT, image],
        );
        self.pointers.insert(image, pointer);
        Some(pointer)
    }
}
