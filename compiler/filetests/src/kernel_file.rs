//! Kernel files: sources that say how to run their kernels and what to expect.
//!
//! ```text
//! // options: -cl-std=CL1.2              build options (once, at the top)
//! // build-log: text                     the build must fail and its log contain the text
//! // defined-by: pass                    its kernels do what OpenCL C leaves undefined; this pass defines it
//! // kernel: add                         starts a run; several runs a file
//! // global: 8 2                         one to three sizes
//! // local: 4 1                          optional
//! // offset: 16 0                        optional
//! // arg: buffer int 1 2 3 4             contents; `8*0` repeats a value, `0..15` counts up
//! // arg: buffer long @1+8               the address of argument 1's buffer plus 8 bytes
//! // arg: buffer null
//! // arg: alias 0 16                     argument 0's buffer again, from byte 16 on
//! // arg: pipe 4 16                      a pipe of 16 packets of 4 bytes; `alias 0 0` is the same one
//! // arg: queue                          a device queue of 64 KiB, not the default one
//! // arg: pattern 64                     a buffer of 64 bytes, each another number
//! // arg: float4 1 2 3 4                 by value; vec3 takes three numbers
//! // arg: local 64                       bytes of local memory
//! // arg: image2d 4x3 RGBA SNORM_INT8 -4..43
//! //                                     an image (`image1d`, `image1d_array`, `image1d_buffer`, `image2d_array`,
//! //                                     `image3d`): sizes, layers last; channel order and type; the channels' bits
//! // arg: sampler CLAMP NEAREST          addressing mode, filter, `NORMALIZED` where coordinates are
//! // expect 0: int 2 3 4 5               argument 0 after the run
//! // expect 1: float 0.5 ulp 2           tolerance at the end: `ulp N` or `abs X`
//! // expect printf: v=%d [5]             one printf record: format, then the arguments' bits
//! // expect error: text                  the run fails with this in its message
//! // expect report: line                 one line of the reports of its checks, addresses as 0x*
//! // expect fault: text                  some line of the reports contains the text; ? is any number
//! ```
//!
//! Types are OpenCL C's scalar names with an optional vector width. Numbers are values, `half 1`
//! is one; `0x` begins bits. `?` expects anything. Files in assembly begin comments with `;`.

use crate::directive::{Directive, directives};
use crate::expect::{Element, Expect, elements, expectation, number};
use crate::{Image, Sampler, Scalar};

/// An address inside a buffer's contents, to be filled in by who makes the buffers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Address {
    /// Byte offset of the 64-bit address in the contents.
    pub at: usize,
    /// Argument whose buffer it points into.
    pub arg: usize,
    /// Bytes from the start of that buffer.
    pub offset: u64,
}

/// A kernel's argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Arg {
    /// A buffer with these contents.
    Buffer {
        /// The contents; zeros where addresses stand.
        bytes: Vec<u8>,
        /// The addresses in it.
        addresses: Vec<Address>,
    },
    /// NULL in place of a buffer.
    NullBuffer,
    /// Another argument's buffer from an offset on.
    Alias {
        /// That argument, which comes before.
        arg: usize,
        /// Bytes from the start of its buffer.
        offset: usize,
    },
    /// An empty pipe.
    Pipe {
        /// Bytes of a packet.
        packet_size: u32,
        /// The most packets.
        max_packets: u32,
    },
    /// A device queue that is not the default one.
    Queue,
    /// A value: its bytes.
    Value(Vec<u8>),
    /// Bytes of local memory.
    Local(usize),
    /// An image with these contents.
    Image {
        /// The image.
        image: Image,
        /// Its pixels, row after row without gaps.
        bytes: Vec<u8>,
    },
    /// A sampler.
    Sampler(Sampler),
}

/// One run of a kernel.
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// The kernel's name.
    pub kernel: String,
    /// Global sizes, one to three.
    pub global: Vec<u64>,
    /// Local sizes, as many.
    pub local: Option<Vec<u64>>,
    /// Global offsets, as many.
    pub offset: Option<Vec<u64>>,
    /// Arguments in order.
    pub args: Vec<Arg>,
    /// Arguments whose buffers count as never written, for the checks of kernels.
    pub unwritten: Vec<u64>,
    /// Expected buffers.
    pub expects: Vec<Expect>,
    /// Expected printf records.
    pub printf: Vec<String>,
    /// Expected lines of the reports of its checks.
    pub reports: Vec<String>,
    /// Texts that lines of the reports contain, whatever else there is.
    pub faults: Vec<String>,
    /// Part of the message that the run fails with.
    pub error: Option<String>,
}

