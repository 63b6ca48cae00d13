//! A device, a way to launch, and shorthands for modules and reflection.

use std::sync::LazyLock;

use pumice_filetests::skip::skip;
use pumice_reflection::{
    DescriptorArgument, FunctionId, Instruction, Kernel, KernelProperties, KernelRef,
    MAY_USE_PRINTF, Reflection, SpecIds3, strip_non_semantic,
};
use pumice_runtime::executable::{ArgValue, Executable, Launch, LaunchError, NdRange};
use pumice_test_support::spirv_tools;
use pumice_vulkan_layer::asm::{Module, class};
use pumice_vulkan_layer::{
    Buffer, Capabilities, Instance, InstanceConfig, LogicalDevice, MemoryClass, Queue, Recorder,
};

pub struct Kit {
    instance: Instance,
    pub device: LogicalDevice,
    queue: Queue,
}

/// The device, or the reason that there is none.
static KIT: LazyLock<Result<Kit, String>> = LazyLock::new(|| {
    let mut config = InstanceConfig {
        // Off where the driver is newer than the layer: it reports what it does not know.
        validation: std::env::var_os("PUMICE_TEST_WITHOUT_VALIDATION").is_none(),
        ..InstanceConfig::default()
    };
    let instance = Instance::load(&config).or_else(|_| {
        config.validation = false;
        Instance::load(&config)
    });
    let instance = match instance {
        Ok(instance) => instance,
        Err(error) => return Err(error.to_string()),
    };
    let Some(physical) = instance.devices().first() else {
        return Err("no Vulkan device above the floor".to_string());
    };
    let device = physical.open().unwrap();
    let queue = device.create_queue().unwrap();
    Ok(Kit {
        instance,
        device,
        queue,
    })
});

/// Runs a test with the device; validation must have said nothing at its end.
pub fn with_kit(test: impl FnOnce(&Kit)) {
    match &*KIT {
        Ok(kit) => {
            test(kit);
            let messages = kit.instance.validation_messages();
            assert!(messages.is_empty(), "{messages:#?}");
        }
        Err(reason) => skip(reason),
    }
}

/// A one-dimensional range.
pub fn range(global: u64, local: u32) -> NdRange {
    NdRange {
        work_dim: 1,
        global_offset: [0; 3],
        global_size: [global, 1, 1],
        local_size: [local, 1, 1],
    }
}

pub fn bytes(values: &[u32]) -> Vec<u8> {
    values
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect()
}

pub fn pod(values: &[u32]) -> Option<ArgValue> {
    Some(ArgValue::Bytes(bytes(values)[..].into()))
}

pub fn whole(buffer: &Buffer) -> Option<ArgValue> {
    Some(ArgValue::Buffer {
        buffer: buffer.clone(),
        offset: 0,
        size: buffer.size(),
    })
}

impl Kit {
    pub fn caps(&self) -> &Capabilities {
        self.device.capabilities()
    }

    pub fn executable(&self, words: &[u32]) -> Executable {
        Executable::new(words, self.caps()).unwrap()
    }

    pub fn buffer(&self, values: &[u32]) -> Buffer {
        let size = values.len() as u64 * 4;
        let buffer = self
            .device
            .create_buffer(size, MemoryClass::Readback)
            .unwrap();
        buffer.write(0, &bytes(values)).unwrap();
        buffer
    }

    pub fn words(&self, buffer: &Buffer) -> Vec<u32> {
        let mut bytes = vec![0; buffer.size() as usize];
        buffer.read(0, &mut bytes).unwrap();
        let word = |b: &[u8]| u32::from_le_bytes([b[0], b[1], b[2], b[3]]);
        bytes.chunks_exact(4).map(word).collect()
    }

    /// Records, submits and waits.
    pub fn run(&self, record: impl FnOnce(&mut Recorder)) {
        let mut recorder = self.queue.recorder().unwrap();
        record(&mut recorder);
        let value = self.queue.submit(recorder, &[]).unwrap();
        self.queue.wait(value, None).unwrap();
    }

    /// Launches a kernel, waits, and gives what it printed.
    pub fn launch(
        &self,
        executable: &Executable,
        kernel: &str,
        range: &NdRange,
        args: &[Option<ArgValue>],
    ) -> Result<String, LaunchError> {
        let kernel = executable.kernel(kernel).unwrap();
        let launch = Launch {
            enqueue: None,
            checks: None,
            termination: None,
            queue: 0,
            kernel,
            range,
            args,
            may_slice: false,
        };
        executable.limits(kernel, self.caps()).check(range)?;
        let mut prepared = executable.prepare(&self.device, &launch)?;
        let mut recorder = self.queue.recorder()?;
        prepared.record(&mut recorder)?;
        let printf = prepared.take_printf();
        // Everything goes before the device is done: the recorder keeps what it needs.
        drop(prepared);
        let value = self.queue.submit(recorder, &[])?;
        self.queue.wait(value, None)?;
        let mut text = Vec::new();
        if let Some(printf) = printf {
            executable.decode_printf(printf, &mut |record| text.extend_from_slice(record))?;
        }
        Ok(String::from_utf8(text).unwrap())
    }
}

/// A module with its reflection while a test builds them.
pub struct Draft {
    pub m: Module,
    pub reflection: Reflection,
    pub uint: u32,
    pub zero: u32,
}

