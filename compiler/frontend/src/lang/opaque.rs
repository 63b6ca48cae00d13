//! Opaque built-in types: images, samplers, pipes, queues and events.
//!
//! [`IMAGES`] is the one list of image types; names, SPIR-V shapes and what a type needs of
//! language and device derive from it.
use pumice_target::matrix::{Component, Use, products};
use rspirv::spirv::{Dim, Op};
use std::sync::LazyLock;

use super::options::{LangOptions, first_version};
use super::types::TypeId;
use pumice_target::options::ClStd;

/// Access qualifier of an image or a pipe.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Access {
    /// `read_only`, also when nothing is written.
    #[default]
    Read,
    /// `write_only`
    Write,
    /// `read_write`
    ReadWrite,
}

impl Access {
    /// The qualifier as diagnostics spell it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "__read_only",
            Self::Write => "__write_only",
            Self::ReadWrite => "__read_write",
        }
    }
}

/// An image type of [`IMAGES`], by place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ImageKind(pub u8);

/// Properties of an image type.
#[derive(Clone, Copy, Debug)]
pub struct ImageShape {
    /// Name in OpenCL C.
    pub name: &'static str,
    /// SPIR-V's dimensionality.
    pub dim: Dim,
    /// Holds depth values.
    pub depth: bool,
    /// Has layers.
    pub arrayed: bool,
    /// Has several samples a pixel.
    pub multisampled: bool,
}

const fn shape(
    name: &'static str,
    dim: Dim,
    [depth, arrayed, multisampled]: [bool; 3],
) -> ImageShape {
    ImageShape {
        name,
        dim,
        depth,
        arrayed,
        multisampled,
    }
}

/// All image types (OpenCL C 3.0 §6.3.3).
pub const IMAGES: &[ImageShape] = &[
    shape("image1d_t", Dim::Dim1D, [false; 3]),
    shape("image1d_buffer_t", Dim::DimBuffer, [false; 3]),
    shape("image1d_array_t", Dim::Dim1D, [false, true, false]),
    shape("image2d_t", Dim::Dim2D, [false; 3]),
    shape("image2d_array_t", Dim::Dim2D, [false, true, false]),
    shape("image2d_depth_t", Dim::Dim2D, [true, false, false]),
    shape("image2d_array_depth_t", Dim::Dim2D, [true, true, false]),
    shape("image2d_msaa_t", Dim::Dim2D, [false, false, true]),
    shape("image2d_array_msaa_t", Dim::Dim2D, [false, true, true]),
    shape("image2d_msaa_depth_t", Dim::Dim2D, [true, false, true]),
    shape("image2d_array_msaa_depth_t", Dim::Dim2D, [true; 3]),
    shape("image3d_t", Dim::Dim3D, [false; 3]),
];

impl ImageKind {
    /// Returns the properties of the type.
    pub fn shape(self) -> &'static ImageShape {
        &IMAGES[usize::from(self.0)]
    }

    /// Returns the number of coordinates of a pixel, array layer included.
    pub fn coordinates(self) -> u8 {
        let shape = self.shape();
        let plain = match shape.dim {
            Dim::Dim3D => 3,
            Dim::Dim2D => 2,
            _ => 1,
        };
        plain + u8::from(shape.arrayed)
    }
}

/// The extension that has the types of [`MotionKind`].
pub const MOTION_ESTIMATION: &str = "cl_intel_device_side_avc_motion_estimation";