/// A parsed kernel file.
#[derive(Clone, Debug, Default)]
pub struct KernelFile {
    /// Build options.
    pub options: String,
    /// Parts of the log of the build, which must fail if there is one.
    pub build_log: Vec<String>,
    /// The pass that gives a meaning to what its kernels do and OpenCL C leaves undefined.
    pub defined_by: Option<String>,
    /// Runs in order.
    pub runs: Vec<Run>,
}

fn sizes(text: &str) -> Result<Vec<u64>, String> {
    text.split_whitespace().map(number).collect()
}

fn buffer(scalar: Scalar, words: &[&str]) -> Result<Arg, String> {
    let (mut bytes, mut addresses) = (Vec::new(), Vec::new());
    for element in elements(scalar, words)? {
        match element {
            Element::Any => return Err("`?` has no contents".to_string()),
            Element::Bytes(contents) => bytes.extend(contents),
            Element::Address { arg, offset } => {
                let at = bytes.len();
                addresses.push(Address { at, arg, offset });
                bytes.extend([0; 8]);
            }
        }
    }
    Ok(Arg::Buffer { bytes, addresses })
}

fn value(name: &str, words: &[&str]) -> Result<Arg, String> {
    let (scalar, lanes) = Scalar::parse_type(name)?;
    let Arg::Buffer { mut bytes, .. } = buffer(scalar, words)? else {
        unreachable!("buffer gives a buffer")
    };
    if bytes.len() != lanes * scalar.bytes() {
        return Err(format!("{name} takes {lanes} numbers"));
    }
    if lanes == 3 {
        bytes.resize(4 * scalar.bytes(), 0);
    }
    Ok(Arg::Value(bytes))
}

fn image(image: Image, words: &[&str]) -> Result<Arg, String> {
    let Arg::Buffer { bytes, .. } = buffer(image.scalar(), words)? else {
        unreachable!("buffer gives a buffer")
    };
    if bytes.len() != image.bytes() {
        let (given, needed) = (bytes.len(), image.bytes());
        return Err(format!("{given} bytes for an image of {needed}"));
    }
    Ok(Arg::Image { image, bytes })
}

/// Bytes of which neighbours, and those of other arguments at the same place, differ.
fn pattern(size: usize, arg: usize) -> Vec<u8> {
    (0..size)
        .map(|i| ((i * 37 + 11 + arg * 5) % 251) as u8)
        .collect()
}

fn argument(text: &str, index: usize) -> Result<Arg, String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    match words[..] {
        ["buffer", "null"] => Ok(Arg::NullBuffer),
        ["buffer", name, ref rest @ ..] => buffer(Scalar::parse_type(name)?.0, rest),
        ["pattern", size] => Ok(Arg::Buffer {
            bytes: pattern(number(size)?, index),
            addresses: Vec::new(),
        }),
        ["alias", arg, offset] => Ok(Arg::Alias {
            arg: number(arg).and_then(|arg: usize| {
                (arg < index)
                    .then_some(arg)
                    .ok_or_else(|| format!("argument {arg} comes later"))
            })?,
            offset: number(offset)?,
        }),
        ["pipe", packet, packets] => Ok(Arg::Pipe {
            packet_size: number(packet)?,
            max_packets: number(packets)?,
        }),
        ["queue"] => Ok(Arg::Queue),
        ["local", size] => number(size).map(Arg::Local),
        ["sampler", ref rest @ ..] => Sampler::parse(rest).map(Arg::Sampler),
        [kind, sizes, order, data_type, ref rest @ ..] if Image::is_kind(kind) => {
            image(Image::parse([kind, sizes, order, data_type])?, rest)
        }
        [name, ref rest @ ..] => value(name, rest),
        [] => Err("an argument needs a type".to_string()),
    }
}

/// Returns whether a line contains a text, in which `?` stands for any number.
fn contains(line: &str, text: &str) -> bool {
    let mut pieces = text.split('?');
    let first = pieces.next().unwrap_or_default();
    let pieces: Vec<&str> = pieces.collect();
    line.match_indices(first).any(|(at, _)| {
        let mut rest = &line[at + first.len()..];
        pieces.iter().all(|piece| {
            let number = rest.trim_start_matches(|c: char| c.is_ascii_digit());
            let fits = number.len() < rest.len() && number.starts_with(piece);
            rest = number.get(piece.len()..).unwrap_or_default();
            fits
        })
    })
}

