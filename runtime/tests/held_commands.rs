//! Commands are data: one that is held can be enqueued as often as its holder likes, and one whose
//! enqueueing fails leaves nothing behind. Without a Vulkan device the tests are skipped with a message.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use opencl_sys as cl;
use pumice_runtime::base::error::Error;
use pumice_runtime::base::host_ptr::HostBlock;
use pumice_runtime::base::object::Ref;
use pumice_runtime::base::printf;
use pumice_runtime::base::region::Sides;
use pumice_runtime::command::transfer::Direction;
use pumice_runtime::command::{Command, fill, map, native, ndrange, transfer};
use pumice_runtime::context::{Callbacks, Context};
use pumice_runtime::device::Device;
use pumice_runtime::device::platform::platform;
use pumice_runtime::executable::{ArgValue, Executable, RangeRequest};
use pumice_runtime::memory::Mem;
use pumice_runtime::memory::external::Properties;
use pumice_runtime::memory::image_desc::Desc;
use pumice_runtime::memory::image_rows::{StagedUse, Using};
use pumice_runtime::memory::residency::Access;
use pumice_runtime::program::Program;
use pumice_runtime::program::kernel::{Argument, Kernel};
use pumice_runtime::program::own_kernels;
use pumice_runtime::queue::event::Event;
use pumice_runtime::queue::properties::QueueProperties;
use pumice_runtime::queue::{Queue, WaitList};
use pumice_vulkan_layer::{ImageBox, MemoryClass};

const WORDS: usize = 8;

struct Setup {
    context: Ref<Context>,
    queue: Ref<Queue>,
    buffer: Ref<Mem>,
}

/// A queue and a zeroed buffer of words; `None` without a device.
fn setup() -> Option<Setup> {
    let devices = platform(0).devices();
    let Some(device) = devices.first() else {
        eprintln!("skipped: no device");
        return None;
    };
    let context = Context::create(None, vec![device.clone()], Callbacks::default(), None).unwrap();
    let queue = Queue::create(&context, device, QueueProperties::default(), None).unwrap();
    let buffer = Mem::create(&context, Properties::default(), 0, WORDS * 4, None).unwrap();
    Some(Setup {
        context,
        queue,
        buffer,
    })
}

impl Setup {
    fn enqueue(&self, command: &Command) -> Ref<Event> {
        let enqueued = self
            .queue
            .enqueue(command.clone(), WaitList::default(), false);
        enqueued.unwrap()
    }

    fn words(&self) -> Vec<u32> {
        let mut block = HostBlock::new(WORDS * 4).unwrap();
        let (on, size) = (self.queue.on(), WORDS * 4);
        let host = Some(block.slice());
        let read = transfer::linear(on, &self.buffer, Direction::Read, 0, size, host).unwrap();
        self.queue.enqueue(read, WaitList::default(), true).unwrap();
        let bytes = block.slice().to_vec();
        let word = |b: &[u8]| u32::from_le_bytes([b[0], b[1], b[2], b[3]]);
        bytes.chunks_exact(4).map(word).collect()
    }

    /// A launch of the only kernel of a source, on the buffer and a number.
    fn launch(&self, source: &str, number: u32) -> Command {
        let program = Program::with_source(&self.context, source.as_bytes().to_vec());
        program.build(None, b"", None).unwrap();
        let kernel = Kernel::create_all(&program).unwrap().remove(0);
        let buffer = Argument::Memory(self.buffer.clone());
        kernel.set_arg(0, size_of::<usize>(), Some(buffer)).unwrap();
        let number = ArgValue::Bytes(number.to_le_bytes()[..].into());
        kernel.set_arg(1, 4, Some(Argument::Value(number))).unwrap();
        let request = RangeRequest {
            dimensions: 1,
            offset: None,
            global: Some([WORDS, 1, 1]),
            local: None,
        };
        let command_type = cl::CL_COMMAND_NDRANGE_KERNEL;
        ndrange::launch(self.queue.on(), command_type, &kernel, &request).unwrap()
    }
}

