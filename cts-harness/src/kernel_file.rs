//! Kernel files: OpenCL C sources that say in their comments how to run them and what to expect.
//!
//! ```text
//! // options: -cl-std=CL1.2              build options (once, at the top)
//! // build-log: text                     the build must fail and its log contain the text
//! // kernel: add                         starts a run; several runs a file
//! // global: 8 2                         one to three sizes
//! // local: 4 1                          optional
//! // offset: 16 0                        optional
//! // arg: buffer int 1 2 3 4             contents; `8*0` repeats a value, `0..15` counts up
//! // arg: buffer null
//! // arg: float4 1 2 3 4                 by value; vec3 takes three numbers
//! // arg: local 64                       bytes of local memory
//! // expect 0: int 2 3 4 5               argument 0 after the run
//! // expect 1: float 0.5 ulp 2           tolerance at the end: `ulp N` or `abs X`
//! ```
//!
//! Types are OpenCL C's scalar names with an optional vector width. `?` expects anything.

use crate::cl::{Arg, Buffer, Device};
use std::fmt::Write;

/// A scalar type of buffer elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scalar {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F16,
    F32,
    F64,
}

impl Scalar {
    fn named(name: &str) -> Option<Scalar> {
        Some(match name {
            "char" => Scalar::I8,
            "uchar" => Scalar::U8,
            "short" => Scalar::I16,
            "ushort" => Scalar::U16,
            "int" => Scalar::I32,
            "uint" => Scalar::U32,
            "long" => Scalar::I64,
            "ulong" => Scalar::U64,
            "half" => Scalar::F16,
            "float" => Scalar::F32,
            "double" => Scalar::F64,
            _ => return None,
        })
    }

    fn bytes(self) -> usize {
        match self {
            Scalar::I8 | Scalar::U8 => 1,
            Scalar::I16 | Scalar::U16 | Scalar::F16 => 2,
            Scalar::I32 | Scalar::U32 | Scalar::F32 => 4,
            Scalar::I64 | Scalar::U64 | Scalar::F64 => 8,
        }
    }

    /// The little-endian bytes of a number as written. Half takes raw bits (`0x3c00`).
    fn encode(self, text: &str) -> Result<Vec<u8>, String> {
        let bad = || format!("{text:?} is no {self:?}");
        let bits: u64 = match self {
            Scalar::F32 if !text.starts_with("0x") => {
                u64::from(text.parse::<f32>().map_err(|_| bad())?.to_bits())
            }
            Scalar::F64 if !text.starts_with("0x") => {
                text.parse::<f64>().map_err(|_| bad())?.to_bits()
            }
            _ => match (text.strip_prefix("0x"), text.starts_with('-')) {
                (Some(hex), _) => u64::from_str_radix(hex, 16).map_err(|_| bad())?,
                (None, true) => text.parse::<i64>().map_err(|_| bad())? as u64,
                (None, false) => text.parse::<u64>().map_err(|_| bad())?,
            },
        };
        Ok(bits.to_le_bytes()[..self.bytes()].to_vec())
    }

    fn bits(bytes: &[u8]) -> u64 {
        let mut word = [0u8; 8];
        word[..bytes.len()].copy_from_slice(bytes);
        u64::from_le_bytes(word)
    }

    fn show(self, bytes: &[u8]) -> String {
        let bits = Self::bits(bytes);
        match self {
            Scalar::I8 => (bits as i8).to_string(),
            Scalar::I16 => (bits as i16).to_string(),
            Scalar::I32 => (bits as i32).to_string(),
            Scalar::I64 => (bits as i64).to_string(),
            Scalar::U8 | Scalar::U16 | Scalar::U32 | Scalar::U64 => bits.to_string(),
            Scalar::F16 => format!("{bits:#06x}"),
            Scalar::F32 => format!("{:?}", f32::from_bits(bits as u32)),
            Scalar::F64 => format!("{:?}", f64::from_bits(bits)),
        }
    }

    fn value(self, bytes: &[u8]) -> Option<f64> {
        let bits = Self::bits(bytes);
        match self {
            Scalar::F32 => Some(f64::from(f32::from_bits(bits as u32))),
            Scalar::F64 => Some(f64::from_bits(bits)),
            _ => None,
        }
    }
}

/// How far a float may lie from the expectation.
#[derive(Clone, Copy, Debug)]
enum Tolerance {
    /// Same bits (any NaN equals any NaN).
    Exact,
    /// Units in the last place of the expected value.
    Ulp(f64),
    /// Absolute difference.
    Abs(f64),
}

