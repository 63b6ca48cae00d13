//! `-Rpass`: remarks on what lowering does to a program, in the form of clang's.
//!
//! They are drawn from the IR between passes; the passes know nothing of them.

use std::collections::{BTreeMap, BTreeSet};

use pumice_compiler::abi::Abi;
use pumice_compiler::backend::pass::Ctx;
use pumice_compiler::backend::pipeline::run_pipeline;
use pumice_compiler::target::flags::DescriptorFlags;
use pumice_compiler::{KernelModule, LowerOptions, Target, backend};
use pumice_ir::analysis::reachable_functions;
use pumice_ir::{Function, InstKind, LowerError, Module, SourceLoc, StackSlot};

use super::command_line::unknown;

/// Values of `-Rpass` with their meanings.
pub const REMARKS: &[(&str, &str)] = &[
    ("inline", "calls that stay calls"),
    ("private", "private variables in memory"),
    ("addresses", "why device addresses are needed"),
    ("all", "all of these"),
];

/// The subjects of a value of `-Rpass`.
pub fn subjects(value: &str) -> Result<BTreeSet<&'static str>, String> {
    let all = REMARKS.iter().map(|(name, _)| *name);
    let chosen: BTreeSet<_> = match value {
        // Clang takes a regular expression; this one is usual.
        "all" | ".*" => all.filter(|name| *name != "all").collect(),
        _ => all.filter(|name| *name == value).collect(),
    };
    match chosen.is_empty() {
        true => Err(unknown("subject of -Rpass", value, REMARKS)),
        false => Ok(chosen),
    }
}

/// The remarks on a linked program, one a line.
pub fn remarks(
    linked: &KernelModule,
    target: &Target,
    options: &LowerOptions,
    subjects: &BTreeSet<&'static str>,
) -> String {
    let mut remarks = Remarks::default();
    let done = backend::to_ir(&linked.words, target, options).and_then(|mut ir| {
        remarks.note_own(&ir);
        let mut observer = |step: &'static str, module: Result<&Module, &LowerError>| {
            let Ok(module) = module else { return };
            match step {
                "dce_functions" if subjects.contains("inline") => remarks.calls(module),
                "spill_private" if subjects.contains("private") => remarks.spilled(module),
                _ => {}
            }
        };
        run_pipeline(&mut ir, &Ctx { target, options }, &mut observer)?;
        if subjects.contains("private") {
            remarks.in_memory(&ir);
        }
        Ok(())
    });
    if let Err(error) = done {
        return format!("remark: no remarks: {error}\n");
    }
    if subjects.contains("addresses") && target.abi.descriptors().is_none() {
        remarks.addresses(linked, target, options);
    }
    remarks.text
}

#[derive(Default)]
struct Remarks {
    text: String,
    /// The functions that the program has; others are the built-in library's.
    own: BTreeSet<String>,
}

impl Remarks {
    fn note_own(&mut self, module: &Module) {
        let defined = module.functions.values().filter(|func| is_defined(func));
        self.own.extend(defined.map(|func| func.name.clone()));
    }

    fn add(&mut self, place: &str, text: &str, subject: &str) {
        self.text += &format!("{place}remark: {text} [-Rpass={subject}]\n");
    }

    /// Calls that are left behind inlining, those of one function in another as one.
    fn calls(&mut self, module: &Module) {
        let Ok(functions) = reachable_functions(module) else {
            return;
        };
        let mut all = BTreeMap::new();
        let mut places = Vec::new();
        for &caller in &functions {
            let mut first: BTreeMap<_, (usize, SourceLoc)> = BTreeMap::new();
            for (kind, loc) in instructions(&module.functions[caller]) {
                if let InstKind::Call { func, .. } = kind {
                    *all.entry(*func).or_insert(0_usize) += 1;
                    first.entry(*func).or_insert((0, loc)).0 += 1;
                }
            }
            places.extend(
                first
                    .into_iter()
                    .map(|(callee, found)| (caller, callee, found)),
            );
        }
        for (caller, callee, (count, loc)) in places {
            let (function, calls) = (&module.functions[callee], all[&callee]);
            let reason = match function.no_inline {
                true => "it is declared noinline".to_string(),
                false => format!(
                    "it has {} and is called {}",
                    plural(instructions(function).count(), "instruction"),
                    match calls {
                        1 => "once".to_string(),
                        _ => format!("{calls} times"),
                    }
                ),
            };
            let name = match self.own.contains(&function.name) {
                true => format!("'{}'", function.name),
                false => format!("the library's function '{}'", function.name),
            };
            let (times, are) = match count {
                1 => ("a call".to_string(), "is"),
                _ => (format!("{count} calls"), "are"),
            };
            let text = format!(
                "{times} of {name} in {} {are} not inlined: {reason}",
                place_of(module, caller)
            );
            self.add(&position(module, loc), &text, "inline");
        }
    }

