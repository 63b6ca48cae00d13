//! Launches of kernels that nothing is known of: each argument is made from what the kernel tells.

use super::{Arg, Error, Kernel, Program, Result, Session, bytes_info, string};
use cl_sys::{
    CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, CL_FLOAT, CL_INVALID_ARG_SIZE,
    CL_KERNEL_ARG_ADDRESS_LOCAL, CL_KERNEL_ARG_ADDRESS_PRIVATE, CL_KERNEL_ARG_ADDRESS_QUALIFIER,
    CL_KERNEL_ARG_TYPE_NAME, CL_KERNEL_ARG_TYPE_PIPE, CL_KERNEL_ARG_TYPE_QUALIFIER,
    CL_KERNEL_COMPILE_WORK_GROUP_SIZE, CL_KERNEL_NUM_ARGS,
    CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, CL_KERNEL_WORK_GROUP_SIZE,
    CL_PROGRAM_KERNEL_NAMES, CL_RGBA, cl_uint,
};
use pumice_filetests::{Image as Shape, ImageKind, Sampler as Modes};

/// Bytes of each buffer that is made.
const BUFFER: usize = 1 << 20;
/// Bytes of each local argument.
const LOCAL: usize = 4096;
/// The largest argument by value that is tried, in bytes.
const LARGEST: usize = 4096;
/// Work-items of a group, where the kernel sets no size.
const GROUP: usize = 64;

/// Bit of the type's qualifiers.
const PIPE: cl_uint = CL_KERNEL_ARG_TYPE_PIPE as cl_uint;
/// Packets of each pipe.
const PACKETS: u32 = 16;
/// The sampler of each sampler argument.
const SAMPLER: Modes = Modes {
    normalized: false,
    addressing: CL_ADDRESS_CLAMP,
    filter: CL_FILTER_NEAREST,
};

/// Image types by the name of the argument's type, with sizes.
const IMAGES: [(&str, ImageKind, [u32; 3]); 6] = [
    ("image1d_t", ImageKind::Image1d, [16, 1, 1]),
    ("image1d_array_t", ImageKind::Image1dArray, [16, 1, 1]),
    ("image1d_buffer_t", ImageKind::Image1dBuffer, [16, 1, 1]),
    ("image2d_t", ImageKind::Image2d, [16, 16, 1]),
    ("image2d_array_t", ImageKind::Image2dArray, [16, 16, 1]),
    ("image3d_t", ImageKind::Image3d, [16, 16, 16]),
];