impl KernelFile {
    /// Reads the directives of a file.
    ///
    /// # Errors
    /// The line and the reason why a directive cannot be read, or sizes that do not fit together.
    pub fn parse(text: &str) -> Result<KernelFile, String> {
        let mut file = KernelFile::default();
        for directive in directives(text) {
            file.take(directive)
                .map_err(|why| format!("line {}: {why}", directive.line))?;
        }
        for run in &file.runs {
            let dims = run.global.len();
            let fits = |list: &Option<Vec<u64>>| list.as_ref().is_none_or(|l| l.len() == dims);
            if dims == 0 || dims > 3 || !fits(&run.local) || !fits(&run.offset) {
                return Err(format!("kernel {}: sizes do not fit together", run.kernel));
            }
        }
        Ok(file)
    }

    /// The same for a file that must be able to fail: it expects a failed build or, of each run,
    /// something.
    ///
    /// # Errors
    /// As [`Self::parse`], and a run that expects nothing.
    pub fn parse_test(text: &str) -> Result<KernelFile, String> {
        let file = Self::parse(text)?;
        if file.runs.is_empty() && file.build_log.is_empty() {
            return Err("says neither `kernel:` nor `build-log:`".to_string());
        }
        for run in &file.runs {
            let nothing = run.expects.is_empty() && run.printf.is_empty() && !run.has_faults();
            if nothing && run.error.is_none() {
                return Err(format!(
                    "kernel {}: expects nothing, so it cannot fail",
                    run.kernel
                ));
            }
        }
        Ok(file)
    }

    fn take(&mut self, Directive { line, key, value }: Directive<'_>) -> Result<(), String> {
        match key {
            "options" => self.options = value.to_string(),
            "build-log" => self.build_log.push(value.to_string()),
            "defined-by" => self.defined_by = Some(value.to_string()),
            "kernel" => self.runs.push(Run {
                kernel: value.to_string(),
                ..Run::default()
            }),
            "global" => self.last_run()?.global = sizes(value)?,
            "local" => self.last_run()?.local = Some(sizes(value)?),
            "offset" => self.last_run()?.offset = Some(sizes(value)?),
            "unwritten" => self.last_run()?.unwritten = sizes(value)?,
            "arg" => {
                let run = self.last_run()?;
                let arg = argument(value, run.args.len())?;
                run.args.push(arg);
            }
            "expect printf" => self.last_run()?.printf.push(value.to_string()),
            "expect report" => self.last_run()?.reports.push(value.to_string()),
            "expect fault" => self.last_run()?.faults.push(value.to_string()),
            "expect error" => self.last_run()?.error = Some(value.to_string()),
            _ => {
                if let Some(arg) = key.strip_prefix("expect ") {
                    let expect = expectation(line, arg, value)?;
                    self.last_run()?.expects.push(expect);
                }
            }
        }
        Ok(())
    }

    /// The run that a directive belongs to.
    fn last_run(&mut self) -> Result<&mut Run, String> {
        self.runs
            .last_mut()
            .ok_or_else(|| "comes before `kernel:`".to_string())
    }
}

impl Run {
    /// Returns whether the run's checks have to report anything.
    pub fn has_faults(&self) -> bool {
        !self.reports.is_empty() || !self.faults.is_empty()
    }

    /// Compares the reports of a run's checks, line by line, with what the run expects. Which of two accesses comes
    /// first is not the same everywhere: a run that expects faults tells only texts of their reports.
    ///
    /// # Errors
    /// The lines there are, where they differ.
    pub fn check_reports(&self, reports: &[String]) -> Result<(), String> {
        let lines = reports.iter().flat_map(|report| report.lines());
        let lines: Vec<String> = lines.map(|line| without_addresses(line.trim())).collect();
        let has = |fault: &String| lines.iter().any(|line| contains(line, fault));
        let is_right = match self.faults.is_empty() {
            true => lines == self.reports,
            false => self.faults.iter().all(has),
        };
        match is_right {
            true => Ok(()),
            false => Err(format!("reports:\n{}", lines.join("\n"))),
        }
    }

    /// Compares buffers with what the run expects. `read` gives the contents of an argument's
    /// buffer, from the place on where the argument starts.
    ///
    /// # Errors
    /// The elements that differ, by line, or a buffer that cannot be read.
    pub fn check(
        &self,
        mut read: impl FnMut(usize) -> Result<Vec<u8>, String>,
    ) -> Result<(), String> {
        for expect in &self.expects {
            read(expect.arg)
                .and_then(|got| expect.check(&got))
                .map_err(|why| format!("line {}: {why}", expect.line))?;
        }
        Ok(())
    }
}