/// A payload or result of motion estimation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MotionKind {
    /// `intel_sub_group_avc_mce_payload_t`
    McePayload,
    /// `intel_sub_group_avc_ime_payload_t`
    ImePayload,
    /// `intel_sub_group_avc_ref_payload_t`
    RefPayload,
    /// `intel_sub_group_avc_sic_payload_t`
    SicPayload,
    /// `intel_sub_group_avc_mce_result_t`
    MceResult,
    /// `intel_sub_group_avc_ime_result_t`
    ImeResult,
    /// `intel_sub_group_avc_ref_result_t`
    RefResult,
    /// `intel_sub_group_avc_sic_result_t`
    SicResult,
    /// `intel_sub_group_avc_ime_result_single_reference_streamout_t`
    ImeResultSingleReferenceStreamout,
    /// `intel_sub_group_avc_ime_result_dual_reference_streamout_t`
    ImeResultDualReferenceStreamout,
    /// `intel_sub_group_avc_ime_single_reference_streamin_t`
    ImeSingleReferenceStreamin,
    /// `intel_sub_group_avc_ime_dual_reference_streamin_t`
    ImeDualReferenceStreamin,
}

impl MotionKind {
    /// SPIR-V's type.
    pub fn op(self) -> Op {
        match self {
            Self::McePayload => Op::TypeAvcMcePayloadINTEL,
            Self::ImePayload => Op::TypeAvcImePayloadINTEL,
            Self::RefPayload => Op::TypeAvcRefPayloadINTEL,
            Self::SicPayload => Op::TypeAvcSicPayloadINTEL,
            Self::MceResult => Op::TypeAvcMceResultINTEL,
            Self::ImeResult => Op::TypeAvcImeResultINTEL,
            Self::RefResult => Op::TypeAvcRefResultINTEL,
            Self::SicResult => Op::TypeAvcSicResultINTEL,
            Self::ImeResultSingleReferenceStreamout => {
                Op::TypeAvcImeResultSingleReferenceStreamoutINTEL
            }
            Self::ImeResultDualReferenceStreamout => {
                Op::TypeAvcImeResultDualReferenceStreamoutINTEL
            }
            Self::ImeSingleReferenceStreamin => Op::TypeAvcImeSingleReferenceStreaminINTEL,
            Self::ImeDualReferenceStreamin => Op::TypeAvcImeDualReferenceStreaminINTEL,
        }
    }

    /// Returns whether a zero initialises a variable; payloads and results of all kinds have no initialiser.
    pub fn has_zero(self) -> bool {
        !matches!(self, Self::McePayload | Self::MceResult)
    }
}

/// The extension that has cooperative matrices.
pub const MATRICES_EXTENSION: &str = "cl_pumice_cooperative_matrix";

/// A type of [`MATRICES`], by place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MatrixKind(u8);

/// Properties of a cooperative matrix type.
#[derive(Clone, Debug)]
pub struct MatrixShape {
    /// Name in OpenCL C, such as `matrix_a_half_16x8_t`.
    pub name: String,
    /// The operand that it can be.
    pub which: Use,
    /// Type of the components.
    pub component: Component,
    /// Rows.
    pub rows: u32,
    /// Columns.
    pub columns: u32,
}

/// All types of cooperative matrices: the operands of the products that there are.
static MATRICES: LazyLock<Vec<MatrixShape>> = LazyLock::new(|| {
    let mut shapes: Vec<MatrixShape> = Vec::new();
    for product in products() {
        for which in Use::ALL {
            let (component, rows, columns) = product.operand(which);
            let letter = match which {
                Use::A => 'a',
                Use::B => 'b',
                Use::Accumulator => 'c',
            };
            let name = format!("matrix_{letter}_{}_{rows}x{columns}_t", component.name());
            if shapes.iter().all(|shape| shape.name != name) {
                shapes.push(MatrixShape {
                    name,
                    which,
                    component,
                    rows,
                    columns,
                });
            }
        }
    }
    shapes
});

impl MatrixKind {
    /// The type of a name.
    fn named(name: &str) -> Option<Self> {
        // Most names are not asked for in the list.
        if !name.starts_with("matrix_") {
            return None;
        }
        let at = MATRICES.iter().position(|shape| shape.name == name)?;
        u8::try_from(at).ok().map(Self)
    }

    /// Returns the properties of the type.
    pub fn shape(self) -> &'static MatrixShape {
        &MATRICES[usize::from(self.0)]
    }
}

