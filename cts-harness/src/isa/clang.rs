//! The machine code that AMD's own OpenCL compiler, clang with ROCm's device libraries, makes of the kernels.

use super::list::{GROUPS, Group};
use super::summary::Statistics;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{Read as _, Write as _};
use std::process::{Command, Stdio};

/// A GPU of AMD's.
struct Chip {
    /// The card's name in summaries.
    card: &'static str,
    /// clang's name.
    name: &'static str,
    /// Vector registers are given to a wave of 64 by so many.
    granule: u32,
    /// Waves are of 32 unless clang is told.
    asks_for_64: bool,
}

const fn chip(card: &'static str, name: &'static str, granule: u32, asks_for_64: bool) -> Chip {
    Chip {
        card,
        name,
        granule,
        asks_for_64,
    }
}

/// The one list of them.
const CHIPS: &[Chip] = &[
    chip("navi31", "gfx1100", 12, true),
    chip("gfx1201", "gfx1201", 12, true),
    chip("navi21", "gfx1030", 8, true),
    chip("vega10", "gfx900", 4, false),
    chip("polaris10", "gfx803", 4, false),
];

/// The kernels as clang compiles them for a card.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Compiled {
    /// clang's version and the chip.
    pub compiler: String,
    /// By group and kernel.
    pub kernels: BTreeMap<(String, String), Statistics>,
}

impl Compiled {
    /// The text that is committed: the compiler, then a line `GROUP KERNEL STATISTIC=NUMBER ...` for each
    /// kernel, separated by tabs.
    pub fn text(&self) -> String {
        let mut text = format!("{}\n", self.compiler);
        for ((group, kernel), statistics) in &self.kernels {
            let _ = write!(text, "{group}\t{kernel}");
            for (name, value) in statistics.all() {
                let _ = write!(text, "\t{name}={value}");
            }
            text.push('\n');
        }
        text
    }

    /// Reads such a text.
    ///
    /// # Errors
    /// The line that is none.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut lines = text.lines();
        let compiler = lines.next().unwrap_or("").to_string();
        let kernel = |line: &str| {
            let mut fields = line.split('\t');
            let key = (fields.next()?.to_string(), fields.next()?.to_string());
            let named = fields.map(|field| {
                let (name, value) = field.split_once('=')?;
                Some((name, value.parse().ok()?))
            });
            Some((key, Statistics::named(&named.collect::<Option<Vec<_>>>()?)?))
        };
        let read = |line| kernel(line).ok_or_else(|| format!("clang's line {line:?}"));
        let kernels = lines.map(read).collect::<Result<_, _>>()?;
        Ok(Self { compiler, kernels })
    }
}

/// Compiles all kernels for a card; `None` for a card that is not AMD's. `clang` is the command.
///
/// # Errors
/// clang does not start or refuses a kernel.
pub fn compile(card: &str, clang: &[&str]) -> Result<Option<Compiled>, String> {
    let Some(chip) = CHIPS.iter().find(|chip| chip.card == card) else {
        return Ok(None);
    };
    let version = run(clang, &["--version"], "")?;
    let version = version.lines().next().unwrap_or("");
    let mut compiled = Compiled {
        compiler: format!("{version}, {}", chip.name),
        ..Compiled::default()
    };
    for group in GROUPS {
        let text = assembly(chip, clang, group)?;
        for (kernel, _) in group.kernels {
            let found = statistics(&text, kernel, chip.granule);
            let found = found.ok_or_else(|| format!("{kernel}: not in clang's assembly"))?;
            let key = (group.name.to_string(), (*kernel).to_string());
            compiled.kernels.insert(key, found);
        }
    }
    Ok(Some(compiled))
}

fn assembly(chip: &Chip, clang: &[&str], group: &Group) -> Result<String, String> {
    let cpu = format!("-mcpu={}", chip.name);
    let mut words = vec!["-target", "amdgcn-amd-amdhsa", &cpu, "-O3", "-w"];
    words.extend(group.options.split(' '));
    if chip.asks_for_64 {
        words.push("-mwavefrontsize64");
    }
    words.extend(["-x", "cl", "-S", "-o", "-", "-"]);
    run(clang, &words, group.source)
}

/// Gives what a command writes to its standard output, given its input.
fn run(command: &[&str], words: &[&str], input: &str) -> Result<String, String> {
    let [program, first @ ..] = command else {
        return Err("no command for clang".to_string());
    };
    let failed = |error: std::io::Error| format!("{program}: {error}");
    let mut child = Command::new(program)
        .args(first)
        .args(words)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(failed)?;
    // It reads everything before it writes.
    if let Some(mut pipe) = child.stdin.take() {
        pipe.write_all(input.as_bytes()).map_err(failed)?;
    }
    let mut text = String::new();
    if let Some(mut pipe) = child.stdout.take() {
        pipe.read_to_string(&mut text).map_err(failed)?;
    }
    match child.wait().map_err(failed)? {
        status if status.success() => Ok(text),
        status => Err(format!("{program} {}: {status}", words.join(" "))),
    }
}

