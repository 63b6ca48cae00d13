//! Program-scope data of any size: what stands in the source is what the reflection says of the
//! buffer, byte for byte, and words grow with the bytes.

use std::fmt::Write;

use pumice_compiler::{KernelModule, LowerOptions, Target, lower};
use pumice_reflection::{HexBytes, MAX_INITIAL_DATA, read};
use pumice_test_support::build::{compiled, linked_alone};

fn kernel_module(text: &str) -> KernelModule {
    let module = compiled(text, "-cl-std=CL3.0", &Target::reference());
    module.unwrap_or_else(|log| panic!("{}", &log[..log.len().min(2000)]))
}

fn lowered(module: &KernelModule) -> Result<Vec<u32>, String> {
    let linked = linked_alone(module).expect("links");
    let lowered = lower(&linked, &Target::reference(), &LowerOptions::default());
    lowered.output.map(|m| m.words).ok_or(lowered.log)
}

/// The data of the module's one buffer.
fn data(words: &[u32]) -> Vec<u8> {
    let reflection = read(words).expect("readable");
    let found = reflection.instructions.iter().find_map(|inst| inst.data());
    let Some(HexBytes(data)) = found else {
        panic!("no data: {reflection}")
    };
    data.clone()
}

/// Compiles `declarations` with a kernel that reads `name` and gives its data.
fn data_of(declarations: &str, name: &str) -> Vec<u8> {
    let text = format!(
        "{declarations}\nkernel void k(global uchar *o, uint i) {{ *o = ((constant uchar *){name})[i]; }}\n"
    );
    data(&lowered(&kernel_module(&text)).expect("it lowers"))
}

fn letters(count: usize) -> String {
    (0..count)
        .map(|at| char::from(b'a' + ((at * 31 + at / 977) % 26) as u8))
        .collect()
}

#[test]
fn strings_of_any_length() {
    for length in [131_063, 131_064, 131_065, 131_066, 3_000_001] {
        let text = letters(length);
        let bytes = data_of(&format!("constant char s[] = \"{text}\";"), "s");
        assert!(bytes[..length] == *text.as_bytes(), "{length}");
        assert!(bytes[length..].iter().all(|&byte| byte == 0), "{length}");
    }
}

/// Also those inside of structures and of other arrays, which no single instruction could hold.
#[test]
fn arrays_of_every_shape() {
    let list = |count: usize, value: &dyn Fn(usize) -> String| {
        (0..count).fold(String::new(), |mut text, at| {
            let _ = write!(text, "{},", value(at));
            text
        })
    };
    let count = 70_000;
    let floats = list(count, &|at| format!("{at}.5f"));
    let expected: Vec<u8> = (0..count)
        .flat_map(|at| (at as f32 + 0.5).to_le_bytes())
        .collect();
    let flat = data_of(&format!("constant float t[] = {{{floats}}};"), "t");
    assert!(flat == expected);
    let rows = data_of(
        &format!("constant float t[2][{count}] = {{{{1}}, {{{floats}}}}};"),
        "t",
    );
    assert_eq!(rows[..8], [0, 0, 0x80, 0x3f, 0, 0, 0, 0]);
    assert!(rows[4 * count..] == expected);
    let text = letters(count);
    let record = data_of(
        &format!(
            "constant struct {{ char c; char s[{count}]; float f; }} t = {{7, \"{text}\", 1}};"
        ),
        "&t",
    );
    assert_eq!(record[0], 7);
    assert!(record[1..=count] == *text.as_bytes());
    assert_eq!(record[70_004..70_008], 1f32.to_le_bytes());
    let vectors = list(count, &|at| format!("(uint2)({at}, 3)"));
    let pairs = data_of(&format!("constant uint2 t[] = {{{vectors}}};"), "t");
    assert_eq!(pairs.len(), 8 * count);
    assert_eq!(pairs[8 * 4321..8 * 4322], (3u64 << 32 | 4321).to_le_bytes());
}

/// Addresses among long arrays become relocations.
#[test]
fn addresses_beside_long_arrays() {
    let text = letters(70_000);
    let source = format!(
        "constant int target = 5;\n\
         constant struct {{ char s[70000]; constant int *p; int n; }} t = {{\"{text}\", &target, 9}};\n\
         kernel void k(global int *o, uint i) {{ *o = *t.p + t.s[i] + t.n; }}\n"
    );
    let words = lowered(&kernel_module(&source)).expect("it lowers");
    let listing = read(&words).expect("readable").to_string();
    let relocations = listing.matches("ProgramScopeVariablePointerRelocation");
    assert_eq!(relocations.count(), 1);
    let data = data(&words);
    let at = data.windows(70_000).position(|w| w == text.as_bytes());
    let at = at.expect("the string");
    assert_eq!(data[at + 70_008..at + 70_012], 9u32.to_le_bytes());
}

#[test]
fn words_grow_with_the_bytes() {
    let words = |size: usize| {
        let source = format!(
            "constant char s[] = \"{}\";\nkernel void k(global char *p, int i) {{ *p = s[i]; }}\n",
            letters(size)
        );
        let module = kernel_module(&source);
        let words = lowered(&module).expect("it lowers");
        (module.words.len(), words.len())
    };
    for size in [500_000, 1_000_000, 2_000_000] {
        let (kernel, vulkan) = words(size);
        // 16 bits a word in the one, 4 hexadecimal digits a word in the other.
        assert!(kernel < size / 2 + 2_000, "{size}: {kernel} words");
        assert!(vulkan < size / 2 + 2_000, "{size}: {vulkan} words");
    }
}

/// Zeros cost nothing, so that the limit can be reached.
#[test]
fn zeros_take_no_words() {
    let source = |size: u64| {
        format!("global char t[{size}];\nkernel void k(ulong i) {{ t[i] = t[i + 1] + 1; }}\n")
    };
    let words = lowered(&kernel_module(&source(MAX_INITIAL_DATA))).expect("it lowers");
    assert!(words.len() < 2_000, "{} words", words.len());
    assert_eq!(data(&words).len() as u64, MAX_INITIAL_DATA);
    // Together more than one buffer may have.
    let two = source(MAX_INITIAL_DATA).replace("t[268435456];", "t[268435456], u[16];");
    let two = two.replace("t[i] =", "t[i] = u[i] =");
    let log = lowered(&kernel_module(&two)).unwrap_err();
    let expected = "error: 268435472 bytes of program-scope data are more than 256 MiB\n";
    assert_eq!(log, expected);
}
