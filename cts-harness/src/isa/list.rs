//! The one list of kernels whose machine code is measured. Their text is in `bench/kernels.cl` and
//! `isa/*.cl`, that of the shaders beside them in `isa/*.comp`.

/// Files of kernels and of the same kernels as GLSL.
#[derive(Clone, Copy, Debug)]
pub struct Group {
    /// Heading in summaries.
    pub name: &'static str,
    /// OpenCL C.
    pub source: &'static str,
    /// The GLSL file's name in the folder `isa`.
    pub shaders: &'static str,
    /// Build options.
    pub options: &'static str,
    /// The kernels.
    pub kernels: &'static [(&'static str, Shape)],
}

/// The size of a work-group, and the bytes of each local argument, which are the shader's.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    pub group: &'static [usize],
    pub local: usize,
}

const fn shape(group: &'static [usize], local: usize) -> Shape {
    Shape { group, local }
}

/// A group of one dimension.
const LINE: Shape = shape(&[64], 0);
/// A group of two dimensions with threads in a row.
const ROW: Shape = shape(&[64, 1], 0);
const SQUARE: Shape = shape(&[16, 16], 0);

/// The language of all kernels.
const PRECISE: &str = "-cl-std=CL3.0";
/// Arithmetic as free as that of the shaders, which may take denormals for zeros and associate sums anew, and whose
/// functions are as accurate as Vulkan promises.
const RELAXED: &str = "-cl-std=CL3.0 -cl-fast-relaxed-math";

/// All of them.
pub const GROUPS: &[Group] = &[
    Group {
        name: "benchmark",
        source: include_str!("../../bench/kernels.cl"),
        shaders: "bench.comp",
        options: PRECISE,
        kernels: &[
            ("saxpy", LINE),
            ("copy4", LINE),
            ("reduction", shape(&[256], 1024)),
            ("scan", shape(&[256], 1024)),
            ("histogram", LINE),
            ("sgemm", SQUARE),
            ("sgemm_tiled", SQUARE),
            ("nbody", LINE),
            ("mandelbrot", ROW),
            ("black_scholes", LINE),
            ("hash", LINE),
            ("stencil", ROW),
            ("transpose", SQUARE),
            ("bitonic", LINE),
            ("spmv", LINE),
            ("sha256", LINE),
            ("fft", shape(&[128], 2048)),
        ],
    },
    Group {
        name: "memory",
        source: include_str!("../../isa/memory.cl"),
        shaders: "memory.comp",
        options: PRECISE,
        kernels: &[
            ("strided", LINE),
            ("uniform_constant", LINE),
            ("uniform_restrict", LINE),
            ("uniform_plain", LINE),
            ("uniform_struct", LINE),
            ("vectors3", LINE),
            ("bytes", LINE),
            ("bytes4", LINE),
            ("shorts", LINE),
            ("longs", LINE),
            ("size_t_index", LINE),
            ("image_row", ROW),
            ("local_reverse", shape(&[64], 256)),
            ("private_array", LINE),
            ("atomics", LINE),
            ("grid_loop", LINE),
        ],
    },
    Group {
        name: "functions",
        source: include_str!("../../isa/functions.cl"),
        shaders: "functions.comp",
        options: PRECISE,
        kernels: &[
            ("div32", LINE),
            ("rem32_signed", LINE),
            ("div64", LINE),
            ("div64_signed", LINE),
            ("rem64", LINE),
            ("div64_by_10", LINE),
            ("mul_hi64", LINE),
            ("divide", LINE),
            ("square_root", LINE),
            ("log_", LINE),
            ("log2_", LINE),
            ("exp_", LINE),
            ("exp2_", LINE),
            ("sin_", LINE),
            ("tan_", LINE),
            ("atan_", LINE),
            ("tanh_", LINE),
            ("erfc_", LINE),
            ("pow_", LINE),
            ("rotate_", LINE),
            ("rotate_7", LINE),
            ("rotate_9_64", LINE),
            ("add_saturated", LINE),
            ("add_saturated_unsigned", LINE),
            ("mad24_", LINE),
            ("half_add", LINE),
            ("leading_zeros", LINE),
            ("bits_set", LINE),
            ("absolute_difference", LINE),
            ("select_bits", LINE),
            ("fraction_part", LINE),
            ("greatest", LINE),
            ("length4", LINE),
            ("bytes_saturated", LINE),
            ("int_saturated", LINE),
            ("short_saturated", LINE),
            ("halves", LINE),
        ],
    },
    Group {
        name: "relaxed benchmark",
        source: include_str!("../../bench/kernels.cl"),
        shaders: "bench.comp",
        options: RELAXED,
        kernels: &[
            ("sgemm", SQUARE),
            ("nbody", LINE),
            ("mandelbrot", ROW),
            ("black_scholes", LINE),
            ("stencil", ROW),
            ("fft", shape(&[128], 2048)),
        ],
    },
    Group {
        name: "relaxed functions",
        source: include_str!("../../isa/functions.cl"),
        shaders: "functions.comp",
        options: RELAXED,
        kernels: &[
            ("divide", LINE),
            ("square_root", LINE),
            ("log_", LINE),
            ("log2_", LINE),
            ("exp_", LINE),
            ("exp2_", LINE),
            ("sin_", LINE),
            ("tan_", LINE),
        ],
    },
];

#[cfg(test)]
mod tests {
    use super::GROUPS;

    #[test]
    fn each_kernel_has_a_shader() {
        for group in GROUPS {
            let path = format!("{}/isa/{}", env!("CARGO_MANIFEST_DIR"), group.shaders);
            let shaders = std::fs::read_to_string(&path).expect(&path);
            for (kernel, _) in group.kernels {
                let section = format!("defined({kernel})");
                assert!(shaders.contains(&section), "{path}: {kernel}");
                let plain = format!("kernel void {kernel}(");
                let by_macro = [format!("ONE({kernel},"), format!("TWO({kernel},")];
                let found = |head: &String| group.source.contains(head);
                assert!(found(&plain) || by_macro.iter().any(found), "{kernel}");
            }
        }
    }
}