/// Opaque built-in types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OpaqueKind {
    /// `event_t`
    Event,
    /// `sampler_t`
    Sampler,
    /// An image.
    Image(ImageKind, Access),
    /// `pipe T`
    Pipe(TypeId, Access),
    /// `queue_t`
    Queue,
    /// `ndrange_t`
    NdRange,
    /// `clk_event_t`
    ClkEvent,
    /// `reserve_id_t`
    ReserveId,
    /// A cooperative matrix.
    Matrix(MatrixKind),
    /// A type of motion estimation.
    Motion(MotionKind),
}

/// The opaque types that are no images, by name; pipes depend on their packets.
pub const OPAQUES: &[(&str, OpaqueKind)] = &[
    ("event_t", OpaqueKind::Event),
    ("sampler_t", OpaqueKind::Sampler),
    ("queue_t", OpaqueKind::Queue),
    ("ndrange_t", OpaqueKind::NdRange),
    ("clk_event_t", OpaqueKind::ClkEvent),
    ("reserve_id_t", OpaqueKind::ReserveId),
    (
        "intel_sub_group_avc_mce_payload_t",
        OpaqueKind::Motion(MotionKind::McePayload),
    ),
    (
        "intel_sub_group_avc_ime_payload_t",
        OpaqueKind::Motion(MotionKind::ImePayload),
    ),
    (
        "intel_sub_group_avc_ref_payload_t",
        OpaqueKind::Motion(MotionKind::RefPayload),
    ),
    (
        "intel_sub_group_avc_sic_payload_t",
        OpaqueKind::Motion(MotionKind::SicPayload),
    ),
    (
        "intel_sub_group_avc_mce_result_t",
        OpaqueKind::Motion(MotionKind::MceResult),
    ),
    (
        "intel_sub_group_avc_ime_result_t",
        OpaqueKind::Motion(MotionKind::ImeResult),
    ),
    (
        "intel_sub_group_avc_ref_result_t",
        OpaqueKind::Motion(MotionKind::RefResult),
    ),
    (
        "intel_sub_group_avc_sic_result_t",
        OpaqueKind::Motion(MotionKind::SicResult),
    ),
    (
        "intel_sub_group_avc_ime_result_single_reference_streamout_t",
        OpaqueKind::Motion(MotionKind::ImeResultSingleReferenceStreamout),
    ),
    (
        "intel_sub_group_avc_ime_result_dual_reference_streamout_t",
        OpaqueKind::Motion(MotionKind::ImeResultDualReferenceStreamout),
    ),
    (
        "intel_sub_group_avc_ime_single_reference_streamin_t",
        OpaqueKind::Motion(MotionKind::ImeSingleReferenceStreamin),
    ),
    (
        "intel_sub_group_avc_ime_dual_reference_streamin_t",
        OpaqueKind::Motion(MotionKind::ImeDualReferenceStreamin),
    ),
];

/// Returns the names of writes to 3D images if the device lacks them; OpenCL C 2.0 has them itself.
fn missing_3d_writes(lang: &LangOptions) -> Option<&'static str> {
    let extension = lang.extension("cl_khr_3d_image_writes");
    match lang.std {
        ClStd::Cl20 => None,
        ClStd::Cl30 | ClStd::Cl31 => (!extension && !lang.feature("__opencl_c_3d_image_writes"))
            .then_some("cl_khr_3d_image_writes and __opencl_c_3d_image_writes"),
        _ => (!extension).then_some("cl_khr_3d_image_writes"),
    }
}

impl OpaqueKind {
    /// The type of a name.
    pub fn named(name: &str) -> Option<Self> {
        if let Some((_, kind)) = OPAQUES.iter().find(|(other, _)| *other == name) {
            return Some(*kind);
        }
        if let Some(kind) = MatrixKind::named(name) {
            return Some(Self::Matrix(kind));
        }
        let at = IMAGES.iter().position(|s| s.name == name)?;
        Some(Self::Image(ImageKind(at as u8), Access::Read))
    }

