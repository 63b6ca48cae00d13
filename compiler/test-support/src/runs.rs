//! Runs of kernel files in the interpreter.

use pumice_filetests::{Arg as FileArg, ImageKind, Run};
use pumice_interp::{
    self as interp, Arg, Image, Inputs, NdRange, Options, Output, PrintfRecord, PrintfValue,
    buffer_address,
};
use pumice_ir::{Coarse, ImageDim, Module};
use pumice_target::pipe::PipeLayout;

/// A run's arguments as the interpreter takes them.
#[derive(Clone, Debug, Default)]
pub struct Arguments {
    /// Buffers and arguments.
    pub inputs: Inputs,
    /// Buffer of each argument that has one, and where in it the argument starts.
    buffers: Vec<Option<(usize, usize)>>,
}

impl Arguments {
    /// Makes the buffers of a run.
    ///
    /// # Errors
    /// An address or an alias of an argument that has no buffer.
    pub fn of(run: &Run) -> Result<Self, String> {
        let mut arguments = Self::default();
        for arg in &run.args {
            let (place, arg) = match arg {
                FileArg::Buffer { bytes, .. } => {
                    let index = arguments.inputs.buffers.len();
                    arguments.inputs.buffers.push(bytes.clone());
                    (Some((index, 0)), Arg::Buffer { index, offset: 0 })
                }
                FileArg::Pipe {
                    packet_size,
                    max_packets,
                } => {
                    let layout = PipeLayout::new(*packet_size, *max_packets);
                    let layout = layout.ok_or("no pipe has these sizes")?;
                    let mut bytes = layout.header().to_vec();
                    bytes.resize(layout.size() as usize, 0);
                    let index = arguments.inputs.buffers.len();
                    arguments.inputs.buffers.push(bytes);
                    (Some((index, 0)), Arg::Buffer { index, offset: 0 })
                }
                FileArg::Alias { arg, offset } => {
                    let (index, start) = arguments.place(*arg)?;
                    let place = (index, start + offset);
                    let offset = place.1 as u64;
                    (Some(place), Arg::Buffer { index, offset })
                }
                FileArg::NullBuffer => (None, Arg::Null),
                FileArg::Queue => (None, Arg::Queue(1)),
                FileArg::Value(bytes) => (None, Arg::Bytes(bytes.clone())),
                FileArg::Local(size) => (None, Arg::Local(*size as u64)),
                FileArg::Image { image, bytes } => {
                    let buffer = arguments.inputs.buffers.len();
                    arguments.inputs.buffers.push(bytes.clone());
                    let (dim, arrayed) = type_of(image.kind);
                    let image = Image {
                        buffer,
                        dim,
                        arrayed,
                        size: image.size,
                        order: image.order,
                        data_type: image.data_type,
                    };
                    (Some((buffer, 0)), Arg::Image(image))
                }
                FileArg::Sampler(sampler) => (None, Arg::Sampler(sampler.mask())),
            };
            arguments.inputs.args.push(arg);
            arguments.buffers.push(place);
        }
        for (arg, of) in run.args.iter().enumerate() {
            let FileArg::Buffer { addresses, .. } = of else {
                continue;
            };
            for address in addresses {
                let (target, start) = arguments.place(address.arg)?;
                let value = buffer_address(target) + start as u64 + address.offset;
                let (index, _) = arguments.place(arg)?;
                arguments.inputs.buffers[index][address.at..address.at + 8]
                    .copy_from_slice(&value.to_le_bytes());
            }
        }
        Ok(arguments)
    }

    fn place(&self, arg: usize) -> Result<(usize, usize), String> {
        let place = self.buffers.get(arg).copied().flatten();
        place.ok_or_else(|| format!("argument {arg} is no buffer"))
    }

    /// Compares buffers with what the run expects of them.
    ///
    /// # Errors
    /// The elements that differ.
    pub fn check(&self, run: &Run, buffers: &[Vec<u8>]) -> Result<(), String> {
        run.check(|arg| {
            let (index, start) = self.place(arg)?;
            Ok(buffers[index][start..].to_vec())
        })
    }
}

/// The dimensionality of an image's layers, and whether it has several.
fn type_of(kind: ImageKind) -> (ImageDim, bool) {
    match kind {
        ImageKind::Image1d => (ImageDim::D1, false),
        ImageKind::Image1dArray => (ImageDim::D1, true),
        ImageKind::Image1dBuffer => (ImageDim::Buffer, false),
        ImageKind::Image2d => (ImageDim::D2, false),
        ImageKind::Image2dArray => (ImageDim::D2, true),
        ImageKind::Image3d => (ImageDim::D3, false),
    }
}