#[test]
fn launches_and_fills_run_as_often_as_they_are_enqueued() {
    let Some(setup) = setup() else { return };
    let add = setup.launch(
        "kernel void add(global uint *a, uint n) { a[get_global_id(0)] += n; }",
        5,
    );
    for _ in 0..3 {
        setup.enqueue(&add);
    }
    assert_eq!(setup.words(), [15; WORDS]);
    let two = 2_u32.to_le_bytes();
    let fill = fill::buffer(setup.queue.on(), &setup.buffer, Some(&two), 0, 8).unwrap();
    for _ in 0..2 {
        setup.enqueue(&fill);
        setup.enqueue(&add);
    }
    let expected: Vec<u32> = (0..WORDS).map(|i| if i < 2 { 7 } else { 25 }).collect();
    assert_eq!(setup.words(), expected);
}

static PRINTED: Mutex<Vec<u8>> = Mutex::new(Vec::new());

#[test]
fn each_run_of_a_launch_prints() {
    let Some(setup) = setup() else { return };
    printf::set_sink(printf::Sink {
        write: |text| PRINTED.lock().unwrap().extend_from_slice(text),
        flush: || (),
    });
    let print = setup.launch(
        "kernel void print(global uint *a, uint n) {
            if (get_global_id(0) == 0) { a[0] += 1; printf(\"%u of %u\\n\", a[0], n); }
        }",
        3,
    );
    // All three are recorded before the first has ended.
    let events: Vec<_> = (0..3).map(|_| setup.enqueue(&print)).collect();
    Event::wait_all(&events).unwrap();
    let printed = String::from_utf8(PRINTED.lock().unwrap().clone()).unwrap();
    assert_eq!(printed, "1 of 3\n2 of 3\n3 of 3\n");
}

#[test]
fn native_kernels_run_as_often_as_they_are_enqueued() {
    let Some(setup) = setup() else { return };
    static RUNS: AtomicU32 = AtomicU32::new(0);
    let function: native::Function = Box::new(|args| {
        // The arguments are a copy each time.
        assert_eq!(args, [7]);
        args[0] += 1;
        RUNS.fetch_add(1, Ordering::Relaxed);
    });
    let command = native::native(setup.queue.on(), Some(function), vec![7], Vec::new()).unwrap();
    for _ in 0..2 {
        setup.enqueue(&command);
    }
    setup.queue.finish().expect("no command fails");
    assert_eq!(RUNS.load(Ordering::Relaxed), 2);
}

#[test]
fn a_map_that_fails_leaves_no_mapping() {
    let Some(setup) = setup() else { return };
    let on = setup.queue.on();
    let failed = || {
        let event = Event::create_user(&setup.context);
        event.set_user_status(-1).unwrap();
        WaitList {
            events: vec![event],
            gives_event: false,
        }
    };
    let (command, address) = map::buffer(on, &setup.buffer, cl::CL_MAP_WRITE, 0, 8).unwrap();
    let refused = setup.queue.enqueue(command, failed(), true).map(drop);
    assert_eq!(refused, Err(Error::ExecStatusErrorForEventsInWaitList));
    let unmap = || map::unmap(on, &setup.buffer, address);
    assert_eq!(unmap().map(drop), Err(Error::InvalidValue));
    // An unmap that fails leaves the mapping to be unmapped.
    let (command, again) = map::buffer(on, &setup.buffer, cl::CL_MAP_WRITE, 0, 8).unwrap();
    assert_eq!(again, address);
    setup
        .queue
        .enqueue(command, WaitList::default(), true)
        .unwrap();
    let refused = setup.queue.enqueue(unmap().unwrap(), failed(), true);
    assert_eq!(
        refused.map(drop),
        Err(Error::ExecStatusErrorForEventsInWaitList)
    );
    setup.enqueue(&unmap().unwrap());
    assert_eq!(unmap().map(drop), Err(Error::InvalidValue));
}

/// An image of the buffer's words as one row.
fn image_of_rows(setup: &Setup) -> Ref<Mem> {
    let desc = Desc {
        image_type: cl::CL_MEM_OBJECT_IMAGE2D,
        width: WORDS,
        height: 1,
        depth: 0,
        array_size: 0,
        row_pitch: 0,
        slice_pitch: 0,
        num_mip_levels: 0,
        num_samples: 0,
        mem_object: Some(setup.buffer.clone()),
    };
    let format = Some([cl::CL_R, cl::CL_UNSIGNED_INT32]);
    let properties = Properties::default();
    let image = Mem::create_image(
        &setup.context,
        properties,
        0,
        format,
        Some(desc),
        false,
        |_| None,
    );
    image.unwrap()
}

/// A launch on a queue beside which others run.
fn using<'a>(
    device: &'a Ref<Device>,
    queue: Option<usize>,
    kernels: &'a dyn Fn() -> Result<Arc<Executable>, Error>,
) -> Using<'a> {
    Using {
        index: 0,
        queue,
        device: device.gpu().unwrap(),
        overlaps: true,
        kernels,
    }
}