    /// Kernels whose large variables have moved to a buffer, and those where they could not.
    fn spilled(&mut self, module: &Module) {
        for kernel in &module.kernels {
            if kernel.private_bytes > 0 {
                let text = format!(
                    "kernel '{}' keeps {} bytes of each work-item's private variables in a buffer: they have more \
                     than 4096 bytes, or share a pointer with one that has",
                    kernel.name, kernel.private_bytes
                );
                self.add("", &text, "private");
            }
        }
    }

    /// Private variables that are still variables at the end.
    fn in_memory(&mut self, module: &Module) {
        let Ok(functions) = reachable_functions(module) else {
            return;
        };
        for id in functions {
            let func = &module.functions[id];
            if !self.own.contains(&func.name) {
                continue;
            }
            let (slots, loc) = used_slots(func);
            if slots.is_empty() {
                continue;
            }
            let sizes = slots.iter().map(|&slot| u64::from(func.slots[slot].size));
            let bytes: u64 = sizes.sum();
            let text = format!(
                "{} of {bytes} bytes in {} {} in memory: an index is not constant, or the address is kept",
                plural(slots.len(), "private variable"),
                place_of(module, id),
                if slots.len() == 1 { "stays" } else { "stay" },
            );
            self.add(&position(module, loc), &text, "private");
        }
    }

    /// The reason why the program cannot do without device addresses, if it cannot.
    fn addresses(&mut self, linked: &KernelModule, target: &Target, options: &LowerOptions) {
        let Ok(form) = DescriptorFlags::default().resolve(true) else {
            return;
        };
        let target = Target {
            abi: Abi::Descriptors(form),
            ..target.clone()
        };
        let outcome = pumice_compiler::lower(linked, &target, options);
        if outcome.output.is_none() {
            let log = outcome.log.trim_end();
            let reason = log.strip_prefix("error: ").unwrap_or(log);
            let text = format!("device addresses are needed: {reason}");
            self.add("", &text, "addresses");
        }
    }
}

fn is_defined(func: &Function) -> bool {
    !func.layout.blocks.is_empty()
}

/// The live instructions with their positions.
fn instructions(func: &Function) -> impl Iterator<Item = (&InstKind, SourceLoc)> {
    let blocks = func.layout.blocks.iter();
    let insts = blocks.flat_map(|&block| &func.layout.insts[block]);
    insts.map(|&inst| (&func.insts[inst].kind, func.insts[inst].loc))
}

/// The private variables that a function uses, and the first known position of a use.
fn used_slots(func: &Function) -> (BTreeSet<StackSlot>, SourceLoc) {
    let mut slots = BTreeSet::new();
    let mut addresses = BTreeSet::new();
    let mut first = SourceLoc::default();
    for block in func.layout.blocks.iter() {
        for &inst in &func.layout.insts[*block] {
            let data = &func.insts[inst];
            if let InstKind::StackAddr { slot, .. } = data.kind {
                slots.insert(slot);
                addresses.extend(data.results.iter().copied());
            }
            let mut uses = false;
            data.kind
                .for_each_value(|value| uses |= addresses.contains(&value));
            if uses && first.line == 0 {
                first = data.loc;
            }
        }
    }
    (slots, first)
}

/// A function, as the kernel that it is.
fn place_of(module: &Module, id: pumice_ir::FuncId) -> String {
    let kernel = module.kernels.iter().find(|kernel| kernel.func == id);
    match kernel {
        Some(kernel) => format!("kernel '{}'", kernel.name),
        None => format!("function '{}'", module.functions[id].name),
    }
}

/// `FILE:LINE:COLUMN: `; empty where the module does not tell (-g writes positions).
fn position(module: &Module, loc: SourceLoc) -> String {
    let file = (loc.file as usize)
        .checked_sub(1)
        .and_then(|file| module.files.get(file));
    match file {
        Some(file) if loc.line > 0 => format!("{}:{}:{}: ", file.name, loc.line, loc.column),
        _ => String::new(),
    }
}

fn plural(count: usize, what: &str) -> String {
    match count {
        1 => format!("1 {what}"),
        _ => format!("{count} {what}s"),
    }
}