fn three(list: &[u64], fill: u64) -> [u64; 3] {
    let mut all = [fill; 3];
    all[..list.len()].copy_from_slice(list);
    all
}

/// The range of a run; without local sizes the work-group is as large as the range.
pub fn range(run: &Run) -> NdRange {
    let global = three(&run.global, 1);
    NdRange {
        work_dim: run.global.len() as u32,
        global,
        local: run.local.as_deref().map_or(global, |list| three(list, 1)),
        offset: three(run.offset.as_deref().unwrap_or_default(), 0),
    }
}

/// The same with work-groups of one work-item where the run names no size: for kernels that
/// communicate with nobody.
pub fn range_of_single_items(run: &Run) -> NdRange {
    let local = run.local.as_deref().unwrap_or(&[1]);
    NdRange {
        local: three(local, 1),
        ..range(run)
    }
}

/// The runs of a kernel's copies in place of the kernel: those whose invocations make the range, and that ask nothing of the
/// arguments that they are not.
pub fn of_copies(module: &Module, run: &Run) -> Vec<Run> {
    let of = module.kernels.iter().position(|k| k.name == run.kernel);
    let copies = module.kernels.iter().filter_map(|kernel| {
        let coarse = kernel
            .coarse
            .filter(|coarse| Some(coarse.of as usize) == of)?;
        Some((kernel, coarse))
    });
    copies
        .filter_map(|(kernel, coarse)| {
            // Rows of a work-group are whole sub-groups where neighbours are lanes.
            let span = coarse.span();
            let mut local = run
                .local
                .clone()
                .unwrap_or_else(|| vec![1; run.global.len()]);
            if run.local.is_none() {
                local[0] = span;
            }
            let offset = run.offset.as_ref().map_or(0, |offset| offset[0]);
            let sizes = [run.global[0], local[0], offset];
            let fits = sizes.iter().all(|size| size % span == 0);
            // A range of another size has a group at its end.
            let is_whole = run.global[0] % local[0] % span == 0;
            let overlap = (run.args.iter()).any(|arg| matches!(arg, FileArg::Alias { .. }));
            let is_promised = are_multiples(coarse, run) && !(coarse.disjoint && overlap);
            (fits && is_whole && is_promised).then(|| Run {
                kernel: kernel.name.clone(),
                local: Some(local),
                ..run.clone()
            })
        })
        .collect()
}

fn are_multiples(coarse: Coarse, run: &Run) -> bool {
    coarse
        .multiples
        .hold(coarse.span(), |place| match run.args.get(place) {
            Some(FileArg::Value(bytes)) => Some(bytes.as_slice()),
            _ => None,
        })
}

/// A printf record as `expect printf` writes it: the format without its line end, then the
/// arguments' bits in hexadecimal.
fn record_text(record: &PrintfRecord) -> String {
    let format = String::from_utf8_lossy(&record.format);
    let mut text = format.trim_end().to_string();
    for arg in &record.args {
        text += &match arg {
            PrintfValue::String(s) => format!(" {}", String::from_utf8_lossy(s)),
            PrintfValue::Value(_, lanes) => format!(" {lanes:x?}"),
        };
    }
    text
}

/// Interprets a run and compares everything that it expects: buffers, printf records, an error.
///
/// # Errors
/// The differences, or the interpreter's refusal.
pub fn execute(
    module: &Module,
    run: &Run,
    range: &NdRange,
    options: &Options,
) -> Result<(), String> {
    let arguments = Arguments::of(run)?;
    let result = interp::run(module, &run.kernel, &arguments.inputs, range, options);
    if let Some(expected) = &run.error {
        return match result {
            Err(error) if error.to_string().contains(expected.as_str()) => Ok(()),
            Err(error) => Err(format!("fails with {error}")),
            Ok(_) => Err("does not fail".into()),
        };
    }
    let output = result.map_err(|error| error.to_string())?;
    check_output(run, &arguments, &output)
}

fn check_output(run: &Run, arguments: &Arguments, output: &Output) -> Result<(), String> {
    // After `lower_printf` the records are words in a buffer, which the runtime decodes.
    if output.printf_buffer.is_empty() && !run.printf.is_empty() {
        let records: Vec<String> = output.printf.iter().map(record_text).collect();
        if records != run.printf {
            return Err(format!("prints {records:?}, expected {:?}", run.printf));
        }
    }
    arguments.check(run, &output.buffers)
}
