//! Numbers of OpenCL that say how images are read: samplers, orders and types of channels.

/// Bits of a sampler's mask, as OpenCL C's constants have them.
pub mod sampler_mask {
    /// CLK_NORMALIZED_COORDS_TRUE.
    pub const NORMALIZED: u32 = 0x1;
    /// The bits of the addressing mode, above that of coordinates; CLK_ADDRESS_NONE has none.
    pub const ADDRESS: u32 = 0xe;
    /// CLK_ADDRESS_CLAMP_TO_EDGE.
    pub const CLAMP_TO_EDGE: u32 = 2;
    /// CLK_ADDRESS_CLAMP.
    pub const CLAMP: u32 = 4;
    /// CLK_ADDRESS_REPEAT.
    pub const REPEAT: u32 = 6;
    /// CLK_ADDRESS_MIRRORED_REPEAT.
    pub const MIRRORED_REPEAT: u32 = 8;
    /// CLK_FILTER_NEAREST.
    pub const NEAREST: u32 = 0x10;
    /// CLK_FILTER_LINEAR.
    pub const LINEAR: u32 = 0x20;
    /// A linear filter between mip levels; only samplers that are arguments have it.
    pub const MIP_LINEAR: u32 = 0x40;
}

/// Channel orders: the numbers of `cl_channel_order`.
pub mod channel_order {
    /// CL_R, from which SPIR-V counts.
    pub const R: u32 = 0x10B0;
    /// CL_A.
    pub const A: u32 = 0x10B1;
    /// CL_RG.
    pub const RG: u32 = 0x10B2;
    /// CL_RA.
    pub const RA: u32 = 0x10B3;
    /// CL_RGBA.
    pub const RGBA: u32 = 0x10B5;
    /// CL_BGRA.
    pub const BGRA: u32 = 0x10B6;
    /// CL_ARGB.
    pub const ARGB: u32 = 0x10B7;
    /// CL_INTENSITY.
    pub const INTENSITY: u32 = 0x10B8;
    /// CL_LUMINANCE.
    pub const LUMINANCE: u32 = 0x10B9;
    /// CL_ABGR.
    pub const ABGR: u32 = 0x10C3;
}

/// Channel types: the numbers of `cl_channel_type`.
pub mod channel_type {
    /// CL_SNORM_INT8, from which SPIR-V counts.
    pub const SNORM_INT8: u32 = 0x10D0;
    /// CL_SNORM_INT16.
    pub const SNORM_INT16: u32 = 0x10D1;
    /// CL_UNORM_INT8.
    pub const UNORM_INT8: u32 = 0x10D2;
    /// CL_UNORM_INT16.
    pub const UNORM_INT16: u32 = 0x10D3;
    /// CL_SIGNED_INT8, followed by CL_SIGNED_INT16.
    pub const SIGNED_INT8: u32 = 0x10D7;
    /// CL_SIGNED_INT16.
    pub const SIGNED_INT16: u32 = 0x10D8;
    /// CL_SIGNED_INT32.
    pub const SIGNED_INT32: u32 = 0x10D9;
    /// CL_UNSIGNED_INT8, followed by CL_UNSIGNED_INT16.
    pub const UNSIGNED_INT8: u32 = 0x10DA;
    /// CL_UNSIGNED_INT16.
    pub const UNSIGNED_INT16: u32 = 0x10DB;
    /// CL_UNSIGNED_INT32.
    pub const UNSIGNED_INT32: u32 = 0x10DC;
    /// CL_HALF_FLOAT, followed by CL_FLOAT.
    pub const HALF_FLOAT: u32 = 0x10DD;
    /// CL_FLOAT.
    pub const FLOAT: u32 = 0x10DE;
}