    /// All names.
    pub fn names() -> impl Iterator<Item = &'static str> {
        let images = IMAGES.iter().map(|s| s.name);
        OPAQUES.iter().map(|(name, _)| *name).chain(images)
    }

    /// The name; pipes are spelt by who knows their packets.
    pub fn name(self) -> &'static str {
        match self {
            Self::Image(kind, _) => kind.shape().name,
            Self::Pipe(..) => "pipe",
            Self::Matrix(kind) => &kind.shape().name,
            other => OPAQUES
                .iter()
                .find(|(_, kind)| *kind == other)
                .map_or("", |(name, _)| name),
        }
    }

    /// Values are handles that only parameters hold: they never lie in memory.
    pub fn is_handle(self) -> bool {
        matches!(self, Self::Sampler | Self::Image(..) | Self::Pipe(..))
    }

    /// Returns whether a zero initialises a variable of the type.
    pub fn has_zero(self) -> bool {
        match self {
            Self::Motion(kind) => kind.has_zero(),
            _ => !self.is_handle(),
        }
    }

    /// Returns whether a kernel argument can have the type.
    pub fn for_kernels(self) -> bool {
        self.is_handle() || self == Self::Queue
    }

    /// Size of a variable in bytes; `ndrange_t` is OpBuildNDRange's struct.
    pub fn size(self) -> u64 {
        match self {
            Self::NdRange => 80,
            Self::Matrix(kind) => {
                let shape = kind.shape();
                u64::from(shape.rows * shape.columns * shape.component.bits() / 8)
            }
            _ => 8,
        }
    }

    /// Alignment of a variable in bytes.
    pub fn align(self) -> u64 {
        match self {
            Self::Matrix(kind) => u64::from(kind.shape().component.bits() / 8),
            _ => 8,
        }
    }

    /// The feature or extension that the type needs and the device lacks.
    pub fn missing(self, lang: &LangOptions) -> Option<&'static str> {
        let images = "__opencl_c_images";
        let is_new = match self {
            Self::Image(_, access) => access == Access::ReadWrite,
            Self::Event | Self::Sampler | Self::Matrix(_) | Self::Motion(_) => false,
            _ => true,
        };
        if is_new && lang.std < ClStd::Cl20 {
            return Some("OpenCL C 2.0");
        }
        let need = |name, has: bool| (!has).then_some(name);
        match self {
            Self::Event => None,
            Self::Motion(_) => need("OpenCL C 1.2", lang.std >= first_version(MOTION_ESTIMATION))
                .or_else(|| need(MOTION_ESTIMATION, lang.extension(MOTION_ESTIMATION))),
            Self::Sampler => need(images, lang.feature(images)),
            Self::Image(kind, access) => {
                let shape = kind.shape();
                let read_write = "__opencl_c_read_write_images";
                let depth = "cl_khr_depth_images";
                let msaa = "cl_khr_gl_msaa_sharing";
                need(images, lang.feature(images))
                    .or_else(|| need(msaa, !shape.multisampled || lang.extension(msaa)))
                    .or_else(|| need(depth, !shape.depth || lang.depth_images()))
                    .or_else(|| {
                        let open = access != Access::ReadWrite || lang.feature(read_write);
                        need(read_write, open)
                    })
                    .or_else(|| {
                        let writes = access == Access::Write && shape.dim == Dim::Dim3D;
                        writes.then(|| missing_3d_writes(lang)).flatten()
                    })
            }
            Self::Matrix(kind) => {
                let doubles = "cl_khr_fp64";
                let has_type = kind.shape().component != Component::Double || lang.fp64();
                need(MATRICES_EXTENSION, lang.knows_extension(MATRICES_EXTENSION))
                    .or_else(|| need(doubles, has_type))
            }
            Self::Pipe(..) | Self::ReserveId => {
                need("__opencl_c_pipes", lang.core_feature("__opencl_c_pipes"))
            }
            Self::Queue | Self::NdRange | Self::ClkEvent => {
                let enqueue = "__opencl_c_device_enqueue";
                need(enqueue, lang.core_feature(enqueue))
            }
        }
    }
}