#[derive(Clone, Debug)]
enum ArgSpec {
    Buffer(Vec<u8>),
    NullBuffer,
    Bytes(Vec<u8>),
    Local(usize),
}

#[derive(Clone, Debug)]
struct Expect {
    line: usize,
    arg: usize,
    scalar: Scalar,
    /// `None` for `?`.
    elements: Vec<Option<Vec<u8>>>,
    tolerance: Tolerance,
}

#[derive(Clone, Debug, Default)]
struct Run {
    kernel: String,
    global: Vec<usize>,
    local: Option<Vec<usize>>,
    offset: Option<Vec<usize>>,
    args: Vec<ArgSpec>,
    expects: Vec<Expect>,
}

/// A parsed kernel file.
#[derive(Clone, Debug, Default)]
pub struct KernelFile {
    options: String,
    build_log: Vec<String>,
    runs: Vec<Run>,
}

fn sizes(text: &str) -> Result<Vec<usize>, String> {
    text.split_whitespace()
        .map(|word| word.parse().map_err(|_| format!("{word:?} is no size")))
        .collect()
}

/// Splits `float4` into its scalar and width.
fn element_type(name: &str) -> Result<(Scalar, usize), String> {
    let digits = name.trim_start_matches(|c: char| !c.is_ascii_digit());
    let scalar = Scalar::named(&name[..name.len() - digits.len()])
        .ok_or_else(|| format!("unknown type {name:?}"))?;
    let width = if digits.is_empty() {
        1
    } else {
        digits
            .parse()
            .map_err(|_| format!("unknown type {name:?}"))?
    };
    Ok((scalar, width))
}

/// Numbers as written, with `n*x` and `a..b` expanded; `?` gives `None`.
fn elements(scalar: Scalar, words: &[&str]) -> Result<Vec<Option<Vec<u8>>>, String> {
    let mut list = Vec::new();
    for word in words {
        if *word == "?" {
            list.push(None);
        } else if let Some((count, value)) = word.split_once('*') {
            let count: usize = count.parse().map_err(|_| format!("{word:?}: bad count"))?;
            let value = if value == "?" {
                None
            } else {
                Some(scalar.encode(value)?)
            };
            list.extend(std::iter::repeat_n(value, count));
        } else if let Some((first, last)) = word.split_once("..") {
            let bound = |text: &str| {
                text.parse::<i64>()
                    .map_err(|_| format!("{word:?}: bad range"))
            };
            for number in bound(first)?..=bound(last)? {
                list.push(Some(scalar.encode(&number.to_string())?));
            }
        } else {
            list.push(Some(scalar.encode(word)?));
        }
    }
    Ok(list)
}

fn contents(scalar: Scalar, words: &[&str]) -> Result<Vec<u8>, String> {
    let list = elements(scalar, words)?;
    list.into_iter()
        .map(|value| value.ok_or_else(|| "`?` has no contents".to_string()))
        .collect::<Result<Vec<_>, _>>()
        .map(|list| list.concat())
}

fn argument(text: &str) -> Result<ArgSpec, String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    match words[..] {
        ["buffer", "null"] => Ok(ArgSpec::NullBuffer),
        ["buffer", ty, ..] => contents(element_type(ty)?.0, &words[2..]).map(ArgSpec::Buffer),
        ["local", size] => size
            .parse()
            .map(ArgSpec::Local)
            .map_err(|_| format!("{size:?} is no size")),
        [ty, ..] => {
            let (scalar, width) = element_type(ty)?;
            let mut bytes = contents(scalar, &words[1..])?;
            if bytes.len() != width * scalar.bytes() {
                return Err(format!("{ty} takes {width} numbers"));
            }
            if width == 3 {
                bytes.resize(4 * scalar.bytes(), 0);
            }
            Ok(ArgSpec::Bytes(bytes))
        }
        [] => Err("an argument needs a type".to_string()),
    }
}

fn expectation(line: usize, arg: &str, text: &str) -> Result<Expect, String> {
    let arg = arg
        .trim()
        .parse()
        .map_err(|_| format!("{arg:?} is no argument number"))?;
    let mut words: Vec<&str> = text.split_whitespace().collect();
    let tolerance = match words[..] {
        [.., kind @ ("ulp" | "abs"), amount] => {
            let amount: f64 = amount
                .parse()
                .map_err(|_| format!("{amount:?} is no number"))?;
            words.truncate(words.len() - 2);
            if kind == "ulp" {
                Tolerance::Ulp(amount)
            } else {
                Tolerance::Abs(amount)
            }
        }
        _ => Tolerance::Exact,
    };
    let (scalar, _) = element_type(words.first().ok_or("an expectation needs a type")?)?;
    Ok(Expect {
        line,
        arg,
        scalar,
        elements: elements(scalar, &words[1..])?,
        tolerance,
    })
}

