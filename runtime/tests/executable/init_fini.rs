//! Initializers and finalizers: run by the executable, once, and no kernels of applications.

use pumice_reflection::{
    ByteString, DataDescriptor, HexBytes, Instruction, KernelRole, PrintfBufferDescriptor,
    PrintfInfo,
};
use pumice_runtime::executable::Executable;
use pumice_vulkan_layer::asm::class;

use crate::kit::{Draft, bind, bytes, range, whole, with_kit};

/// `init`: counter += 1, prints it; `k(out)`: *out = counter; `down`: counter *= 2, prints it.
fn module() -> Vec<u32> {
    let mut d = Draft::new();
    let uint = d.uint;
    let out = d.m.word_buffer(0, 0);
    let printf = d.m.word_buffer(0, 1);
    let variables = d.m.block(class::STORAGE_BUFFER, &[(uint, 0)]);
    bind(&mut d.m, variables, 0, 5);
    let [one, two] = [1, 2].map(|value| d.m.u32(value));
    let mut own = Vec::new();
    for name in ["init", "k", "down"] {
        let kernel = match name {
            "k" => d.kernel(name, 1, 0),
            _ => d.printing_kernel(name, 0),
        };
        let zero = d.zero;
        let counter = d.m.access(class::STORAGE_BUFFER, uint, variables, &[zero]);
        let old = d.m.load(uint, counter);
        if name == "k" {
            d.set_words(out, &[old]);
            d.storage_argument(kernel, 0, 0, 0);
        } else {
            let new = if name == "init" {
                d.add(old, one)
            } else {
                d.mul(old, two)
            };
            d.m.op0(62, &[counter, new]);
            let at =
                d.m.access(class::STORAGE_BUFFER, uint, printf, &[zero, zero]);
            let place = d.m.op(234, uint, &[at, one, zero, two]);
            for (word, value) in [(one, two), (two, new)] {
                let at = d.add(place, word);
                d.set_word(printf, at, value);
            }
            own.push(kernel);
        }
        d.m.end();
    }
    d.reflection.roles = vec![
        KernelRole::Finalizer(own[1]),
        KernelRole::Initializer(own[0]),
    ];
    d.push(Instruction::ProgramScopeVariablesStorageBuffer(
        DataDescriptor {
            set: 0,
            binding: 5,
            data: HexBytes(bytes(&[100])),
        },
    ));
    d.push(Instruction::PrintfInfo(PrintfInfo {
        id: 2,
        format: ByteString(b"counter %u\n".to_vec()),
        argument_sizes: vec![4],
    }));
    d.push(Instruction::PrintfBufferStorageBuffer(
        PrintfBufferDescriptor {
            set: 0,
            binding: 1,
            size: 64,
        },
    ));
    d.finish()
}

#[test]
fn initializers_and_finalizers_run_once() {
    let words = module();
    with_kit(|kit| {
        let device = &kit.device;
        let finish = |executable: &Executable| {
            let mut text = Vec::new();
            let mut print = |record: &[u8]| text.extend_from_slice(record);
            executable.run_finalizers(device, &mut print).unwrap();
            String::from_utf8(text).unwrap()
        };
        let executable = kit.executable(&words);
        let names: Vec<_> = executable.kernels().iter().map(|k| &k.name).collect();
        assert_eq!(names, ["k"]);
        assert_eq!(executable.kernel("init"), None);
        assert!(executable.has_initializers() && executable.has_finalizers());
        // Nothing ran that a finalizer could take down.
        assert_eq!(finish(&executable), "");

        let started = executable
            .run_initializers(device)
            .unwrap()
            .expect("just submitted");
        let again = executable
            .run_initializers(device)
            .unwrap()
            .expect("not yet printed");
        let wait = again.wait().expect("something was submitted");
        wait.timeline.wait(wait.value, None).unwrap();
        let mut text = Vec::new();
        for buffer in started.take_printf() {
            executable
                .decode_printf(buffer, &mut |record| text.extend_from_slice(record))
                .unwrap();
        }
        assert_eq!(text, b"counter 101\n");
        assert!(again.take_printf().is_empty());
        assert!(executable.run_initializers(device).unwrap().is_none());

        let out = kit.buffer(&[0]);
        for _ in 0..2 {
            kit.launch(&executable, "k", &range(1, 1), &[whole(&out)])
                .unwrap();
            assert_eq!(kit.words(&out), [101]);
        }
        assert_eq!(finish(&executable), "counter 202\n");
        assert_eq!(finish(&executable), "");

        // What initializers printed and no kernel's end showed comes with the finalizers.
        let other = kit.executable(&words);
        other.run_initializers(device).unwrap();
        assert_eq!(finish(&other), "counter 101\ncounter 202\n");
    });
}

#[test]
fn without_our_set_they_are_kernels() {
    let words = pumice_reflection::strip_set(&module(), pumice_reflection::PUMICE_SET);
    with_kit(|kit| {
        let executable = kit.executable(&words);
        let names: Vec<_> = executable.kernels().iter().map(|k| &k.name).collect();
        assert_eq!(names, ["init", "k", "down"]);
        assert!(executable.run_initializers(&kit.device).unwrap().is_none());
    });
}

#[test]
fn arguments_are_refused() {
    let mut d = Draft::new();
    let out = d.m.word_buffer(0, 0);
    let kernel = d.kernel("init", 1, 0);
    let one = d.m.u32(1);
    d.set_words(out, &[one]);
    d.m.end();
    d.storage_argument(kernel, 0, 0, 0);
    d.reflection.roles = vec![KernelRole::Initializer(kernel)];
    let words = d.finish();
    with_kit(|kit| {
        let refused = Executable::new(&words, kit.caps()).expect_err("refused");
        assert_eq!(
            refused,
            "error: kernel `init`: an Initializer has arguments\n"
        );
    });
}