/// Counts a kernel's instructions, each once. Branches backwards are counted as loops.
fn statistics(text: &str, kernel: &str, granule: u32) -> Option<Statistics> {
    let (start, end) = (format!("\n{kernel}:"), "\n.Lfunc_end");
    let body = text.split_once(&start)?.1.split_once(end)?.0;
    let mut counts: BTreeMap<&str, u32> = BTreeMap::new();
    let mut labels = Vec::new();
    for line in body.lines() {
        let line = line.split(';').next().unwrap_or("");
        if let Some(label) = line.strip_suffix(':').or(line.trim_end().strip_suffix(':')) {
            labels.push(label);
            continue;
        }
        let mut words = line.split_whitespace();
        let Some(instruction) = words.next().filter(|word| !word.starts_with('.')) else {
            continue;
        };
        *counts.entry("instructions").or_default() += 1;
        if let Some(unit) = unit(instruction) {
            *counts.entry(unit).or_default() += 1;
        }
        let branches = instruction.starts_with("s_branch") || instruction.starts_with("s_cbranch");
        if branches && words.next().is_some_and(|label| labels.contains(&label)) {
            *counts.entry("loops").or_default() += 1;
        }
    }
    let about = text.split_once(&format!(".amdhsa_kernel {kernel}\n"))?.1;
    let field = |name: &str| -> Option<u32> {
        let line = about.lines().find(|line| line.trim().starts_with(name))?;
        line.split_whitespace().nth(1)?.parse().ok()
    };
    let registers = field(".amdhsa_next_free_vgpr")?.max(1);
    counts.insert("registers", registers.next_multiple_of(granule));
    counts.insert("scratch", field(".amdhsa_private_segment_fixed_size")?);
    let named: Vec<(&str, f64)> = (counts.into_iter())
        .map(|(name, count)| (name, f64::from(count)))
        .collect();
    Statistics::named(&named)
}

/// The unit that executes an instruction, by the name of its statistic; `None` for local memory's, of which
/// drivers do not tell.
fn unit(instruction: &str) -> Option<&'static str> {
    let is = |prefixes: &[&str]| {
        prefixes
            .iter()
            .any(|prefix| instruction.starts_with(prefix))
    };
    if is(&["v_"]) {
        Some("VALU")
    } else if is(&["s_load", "s_buffer"]) {
        Some("SMEM")
    } else if is(&["s_"]) {
        Some("SALU")
    } else if is(&["global_", "flat_", "buffer_", "scratch_", "image_"]) {
        Some("VMEM")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::{Compiled, statistics};

    const TEXT: &str = "
twice:                                  ; @twice
; %bb.0:
\ts_load_b64 s[0:1], s[0:1], 0x0
.LBB0_1:                                ; =>This Inner Loop Header: Depth=1
\tv_add_nc_u32_e32 v0, 1, v0            ; a comment
\tv_cmp_gt_u32_e32 vcc, 9, v0
\ts_cbranch_vccnz .LBB0_1
\tglobal_store_b32 v0, v1, s[0:1]
\ts_endpgm
\t.section\t.rodata
\t.amdhsa_kernel twice
\t\t.amdhsa_private_segment_fixed_size 16
\t\t.amdhsa_next_free_vgpr 5
\t.end_amdhsa_kernel
.Lfunc_end0:
";

    #[test]
    fn instructions_are_counted_by_unit() {
        let found = statistics(TEXT, "twice", 4).expect("the kernel");
        let expected = [
            ("instructions", 6.0),
            ("VALU", 2.0),
            ("SALU", 2.0),
            ("VMEM", 1.0),
            ("SMEM", 1.0),
            ("loops", 1.0),
            ("registers", 8.0),
            ("scratch", 16.0),
        ];
        for (name, count) in expected {
            assert_eq!(found.get(name), Some(count), "{name}");
        }
        assert_eq!(statistics(TEXT, "thrice", 4), None);
    }

    #[test]
    fn a_text_is_read_back() {
        let mut compiled = Compiled {
            compiler: "clang".to_string(),
            ..Compiled::default()
        };
        let found = statistics(TEXT, "twice", 4).expect("the kernel");
        let key = ("memory".to_string(), "twice".to_string());
        compiled.kernels.insert(key, found);
        assert_eq!(Compiled::parse(&compiled.text()), Ok(compiled));
        assert!(Compiled::parse("clang\nmemory\ttwice\tshoes=1").is_err());
    }
}