/// The run that a directive belongs to.
fn last_run(file: &mut KernelFile) -> Result<&mut Run, String> {
    file.runs
        .last_mut()
        .ok_or_else(|| "comes before `kernel:`".to_string())
}

impl KernelFile {
    /// Reads the directives.
    pub fn parse(text: &str) -> Result<KernelFile, String> {
        let mut file = KernelFile::default();
        for (index, line) in text.lines().enumerate() {
            let Some((key, value)) = line
                .trim()
                .strip_prefix("// ")
                .and_then(|line| line.split_once(':'))
            else {
                continue;
            };
            let value = value.trim();
            let outcome = match key {
                "options" => {
                    file.options = value.to_string();
                    Ok(())
                }
                "build-log" => {
                    file.build_log.push(value.to_string());
                    Ok(())
                }
                "kernel" => {
                    file.runs.push(Run {
                        kernel: value.to_string(),
                        ..Run::default()
                    });
                    Ok(())
                }
                "global" => {
                    sizes(value).and_then(|list| last_run(&mut file).map(|run| run.global = list))
                }
                "local" => sizes(value)
                    .and_then(|list| last_run(&mut file).map(|run| run.local = Some(list))),
                "offset" => sizes(value)
                    .and_then(|list| last_run(&mut file).map(|run| run.offset = Some(list))),
                "arg" => argument(value)
                    .and_then(|arg| last_run(&mut file).map(|run| run.args.push(arg))),
                _ => match key.strip_prefix("expect ") {
                    Some(arg) => expectation(index + 1, arg, value)
                        .and_then(|expect| last_run(&mut file).map(|run| run.expects.push(expect))),
                    None => Ok(()),
                },
            };
            outcome.map_err(|why| format!("line {}: {why}", index + 1))?;
        }
        if file.runs.is_empty() && file.build_log.is_empty() {
            return Err("says neither `kernel:` nor `build-log:`".to_string());
        }
        for run in &file.runs {
            let dims = run.global.len();
            let fits =
                |list: &Option<Vec<usize>>| list.as_ref().is_none_or(|list| list.len() == dims);
            if dims == 0 || dims > 3 || !fits(&run.local) || !fits(&run.offset) {
                return Err(format!("kernel {}: sizes do not fit together", run.kernel));
            }
            if run.expects.is_empty() {
                return Err(format!(
                    "kernel {}: expects nothing, so it cannot fail",
                    run.kernel
                ));
            }
        }
        Ok(file)
    }

    /// Builds and runs the file on a device; the error says what differed.
    pub fn check(&self, device: &Device, source: &str) -> Result<(), String> {
        self.check_with(device, source, "")
    }

    /// The same with more build options behind the file's own.
    pub fn check_with(&self, device: &Device, source: &str, more: &str) -> Result<(), String> {
        let options = format!("{} {more}", self.options);
        let built = device.build(source.as_bytes(), options.trim());
        if !self.build_log.is_empty() {
            let log = match built {
                Ok(_) => return Err("the build succeeds but must fail".to_string()),
                Err((error, log)) if error.code == -11 => log,
                Err((error, log)) => {
                    return Err(format!("{error}, expected -11 from clBuildProgram\n{log}"));
                }
            };
            return match self
                .build_log
                .iter()
                .find(|text| !log.contains(text.as_str()))
            {
                Some(text) => Err(format!("the build log lacks {text:?}:\n{log}")),
                None => Ok(()),
            };
        }
        let program = built.map_err(|(error, log)| format!("{error}\n{log}"))?;
        for run in &self.runs {
            run.check(device, &program)
                .map_err(|why| format!("kernel {}: {why}", run.kernel))?;
        }
        Ok(())
    }
}