/// Specialization ids of the work-group size.
pub const LOCAL_SIZE_IDS: [u32; 3] = [0, 1, 2];

impl Draft {
    /// An empty module, its work-group size by specialization.
    pub fn new() -> Self {
        let mut draft = Self::with_fixed_size();
        draft.m.spec_group_size(LOCAL_SIZE_IDS);
        let [x, y, z] = LOCAL_SIZE_IDS;
        draft.push(Instruction::SpecConstantWorkgroupSize(SpecIds3 { x, y, z }));
        draft
    }

    /// An empty module without a work-group size.
    pub fn with_fixed_size() -> Self {
        let mut m = Module::new();
        m.extension("SPV_KHR_storage_buffer_storage_class");
        let (uint, zero) = (m.uint(32), m.u32(0));
        Self {
            m,
            reflection: Reflection::default(),
            uint,
            zero,
        }
    }

    pub fn with_addresses() -> Self {
        let mut draft = Self::new();
        draft.m.capability(11);
        draft.m.capability(5347);
        draft.m.extension("SPV_KHR_physical_storage_buffer");
        draft
    }

    pub fn push(&mut self, instruction: Instruction) {
        self.reflection.push(instruction);
    }

    /// Begins kernel `name` and declares it.
    pub fn kernel(&mut self, name: &str, num_arguments: u32, flags: u32) -> KernelRef {
        let function = self.m.begin(name);
        self.m.mode(function, 17, &[1, 1, 1]);
        self.declare(function, name, num_arguments, flags)
    }

    pub fn declare(
        &mut self,
        function: u32,
        name: &str,
        num_arguments: u32,
        flags: u32,
    ) -> KernelRef {
        self.reflection.add_kernel(Kernel {
            function: FunctionId(function),
            name: name.into(),
            properties: Some(KernelProperties {
                num_arguments,
                flags,
                attributes: String::new(),
            }),
        })
    }

    pub fn printing_kernel(&mut self, name: &str, num_arguments: u32) -> KernelRef {
        self.kernel(name, num_arguments, MAY_USE_PRINTF)
    }

    /// Argument `ordinal` is the storage buffer at that set and binding.
    pub fn storage_argument(&mut self, kernel: KernelRef, ordinal: u32, set: u32, binding: u32) {
        self.push(Instruction::ArgumentStorageBuffer(DescriptorArgument {
            kernel,
            ordinal,
            set,
            binding,
            info: None,
        }));
    }

    /// Word `index` (an id) of a word buffer.
    pub fn word(&mut self, buffer: u32, index: u32) -> u32 {
        let (uint, zero) = (self.uint, self.zero);
        self.m
            .load_at(class::STORAGE_BUFFER, uint, buffer, &[zero, index])
    }

    /// Stores a word into a word buffer.
    pub fn set_word(&mut self, buffer: u32, index: u32, value: u32) {
        let (uint, zero) = (self.uint, self.zero);
        let pointer = self
            .m
            .access(class::STORAGE_BUFFER, uint, buffer, &[zero, index]);
        self.m.op0(62, &[pointer, value]);
    }

    /// Stores values at the first words of a word buffer.
    pub fn set_words(&mut self, buffer: u32, values: &[u32]) {
        for (index, &value) in (0..).zip(values) {
            let index = self.m.u32(index);
            self.set_word(buffer, index, value);
        }
    }

    /// Member `index` of a block variable.
    pub fn member(&mut self, class: u32, ty: u32, block: u32, index: u32) -> u32 {
        let index = self.m.u32(index);
        self.m.load_at(class, ty, block, &[index])
    }

    /// A pointer of `ty` to a 64-bit address plus a byte offset (a word).
    pub fn at_address(&mut self, ty: u32, address: u32, offset: u32) -> u32 {
        let pair = self.m.vector(self.uint, 2);
        let words = self.m.op(124, pair, &[address]);
        self.m.at_address(ty, words, offset)
    }

    /// A word behind a 64-bit address plus a byte offset.
    pub fn word_at(&mut self, address: u32, offset: u32) -> u32 {
        let (uint, offset) = (self.uint, self.m.u32(offset));
        let pointer = self.at_address(uint, address, offset);
        self.m.load_aligned(uint, pointer, 4)
    }

    /// Component `index` of a uvec3 built-in variable.
    pub fn component(&mut self, variable: u32, index: u32) -> u32 {
        let uvec3 = self.m.vector(self.uint, 3);
        let all = self.m.load(uvec3, variable);
        self.m.op(81, self.uint, &[all, index])
    }

    pub fn add(&mut self, a: u32, b: u32) -> u32 {
        self.m.op(128, self.uint, &[a, b])
    }

    pub fn mul(&mut self, a: u32, b: u32) -> u32 {
        self.m.op(132, self.uint, &[a, b])
    }

    /// The words, valid as SPIR-V where spirv-val is installed to say so.
    pub fn finish(self) -> Vec<u32> {
        let words = pumice_reflection::embed(&self.m.finish(), &self.reflection).unwrap();
        validate(&strip_non_semantic(&words));
        words
    }
}

/// A binding decoration for a block variable.
pub fn bind(m: &mut Module, variable: u32, set: u32, binding: u32) {
    m.decorate(variable, 34, &[set]);
    m.decorate(variable, 33, &[binding]);
}

fn validate(words: &[u32]) {
    spirv_tools::validate(words, "vulkan1.2").unwrap();
}
