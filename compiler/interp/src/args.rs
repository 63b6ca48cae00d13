//! Kernel arguments as the interpreter needs them.

use super::images::Handles;
use super::lanes::{Lanes, lanes_of};
use super::{Arg, ErrorKind, Inputs, buffer_address};
use pumice_ir::ArgLayout;
use pumice_ir::{AddressSpace, KernelArgKind, KernelInfo, Type};
use pumice_target::abi::Abi;

/// The first value of a function parameter.
#[derive(Clone, Debug)]
pub(super) enum Param {
    Value(Lanes),
    /// A private copy of these bytes.
    ByVal {
        bytes: Vec<u8>,
        align: u32,
    },
    /// Local memory of the group.
    Local {
        size: u64,
        align: u32,
    },
}

/// All arguments, in both forms.
#[derive(Clone, Debug, Default)]
pub(super) struct Prepared {
    pub params: Vec<Param>,
    /// The bytes that `LoadArg` reads.
    pub block: Vec<u8>,
    pub handles: Handles,
}

/// Matches the arguments with the kernel's.
pub(super) fn prepare(kernel: &KernelInfo, inputs: &Inputs) -> Result<Prepared, ErrorKind> {
    let bad = |message: String| ErrorKind::BadArguments(message);
    if kernel.args.len() != inputs.args.len() {
        return Err(bad(format!(
            "{} given, {} needed",
            inputs.args.len(),
            kernel.args.len()
        )));
    }
    let layout = ArgLayout::of(kernel, &Abi::Addresses);
    let mut prepared = Prepared {
        params: Vec::new(),
        block: vec![0; layout.size as usize],
        handles: Handles::default(),
    };
    for (ordinal, (arg, given)) in kernel.args.iter().zip(&inputs.args).enumerate() {
        let mut bytes = match given {
            Arg::Bytes(bytes) => bytes.clone(),
            Arg::Null => vec![0; 8],
            // 0 is no queue.
            &Arg::Queue(number) => (u64::from(number) + 1).to_le_bytes().to_vec(),
            &Arg::Buffer { index, offset } if index < inputs.buffers.len() => {
                (buffer_address(index) + offset).to_le_bytes().to_vec()
            }
            Arg::Buffer { index, .. } => return Err(bad(format!("no buffer {index}"))),
            Arg::Image(image) if image.buffer >= inputs.buffers.len() => {
                return Err(bad(format!("no buffer {}", image.buffer)));
            }
            Arg::Local(_) | Arg::Image(_) | Arg::Sampler(_) => Vec::new(),
        };
        let exact = |expected: usize, bytes: &[u8]| {
            let found = bytes.len();
            if found == expected {
                return Ok(());
            }
            Err(bad(format!(
                "argument {ordinal} has {found} bytes, not {expected}"
            )))
        };
        let param = match (&arg.kind, given) {
            (&KernelArgKind::Local { align }, &Arg::Local(size)) => Param::Local { size, align },
            (KernelArgKind::Local { .. }, Arg::Null) => Param::Value(Lanes::from_slice(&[0])),
            (KernelArgKind::Local { .. }, _) | (_, Arg::Local(_)) => {
                return Err(bad(format!("argument {ordinal}: local memory or not")));
            }
            (&KernelArgKind::Image(ty), &Arg::Image(image)) => {
                prepared.handles.add_image(ordinal, ty, image)?;
                Param::Value(Lanes::from_slice(&[ordinal as u64]))
            }
            (KernelArgKind::Sampler, &Arg::Sampler(mask)) => {
                prepared.handles.add_sampler(ordinal, mask);
                Param::Value(Lanes::from_slice(&[ordinal as u64]))
            }
            (KernelArgKind::Image(_) | KernelArgKind::Sampler, _)
            | (_, Arg::Image(_) | Arg::Sampler(_)) => {
                return Err(bad(format!(
                    "argument {ordinal}: an image or sampler or not"
                )));
            }
            (KernelArgKind::Pointer(_), _) => {
                exact(8, &bytes)?;
                Param::Value(lanes_of(Type::ptr(AddressSpace::Global), &bytes))
            }
            (&KernelArgKind::Value(ty), _) => {
                if bytes.len() == ty.access_bytes() as usize {
                    bytes.resize(ty.alloc_bytes() as usize, 0);
                }
                exact(ty.alloc_bytes() as usize, &bytes)?;
                Param::Value(lanes_of(ty, &bytes))
            }
            (&KernelArgKind::ByVal { size, align }, _) => {
                exact(size as usize, &bytes)?;
                Param::ByVal {
                    bytes: bytes.clone(),
                    align,
                }
            }
        };
        if let Some(place) = layout.places[ordinal] {
            let start = place.offset as usize;
            prepared.block[start..start + bytes.len()].copy_from_slice(&bytes);
        }
        prepared.params.push(param);
    }
    Ok(prepared)
}