impl Run {
    fn check(&self, device: &Device, program: &crate::cl::Program) -> Result<(), String> {
        let text = |error: crate::cl::Error| error.to_string();
        let kernel = program.kernel(&self.kernel).map_err(text)?;
        let mut buffers: Vec<Option<Buffer>> = Vec::new();
        for arg in &self.args {
            buffers.push(match arg {
                ArgSpec::Buffer(bytes) => Some(device.buffer(bytes).map_err(text)?),
                _ => None,
            });
        }
        let args: Vec<Arg<'_>> = self
            .args
            .iter()
            .zip(&buffers)
            .map(|(spec, buffer)| match (spec, buffer) {
                (ArgSpec::Bytes(bytes), _) => Arg::Bytes(bytes),
                (ArgSpec::Local(size), _) => Arg::Local(*size),
                (_, Some(buffer)) => Arg::Buffer(buffer),
                (_, None) => Arg::Null,
            })
            .collect();
        device
            .run(
                &kernel,
                &args,
                self.offset.as_deref(),
                &self.global,
                self.local.as_deref(),
            )
            .map_err(text)?;
        for expect in &self.expects {
            let buffer = buffers
                .get(expect.arg)
                .and_then(Option::as_ref)
                .ok_or_else(|| format!("argument {} is no buffer", expect.arg))?;
            let got = device.read(buffer).map_err(text)?;
            expect
                .check(&got)
                .map_err(|why| format!("line {}: {why}", expect.line))?;
        }
        Ok(())
    }
}

impl Expect {
    fn check(&self, got: &[u8]) -> Result<(), String> {
        let size = self.scalar.bytes();
        if got.len() < self.elements.len() * size {
            return Err(format!(
                "expects {} elements of a buffer of {} bytes",
                self.elements.len(),
                got.len()
            ));
        }
        let mut wrong = String::new();
        let mut count = 0;
        for (index, (want, have)) in self.elements.iter().zip(got.chunks(size)).enumerate() {
            let Some(want) = want else { continue };
            if !self.equal(want, have) {
                count += 1;
                if count <= 8 {
                    // Writing to a String cannot fail.
                    let _ = writeln!(
                        wrong,
                        "  [{index}] is {}, expected {}",
                        self.scalar.show(have),
                        self.scalar.show(want)
                    );
                }
            }
        }
        if count == 0 {
            Ok(())
        } else {
            Err(format!(
                "argument {}: {count} elements differ\n{wrong}",
                self.arg
            ))
        }
    }

    fn equal(&self, want: &[u8], have: &[u8]) -> bool {
        if want == have {
            return true;
        }
        let (Some(a), Some(b)) = (self.scalar.value(want), self.scalar.value(have)) else {
            return false;
        };
        if a.is_nan() || b.is_nan() {
            return a.is_nan() && b.is_nan();
        }
        match self.tolerance {
            Tolerance::Exact => false,
            Tolerance::Abs(limit) => (a - b).abs() <= limit,
            Tolerance::Ulp(limit) => {
                let mantissa = if self.scalar == Scalar::F32 { 23 } else { 52 };
                let least = if self.scalar == Scalar::F32 {
                    -126
                } else {
                    -1022
                };
                let exponent = if a == 0.0 {
                    least
                } else {
                    (a.abs().log2().floor() as i32).max(least)
                };
                (a - b).abs() <= limit * 2f64.powi(exponent - mantissa)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Expect, KernelFile, Scalar, Tolerance};

    #[test]
    fn a_file_that_cannot_fail_is_refused() {
        let error =
            KernelFile::parse("// kernel: k\n// global: 4\n// arg: buffer int 0..3\n").unwrap_err();
        assert!(error.contains("cannot fail"), "{error}");
        assert!(KernelFile::parse("__kernel void k() {}").is_err());
    }

    #[test]
    fn contents_expand() {
        let file = KernelFile::parse("// kernel: k\n// global: 4\n// arg: buffer uchar 2*7 1..3 0xff\n// expect 0: uchar 7 ?\n").unwrap();
        let super::ArgSpec::Buffer(bytes) = &file.runs[0].args[0] else {
            panic!("no buffer")
        };
        assert_eq!(bytes, &[7, 7, 1, 2, 3, 255]);
    }

    #[test]
    fn tolerances() {
        let expect = |tolerance| Expect {
            line: 1,
            arg: 0,
            scalar: Scalar::F32,
            elements: vec![Some(1f32.to_le_bytes().to_vec())],
            tolerance,
        };
        let next = f32::from_bits(1f32.to_bits() + 1).to_le_bytes();
        assert!(expect(Tolerance::Exact).check(&next).is_err());
        assert!(expect(Tolerance::Ulp(1.0)).check(&next).is_ok());
        assert!(expect(Tolerance::Ulp(0.5)).check(&next).is_err());
        assert!(expect(Tolerance::Abs(1e-6)).check(&next).is_ok());
    }
}