/// Something that a kernel holds by a handle.
enum Held {
    Buffer(#[expect(dead_code, reason = "held for its end")] super::Buffer),
    Image(#[expect(dead_code, reason = "held for its end")] super::Image),
    Sampler(#[expect(dead_code, reason = "held for its end")] super::Sampler),
    Queue(#[expect(dead_code, reason = "held for its end")] super::DeviceQueue),
}

impl Program {
    /// The names of all kernels.
    ///
    /// # Errors
    /// The error of the OpenCL call.
    pub fn kernel_names(&self) -> Result<Vec<String>> {
        let names = bytes_info(|size, value, ret| {
            let query = CL_PROGRAM_KERNEL_NAMES;
            // SAFETY: bytes_info passes a buffer of `size` bytes, or null with size 0.
            unsafe { cl_sys::clGetProgramInfo(self.program, query, size, value, ret) }
        });
        let names = string(names?);
        let names = names.split(';').filter(|name| !name.is_empty());
        Ok(names.map(str::to_string).collect())
    }
}

impl Kernel {
    fn argument(&self, index: cl_uint, query: cl_uint) -> Result<Vec<u8>> {
        bytes_info(|size, value, ret| {
            // SAFETY: bytes_info passes a buffer of `size` bytes, or null with size 0.
            unsafe { cl_sys::clGetKernelArgInfo(self.kernel, index, query, size, value, ret) }
        })
    }
}

fn number(bytes: &[u8]) -> cl_uint {
    let mut word = [0; 4];
    for (to, from) in word.iter_mut().zip(bytes) {
        *to = *from;
    }
    cl_uint::from_ne_bytes(word)
}

impl Session {
    /// Launches one work-group of a kernel with buffers of zeros, zeros and small images. The program
    /// is to be built with `-cl-kernel-arg-info`.
    ///
    /// # Errors
    /// An argument that is of no kind known here; what the calls return.
    pub fn launch_once(&self, kernel: &Kernel) -> Result<()> {
        let local = self.group(kernel)?;
        self.launch_once_with(kernel, &local, LOCAL)
    }

    /// The same with a size of the work-group and bytes of each local argument.
    ///
    /// # Errors
    /// An argument that is of no kind known here; what the calls return.
    pub fn launch_once_with(
        &self,
        kernel: &Kernel,
        local: &[usize],
        local_bytes: usize,
    ) -> Result<()> {
        let count = bytes_info(|size, value, ret| {
            let query = CL_KERNEL_NUM_ARGS;
            // SAFETY: bytes_info passes a buffer of `size` bytes, or null with size 0.
            unsafe { cl_sys::clGetKernelInfo(kernel.kernel, query, size, value, ret) }
        });
        let mut held = Vec::new();
        for index in 0..number(&count?) {
            held.extend(self.give_something(kernel, index, local_bytes)?);
        }
        self.enqueue(kernel, None, local, Some(local))?;
        self.finish()
    }

    /// The size that the kernel sets for groups, or a usual one.
    fn group(&self, kernel: &Kernel) -> Result<Vec<usize>> {
        let sizes = |query| {
            let bytes = bytes_info(|size, value, ret| {
                // SAFETY: bytes_info passes a buffer of `size` bytes, or null with size 0.
                unsafe {
                    cl_sys::clGetKernelWorkGroupInfo(
                        kernel.kernel,
                        self.device,
                        query,
                        size,
                        value,
                        ret,
                    )
                }
            });
            let words = bytes?;
            let words = words.chunks_exact(size_of::<usize>());
            Ok(words
                .map(|word| usize::from_ne_bytes(word.try_into().unwrap_or_default()))
                .collect::<Vec<usize>>())
        };
        let set: Vec<usize> = sizes(CL_KERNEL_COMPILE_WORK_GROUP_SIZE)?;
        if set.iter().all(|&size| size > 0) {
            return Ok(set);
        }
        let first = |all: Vec<usize>| all.first().copied().unwrap_or(1).max(1);
        let most = first(sizes(CL_KERNEL_WORK_GROUP_SIZE)?);
        // Some kernels need whole sub-groups.
        let multiple = first(sizes(CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE)?);
        Ok(vec![GROUP.next_multiple_of(multiple).min(most)])
    }

    fn give_something(
        &self,
        kernel: &Kernel,
        index: cl_uint,
        local_bytes: usize,
    ) -> Result<Option<Held>> {
        let qualifier = number(&kernel.argument(index, CL_KERNEL_ARG_ADDRESS_QUALIFIER)?);
        if qualifier == CL_KERNEL_ARG_ADDRESS_LOCAL {
            kernel.set(index, &Arg::Local(local_bytes))?;
            return Ok(None);
        }
        if number(&kernel.argument(index, CL_KERNEL_ARG_TYPE_QUALIFIER)?) & PIPE != 0 {
            return self.give_pipe(kernel, index).map(Some);
        }
        let name = string(kernel.argument(index, CL_KERNEL_ARG_TYPE_NAME)?);
        let image = IMAGES.iter().find(|(image, ..)| *image == name);
        if let Some(&(_, kind, size)) = image {
            let shape = Shape {
                kind,
                size,
                order: CL_RGBA,
                data_type: CL_FLOAT,
            };
            let image = self.image(&shape, &vec![0; shape.bytes()])?;
            kernel.set(index, &Arg::Image(&image))?;
            return Ok(Some(Held::Image(image)));
        }
        if qualifier != CL_KERNEL_ARG_ADDRESS_PRIVATE {
            let buffer = self.buffer(&vec![0; BUFFER])?;
            kernel.set(index, &Arg::Buffer(&buffer))?;
            return Ok(Some(Held::Buffer(buffer)));
        }
        if name == "sampler_t" {
            let sampler = self.sampler(SAMPLER)?;
            kernel.set(index, &Arg::Sampler(&sampler))?;
            return Ok(Some(Held::Sampler(sampler)));
        }
        if name == "queue_t" {
            let queue = self.device_queue(false)?;
            kernel.set(index, &Arg::Queue(&queue))?;
            return Ok(Some(Held::Queue(queue)));
        }
        // The size of a struct is told by no query.
        let zeros = [0; LARGEST];
        for size in 1..=LARGEST {
            match kernel.set(index, &Arg::Bytes(&zeros[..size])) {
                Err(error) if error.code == CL_INVALID_ARG_SIZE => {}
                other => return other.map(|()| None),
            }
        }
        Err(Error {
            call: "clSetKernelArg",
            code: CL_INVALID_ARG_SIZE,
        })
    }

    /// Gives a pipe, of the largest packets that the kernel takes.
    fn give_pipe(&self, kernel: &Kernel, index: cl_uint) -> Result<Held> {
        let mut failed = None;
        for size in (0..8).rev().map(|log| 1 << log) {
            let pipe = self.pipe(size, PACKETS)?;
            match kernel.set(index, &Arg::Buffer(&pipe)) {
                Ok(()) => return Ok(Held::Buffer(pipe)),
                Err(error) => failed = Some(error),
            }
        }
        Err(failed.unwrap_or(Error {
            call: "clSetKernelArg",
            code: CL_INVALID_ARG_SIZE,
        }))
    }
}