#[test]
fn a_launch_beside_its_queue_has_images_of_its_own() {
    let Some(setup) = setup() else { return };
    let device = setup.queue.on().device();
    if !device.has_images() {
        eprintln!("skipped: no images");
        return;
    }
    let image = image_of_rows(&setup);
    let rows = image.image().and_then(|image| image.rows()).unwrap();
    let staged = |queue| {
        rows.staged(&using(device, queue, &|| own_kernels::of_texels(device)))
            .unwrap()
    };
    let of_queue = staged(Some(7));
    assert!(Arc::ptr_eq(&of_queue, &staged(Some(7))));
    let (alone, other) = (staged(None), staged(None));
    assert!(!Arc::ptr_eq(&alone, &of_queue) && !Arc::ptr_eq(&other, &of_queue));
    assert!(!Arc::ptr_eq(&alone, &other));
    // One that nobody has any more is taken again.
    let before = Arc::as_ptr(&alone);
    drop(alone);
    assert_eq!(Arc::as_ptr(&staged(None)), before);
}

#[test]
fn launches_at_the_same_time_keep_what_each_other_writes() {
    let Some(setup) = setup() else { return };
    let device = setup.queue.on().device();
    if !device.has_images() {
        eprintln!("skipped: no images");
        return;
    }
    let image = image_of_rows(&setup);
    let rows = image.image().and_then(|image| image.rows()).unwrap();
    rows.storage.on_device(0, Access::Write).unwrap();
    let raw = device.gpu().unwrap().raw();
    let kernels = || own_kernels::of_texels(device);
    let numbers: [u32; 2] = [7, 9];
    let written = raw.create_buffer(8, MemoryClass::Staging).unwrap();
    written
        .write(0, &numbers.map(u32::to_le_bytes).concat())
        .unwrap();
    let uses = [1, 2].map(|queue| {
        let using = using(device, Some(queue), &kernels);
        let staged = rows.staged(&using).unwrap();
        let used = StagedUse::new(rows, staged.clone(), true, &using).unwrap();
        (staged, used)
    });
    // Both begin before either ends; each writes a texel of its own.
    let queue = raw.create_queue().unwrap();
    let mut recorder = queue.recorder().unwrap();
    for (_, used) in &uses {
        used.before(&mut recorder).unwrap();
        recorder.barrier();
    }
    for (n, (staged, _)) in (0_u32..).zip(&uses) {
        let texel = ImageBox {
            level: 0,
            origin: [1 + 5 * n, 0, 0],
            extent: [1, 1, 1],
        };
        let from = u64::from(4 * n);
        let copied = recorder.copy_buffer_to_image(&written, from, staged.image(), texel);
        copied.unwrap();
    }
    recorder.barrier();
    for (_, used) in &uses {
        used.after(&mut recorder).unwrap();
        recorder.barrier();
    }
    let value = queue.submit(recorder, &[]).unwrap();
    assert!(queue.wait(value, None).unwrap());
    let mut block = HostBlock::new(WORDS * 4).unwrap();
    let sides = Sides::linear(0, WORDS * 4);
    rows.storage.read(0, sides, block.slice()).unwrap();
    let bytes = block.slice().to_vec();
    let words = bytes.chunks_exact(4);
    let words: Vec<u32> = words
        .map(|w| u32::from_le_bytes(w.try_into().unwrap()))
        .collect();
    assert_eq!(words, [0, 7, 0, 0, 0, 0, 9, 0]);
}
