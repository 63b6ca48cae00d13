//! The one list of kernels that are timed; their text is `bench/kernels.cl`.

use super::check::{self, ResultCheck};

/// A kernel's argument, as data.
#[derive(Clone, Copy, Debug)]
pub enum Give {
    /// One of the three buffers.
    Buf(usize),
    Int(i32),
    Float(f32),
    /// Bytes of local memory.
    Local(usize),
}

/// A kernel to time.
#[derive(Clone, Copy, Debug)]
pub struct Launch {
    /// Its name in the program, and its row's.
    pub kernel: &'static str,
    /// Unit of `work`.
    pub unit: &'static str,
    pub args: &'static [Give],
    pub global: &'static [usize],
    pub local: Option<&'static [usize]>,
    /// Work of one run, in the unit times seconds.
    pub work: f64,
    /// The buffer that it writes.
    pub output: usize,
    /// Expected contents after one run.
    pub check: ResultCheck,
}

#[expect(clippy::too_many_arguments)]
const fn kernel(
    kernel: &'static str,
    unit: &'static str,
    args: &'static [Give],
    global: &'static [usize],
    local: Option<&'static [usize]>,
    work: f64,
    output: usize,
    check: ResultCheck,
) -> Launch {
    Launch {
        kernel,
        unit,
        args,
        global,
        local,
        work,
        output,
        check,
    }
}

/// Floats in each of the three buffers.
pub const N: usize = 1 << 22;
/// The stencil's width.
pub const SIDE: usize = 2048;
/// Rows and columns of the matrices that are multiplied.
pub const MATRIX: usize = 256;
/// Bodies of nbody.
pub const BODIES: usize = 2048;
/// Fourier transforms at once.
pub const TRANSFORMS: usize = 512;

/// The kernels.
pub const KERNELS: &[Launch] = &[
    kernel(
        "saxpy",
        "GB/s",
        &[Give::Buf(0), Give::Buf(1), Give::Float(0.5)],
        &[N],
        None,
        12e-9 * N as f64,
        1,
        check::saxpy,
    ),
    kernel(
        "copy4",
        "GB/s",
        &[Give::Buf(0), Give::Buf(1)],
        &[N / 4],
        None,
        8e-9 * N as f64,
        1,
        check::copy4,
    ),
    kernel(
        "reduction",
        "GB/s",
        &[Give::Buf(0), Give::Buf(2), Give::Local(1024)],
        &[N / 4],
        Some(&[256]),
        1e-9 * N as f64,
        2,
        check::reduction,
    ),
    kernel(
        "scan",
        "GB/s",
        &[Give::Buf(0), Give::Buf(2), Give::Local(1024)],
        &[N / 16],
        Some(&[256]),
        0.5e-9 * N as f64,
        2,
        check::scan,
    ),
    kernel(
        "histogram",
        "GB/s",
        &[Give::Buf(0), Give::Buf(2), Give::Int(64)],
        &[N / 64],
        Some(&[64]),
        1e-9 * N as f64,
        2,
        check::histogram,
    ),
    kernel(
        "sgemm",
        "GFLOPS",
        &[
            Give::Buf(0),
            Give::Buf(1),
            Give::Buf(2),
            Give::Int(MATRIX as i32),
        ],
        &[MATRIX, MATRIX],
        None,
        2e-9 * (MATRIX * MATRIX * MATRIX) as f64,
        2,
        check::sgemm,
    ),
    kernel(
        "sgemm_tiled",
        "GFLOPS",
        &[
            Give::Buf(0),
            Give::Buf(1),
            Give::Buf(2),
            Give::Int(MATRIX as i32),
        ],
        &[MATRIX, MATRIX],
        Some(&[16, 16]),
        2e-9 * (MATRIX * MATRIX * MATRIX) as f64,
        2,
        check::sgemm,
    ),
    kernel(
        "nbody",
        "GFLOPS",
        &[Give::Buf(0), Give::Buf(2), Give::Int(BODIES as i32)],
        &[BODIES],
        Some(&[64]),
        20e-9 * (BODIES * BODIES) as f64,
        2,
        check::nbody,
    ),
    kernel(
        "mandelbrot",
        "Mpix/s",
        &[Give::Buf(2), Give::Int(512), Give::Int(512)],
        &[512, 512],
        None,
        512.0 * 512e-6,
        2,
        check::mandelbrot,
    ),
    kernel(
        "black_scholes",
        "Mopt/s",
        &[Give::Buf(0), Give::Buf(2)],
        &[N / 4],
        None,
        0.25e-6 * N as f64,
        2,
        check::black_scholes,
    ),
    kernel(
        "hash",
        "Mh/s",
        &[Give::Buf(2)],
        &[N / 16],
        None,
        0.0625e-6 * N as f64,
        2,
        check::hash,
    ),
    kernel(
        "stencil",
        "Mpix/s",
        &[Give::Buf(0), Give::Buf(2), Give::Int(SIDE as i32)],
        &[SIDE - 2, SIDE / 2 - 2],
        None,
        0.5e-6 * (SIDE * SIDE) as f64,
        2,
        check::stencil,
    ),
    kernel(
        "transpose",
        "GB/s",
        &[Give::Buf(0), Give::Buf(2), Give::Int(1024)],
        &[1024, 1024],
        Some(&[16, 16]),
        8e-9 * 1048576.0,
        2,
        check::transpose,
    ),
    kernel(
        "bitonic",
        "Mkeys/s",
        &[Give::Buf(2), Give::Int(64), Give::Int(256)],
        &[N / 4],
        None,
        0.25e-6 * N as f64,
        2,
        check::bitonic,
    ),
    kernel(
        "spmv",
        "GFLOPS",
        &[Give::Buf(0), Give::Buf(1), Give::Buf(2), Give::Int(1 << 16)],
        &[1 << 16],
        None,
        32e-9 * 65536.0,
        2,
        check::spmv,
    ),
    kernel(
        "sha256",
        "Mh/s",
        &[Give::Buf(2)],
        &[N / 64],
        None,
        1e-6 / 64.0 * N as f64,
        2,
        check::sha256,
    ),
    kernel(
        "fft",
        "GFLOPS",
        &[Give::Buf(0), Give::Buf(2), Give::Local(2048)],
        &[128 * TRANSFORMS],
        Some(&[128]),
        5.0 * 256.0 * 8.0 * 1e-9 * TRANSFORMS as f64,
        2,
        check::fft,
    ),
];
