//! Check mode: the memory that a launch may access, and the reports of what it did.

use std::sync::{Arc, Weak};

use opencl_sys as cl;
use pumice_check::{Allocation, Argument as Checked, Launch, Object, Range, Table};

use crate::base::callback;
use crate::base::error::{Error, Result};
use crate::base::log;
use crate::context::{Context, Placement};
use crate::device::gpu;
use crate::executable::{ArgValue, CheckMemory, Executable, NdRange};
use crate::memory::storage::Storage;
use crate::memory::{Mem, device_address, registry};
use crate::program::arguments::{ArgBlock, Argument};
use crate::program::device_kernel::DeviceKernel;

/// Bytes that lie before and behind a pointer that nobody knows.
const ANYWHERE: u64 = 1 << 62;

/// Facts about a launch's memory.
pub(super) struct Known {
    arguments: Vec<Checked>,
    allocations: Vec<Allocation>,
    /// The bytes of the arguments and of the allocations, where they are a buffer's: what is written there may be followed no
    /// longer when the launch has ended.
    bytes: [Vec<Weak<Storage>>; 2],
    /// The same as the kernel takes it.
    pub table: Table,
}

impl Known {
    /// Looks up everything that a launch may access.
    pub fn new(
        on: &Placement,
        kernel: &DeviceKernel,
        args: &ArgBlock,
        values: &[Option<ArgValue>],
        range: &NdRange,
    ) -> Self {
        let mut arguments = Vec::new();
        let mut objects = Vec::new();
        let (mut allocations, mut of_allocations) = allocations(on);
        let mut of_arguments = Vec::new();
        let all = args.values.iter().zip(values).zip(&kernel.info().args);
        for ((arg, value), meta) in all {
            let (mut checked, before) = argument(on, kernel.robust, arg.as_ref(), value.as_ref());
            let info = meta.info.as_ref();
            checked.name = info.map_or_else(String::new, |info| info.name.clone());
            let mut object = object(value.as_ref(), before, checked.size);
            let bytes = arg.as_ref().and_then(|arg| bytes_of(on, arg));
            if object.is_placed {
                checked.first = object.pointer.wrapping_sub(before);
                object.shadow = bytes.as_ref().map_or(0, |bytes| shadow(on, bytes));
            }
            if let Some(ArgValue::Buffer {
                buffer,
                offset,
                size,
            }) = value
            {
                allocations.push(Allocation {
                    first: buffer.pointer() + offset,
                    size: *size,
                    object: checked.object.clone(),
                    released: false,
                    shadow: object.shadow,
                    is_followed: true,
                });
                of_allocations.push(bytes.as_ref().map_or_else(Weak::new, Arc::downgrade));
            }
            objects.push(object);
            arguments.push(checked);
            of_arguments.push(bytes.as_ref().map_or_else(Weak::new, Arc::downgrade));
        }
        let table = Table {
            arguments: objects,
            allocations: merged(&allocations),
            items: items(range),
            ..Table::default()
        };
        Self {
            arguments,
            allocations,
            bytes: [of_arguments, of_allocations],
            table,
        }
    }

    /// The arguments and the allocations as they are known after the launch.
    fn afterwards(&self) -> (Vec<Checked>, Vec<Allocation>) {
        let follows = |bytes: &Weak<Storage>| {
            let bytes = bytes.upgrade();
            bytes.is_some_and(|bytes| bytes.written().shadow().is_some())
        };
        let (mut arguments, mut allocations) = (self.arguments.clone(), self.allocations.clone());
        for (argument, bytes) in arguments.iter_mut().zip(&self.bytes[0]) {
            argument.is_followed = follows(bytes);
        }
        for (allocation, bytes) in allocations.iter_mut().zip(&self.bytes[1]) {
            allocation.is_followed = follows(bytes);
        }
        (arguments, allocations)
    }
}

/// The bytes of the buffer that an argument points into.
fn bytes_of(on: &Placement, arg: &Argument) -> Option<Arc<Storage>> {
    match arg {
        Argument::Memory(mem) => mem.kernel_storage().ok().cloned(),
        Argument::DevicePointer(address) => {
            let (mem, _) = device_address::find(on.context(), on.index(), *address)?;
            mem.storage().ok().cloned()
        }
        _ => None,
    }
}

/// The number that is added to an address in a buffer to get that of its shadow; 0 if it has none.
fn shadow(on: &Placement, bytes: &Storage) -> u64 {
    let shadow = bytes.written().shadow();
    let pair = shadow.zip(bytes.present(on.index()));
    pair.map_or(0, |(shadow, memory)| {
        shadow.pointer().wrapping_sub(memory.pointer())
    })
}

/// The object that an argument points into, with so many bytes before the pointer.
fn object(value: Option<&ArgValue>, before: u64, size: u64) -> Object {
    let pointer = match value {
        Some(ArgValue::Buffer { buffer, offset, .. }) => buffer.pointer() + offset,
        Some(ArgValue::Pointer(pointer)) => *pointer,
        _ => 0,
    };
    Object {
        pointer,
        before,
        size,
        is_placed: pointer != 0 && before < ANYWHERE,
        shadow: 0,
    }
}

/// Work-items of a range, whole work-groups counted.
fn items(range: &NdRange) -> u64 {
    let all = range.global_size.iter().zip(range.local_size);
    let all = all.map(|(&global, local)| {
        let local = u64::from(local.max(1));
        global.div_ceil(local).saturating_mul(local)
    });
    all.fold(1, u64::saturating_mul)
}