/// A line with `0x*` in the place of each address.
fn without_addresses(line: &str) -> String {
    let mut parts = line.split("0x");
    let mut text = parts.next().unwrap_or_default().to_string();
    for part in parts {
        text += "0x*";
        text += part.trim_start_matches(|c: char| c.is_ascii_hexdigit());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{Address, Arg, KernelFile, contains};
    use crate::{Image, Sampler};

    #[test]
    fn a_file_that_cannot_fail_is_refused() {
        let text = "// kernel: k\n// global: 4\n// arg: buffer int 0..3\n";
        let error = KernelFile::parse_test(text).unwrap_err();
        assert!(error.contains("cannot fail"), "{error}");
        assert!(KernelFile::parse_test("__kernel void k() {}").is_err());
        assert!(KernelFile::parse("// global: 4\n").is_err());
        assert!(KernelFile::parse("// kernel: k\n// global: 4\n// local: 2 2\n").is_err());
    }

    #[test]
    fn contents_expand() {
        let text = "; kernel: k\n; global: 4\n; arg: buffer uchar 2*7 1..3 0xff\n\
                    ; arg: buffer ulong 1 @0+3\n; arg: half3 1 2 0x0001\n; arg: alias 0 2\n\
                    ; expect 0: uchar 7 ?\n";
        let file = KernelFile::parse_test(text).unwrap();
        let bytes = |bytes: &[u8]| Arg::Buffer {
            bytes: bytes.to_vec(),
            addresses: Vec::new(),
        };
        assert_eq!(file.runs[0].args[0], bytes(&[7, 7, 1, 2, 3, 255]));
        let Arg::Buffer { addresses, .. } = &file.runs[0].args[1] else {
            panic!("no buffer")
        };
        let address = Address {
            at: 8,
            arg: 0,
            offset: 3,
        };
        assert_eq!(addresses, &[address]);
        let half3 = Arg::Value(vec![0, 0x3c, 0, 0x40, 1, 0, 0, 0]);
        assert_eq!(file.runs[0].args[2], half3);
        assert_eq!(file.runs[0].args[3], Arg::Alias { arg: 0, offset: 2 });
    }

    #[test]
    fn images_and_samplers_are_arguments() {
        let text = "// kernel: k\n// global: 1\n// arg: image2d 2x1 RG UNORM_INT8 0..3\n\
                    // arg: sampler CLAMP NEAREST\n// expect 0: uchar 0..3\n";
        let file = KernelFile::parse_test(text).unwrap();
        let image = Image::parse(["image2d", "2x1", "RG", "UNORM_INT8"]).unwrap();
        let bytes = vec![0, 1, 2, 3];
        assert_eq!(file.runs[0].args[0], Arg::Image { image, bytes });
        let sampler = Sampler::parse(&["CLAMP", "NEAREST"]).unwrap();
        assert_eq!(file.runs[0].args[1], Arg::Sampler(sampler));
        let error = KernelFile::parse(&text.replace("0..3\n//", "0..2\n//")).unwrap_err();
        assert!(error.contains("3 bytes for an image of 4"), "{error}");
    }

    #[test]
    fn faults_are_found_anywhere() {
        assert!(contains("note: by work-item 12 of", "by work-item ? of"));
        assert!(contains("a 1 a 2 b", "a ? b"));
        assert!(!contains("by work-item of", "by work-item ? of"));
        assert!(!contains("read of 4 bytes", "write"));
        let text = "// kernel: k\n// global: 1\n// expect fault: race\n// expect fault: of 'x'\n";
        let file = KernelFile::parse(text).unwrap();
        let report = |text: &str| file.runs[0].check_reports(&[text.to_string()]);
        assert!(report("data race\nnote: of 'x'").is_ok());
        assert!(report("data race\nnote: of 'y'").is_err());
        assert!(file.runs[0].check_reports(&[]).is_err());
    }

    #[test]
    fn reports_are_compared_by_line() {
        let text = "// kernel: k\n// global: 1\n// expect report: a: error: at 0x*, b\n\
                    // expect report: *p = 1;\n";
        let file = KernelFile::parse_test(text).unwrap();
        let report = |text: &str| file.runs[0].check_reports(&[text.to_string()]);
        assert_eq!(report("a: error: at 0x12aB, b\n  *p = 1;"), Ok(()));
        assert!(report("a: error: at 0x12aB, c\n  *p = 1;").is_err());
        assert!(report("a: error: at 0x12aB, b").is_err());
    }
}