/// The ranges of what is there, joined where they overlap, by rising address.
fn merged(allocations: &[Allocation]) -> Vec<Range> {
    let live = allocations
        .iter()
        .filter(|one| !one.released && one.size > 0);
    let mut ranges: Vec<Range> = live
        .map(|one| Range {
            first: one.first,
            size: one.size,
            shadow: one.shadow,
        })
        .collect();
    ranges.sort_unstable();
    let mut joined: Vec<Range> = Vec::with_capacity(ranges.len());
    for range in ranges {
        match joined.last_mut() {
            Some(last) if range.first < last.first.saturating_add(last.size) => {
                let end = (range.first - last.first).saturating_add(range.size);
                last.size = last.size.max(end);
                last.shadow = last.shadow.max(range.shadow);
            }
            _ => joined.push(range),
        }
    }
    joined
}

/// The buffers and the shared memory of a context, and the bytes of those that are buffers.
fn allocations(on: &Placement) -> (Vec<Allocation>, Vec<Weak<Storage>>) {
    let buffers = registry::ranges(on.context(), on.index()).into_iter();
    let buffers = buffers.map(|range| {
        let bytes = range.storage.upgrade();
        let allocation = Allocation {
            first: range.first,
            size: range.size,
            object: format!("a buffer of {} bytes from clCreateBuffer", range.size),
            released: range.released,
            shadow: bytes.map_or(0, |bytes| shadow(on, &bytes)),
            is_followed: true,
        };
        (allocation, range.storage)
    });
    let shared = on.context().svm_ranges().into_iter();
    let shared = shared.map(|(first, size, call, released)| {
        let allocation = Allocation {
            first: first as u64,
            size: size as u64,
            object: format!("an allocation of {size} bytes from {call}"),
            released,
            shadow: 0,
            is_followed: false,
        };
        (allocation, Weak::new())
    });
    buffers.chain(shared).unzip()
}

/// An argument without its name, and the bytes of its object before its pointer.
fn argument(
    on: &Placement,
    robust: bool,
    arg: Option<&Argument>,
    value: Option<&ArgValue>,
) -> (Checked, u64) {
    let object = |before: u64, size: u64, object: String| {
        let checked = Checked {
            size,
            object,
            ..Checked::default()
        };
        (checked, before)
    };
    // The process's own memory, where kernels may have that; else nothing. Nobody knows where an object of that memory
    // ends, so that kernels of strangers get none of it.
    let system = on.device().svm_capabilities() & cl::CL_DEVICE_SVM_FINE_GRAIN_SYSTEM;
    let unknown = || match system != 0 && !robust {
        false => object(0, 0, "no allocation".to_string()),
        true => object(ANYWHERE, ANYWHERE * 2 - 1, String::new()),
    };
    match (arg, value) {
        (_, Some(ArgValue::Null)) => {
            let null = Checked {
                null: true,
                ..Checked::default()
            };
            (null, 0)
        }
        (Some(Argument::Memory(mem)), Some(ArgValue::Buffer { buffer, .. })) => {
            let size = match mem.pipe().is_ok() {
                true => buffer.size(),
                false => mem.size() as u64,
            };
            object(0, size, in_words(mem))
        }
        (Some(Argument::Shared { allocation, offset }), _) => {
            let (size, call) = (allocation.size(), allocation.origin().call());
            let text = format!("an allocation of {size} bytes from {call}");
            object(*offset as u64, size as u64, text)
        }
        (Some(Argument::DevicePointer(address)), _) => {
            match device_address::find(on.context(), on.index(), *address) {
                Some((mem, offset)) => object(offset, mem.size() as u64, in_words(&mem)),
                None => unknown(),
            }
        }
        (_, Some(ArgValue::Local { size })) => {
            let (checked, before) = object(0, *size, format!("local memory of {size} bytes"));
            let local = true;
            (Checked { local, ..checked }, before)
        }
        (_, Some(ArgValue::Pointer(_))) => unknown(),
        _ => object(0, 0, String::new()),
    }
}

/// A memory object, its size and the call that it comes from.
fn in_words(mem: &Mem) -> String {
    let size = mem.size();
    match (mem.pipe().is_ok(), mem.parent()) {
        (true, _) => "a pipe from clCreatePipe".to_string(),
        (false, None) => format!("a buffer of {size} bytes from clCreateBuffer"),
        (false, Some(parent)) => format!(
            "a part of {size} bytes from clCreateSubBuffer, at byte {} of a buffer of {} bytes",
            mem.origin(),
            parent.size()
        ),
    }
}

/// The reports of a recording of a launch, each time that it has run.
pub(super) struct Run {
    pub memory: CheckMemory,
    pub known: Arc<Known>,
    pub range: NdRange,
}

impl Run {
    /// Logs what the launch reported, and tells the application.
    ///
    /// # Errors
    /// A lost device; CL_OUT_OF_RESOURCES if the launch ended before its work was done.
    pub fn tell(
        &self,
        executable: &Executable,
        kernel: &str,
        context: &crate::base::object::Ref<Context>,
    ) -> Result<()> {
        let (arguments, allocations) = self.known.afterwards();
        let launch = Launch {
            kernel,
            sites: executable.check_sites(),
            arguments: &arguments,
            allocations: &allocations,
            dimensions: self.range.work_dim as usize,
            offset: self.range.global_offset,
            global_size: self.range.global_size,
            local_size: self.range.local_size.map(u64::from),
        };
        let reports = self.memory.read(&launch).map_err(gpu::error)?;
        for text in reports.places.into_iter().chain(reports.summary) {
            log::report(&text);
            let context = context.clone();
            callback::post(move || context.notify(&text));
        }
        match reports.ended {
            true => Err(Error::OutOfResources),
            false => Ok(()),
        }
    }
}
