//! Random OpenCL C programs without undefined behaviour, as kernel files.
//!
//! [`program`] makes a file from a seed, [`enqueueing_program`] one of kernels that enqueue kernels, [`grid_program`] one
//! that works on a grid;
//! [`expectations`] runs a kernel file in the interpreter,
//! before and after the passes, and says what every driver must compute. Any file can be edited
//! and given new expectations, which is how a failure is made small.
//!
//! Programs are free of undefined behaviour by construction: signed arithmetic happens in unsigned types
//! (or in wider ones), divisors are guarded, indices are masked, loops are counted, every
//! variable is initialised, expressions have no side effects, work-items write to memory that is
//! theirs between barriers, and barriers stand in uniform control flow. Floats only meet
//! operations that are exact or correctly rounded.

mod collectives;
mod doubles;
mod enqueues;
mod expr;
mod grids;
mod images;
mod library;
mod memory;
mod oracle;
mod program_scope;
mod stmt;
mod types;

use std::collections::BTreeSet;
use std::fmt::Write;

pub use enqueues::enqueueing_program;
pub use grids::grid_program;
pub use oracle::{check_low_devices, expectations, target_of};

use types::{INTEGERS, Random, Scalar, Space, Ty};

/// Something that can be read, perhaps written: `@` stands for an index below the next length,
/// a power of two.
#[derive(Clone, Debug)]
pub(crate) struct Lvalue {
    text: String,
    lens: Vec<u32>,
    ty: Ty,
    writable: bool,
}

/// An array that pointers may point into.
#[derive(Clone, Debug)]
pub(crate) struct Array {
    /// An expression that decays to a pointer to the first element.
    text: String,
    ty: Ty,
    len: u32,
    space: Space,
    writable: bool,
    /// Number of lvalues when it was declared; it outlives lvalues from there on.
    born: usize,
}

/// A parameter of a function.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Param {
    Value(Ty),
    /// A pointer to `len` elements in a space, `None` for generic.
    Pointer(Option<Space>, Ty, u32, bool),
    /// Struct number so, by value.
    Record(usize),
}

/// A function that kernels and later functions call.
#[derive(Clone, Debug)]
pub(crate) struct Function {
    name: String,
    params: Vec<Param>,
    result: Ty,
    /// Returns this struct instead.
    record: Option<usize>,
}

/// A struct: its leaves as lvalues see them, without the variable's name.
#[derive(Clone, Debug)]
pub(crate) struct Record {
    name: String,
    leaves: Vec<(String, Vec<u32>, Ty)>,
}

/// Statements allowed in one place.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Flow {
    /// All work-items of a group come here together.
    uniform: bool,
    breakable: bool,
    continuable: bool,
    /// In a function: what it returns.
    result: Option<Ty>,
    /// Blocks around.
    depth: u32,
}

/// The state of a generator.
pub(crate) struct Gen {
    random: Random,
    features: u32,
    lvalues: Vec<Lvalue>,
    arrays: Vec<Array>,
    functions: Vec<Function>,
    images: Vec<images::Image>,
    samplers: Vec<images::Sampler>,
    records: Vec<Record>,
    helpers: BTreeSet<String>,
    /// Text at program scope.
    top: String,
    /// Text of the function being written.
    body: String,
    /// `__local` declarations of the kernel.
    locals: String,
    indent: usize,
    names: u32,
    budget: i32,
    group: u32,
}

impl Gen {
    pub(crate) const FLOATS: u32 = 1;
    pub(crate) const DOUBLES: u32 = 1 << 1;
    pub(crate) const VECTORS: u32 = 1 << 2;
    pub(crate) const RECORDS: u32 = 1 << 3;
    pub(crate) const POINTERS: u32 = 1 << 4;
    pub(crate) const ARRAYS: u32 = 1 << 5;
    pub(crate) const LOOPS: u32 = 1 << 6;
    pub(crate) const GOTOS: u32 = 1 << 7;
    pub(crate) const SWITCHES: u32 = 1 << 8;
    pub(crate) const CALLS: u32 = 1 << 9;
    pub(crate) const LOCALS: u32 = 1 << 10;
    pub(crate) const GENERICS: u32 = 1 << 11;
    pub(crate) const HALVES: u32 = 1 << 12;
    /// Functions of work-groups and sub-groups, in OpenCL C 2.0 and later.
    pub(crate) const COLLECTIVES: u32 = 1 << 13;
    pub(crate) const IMAGES: u32 = 1 << 14;
    /// Images that are read and written, in OpenCL C 2.0 and later.
    pub(crate) const IMAGES_FOR_BOTH: u32 = 1 << 15;
    /// Variables at program scope, in OpenCL C 2.0 and later.
    pub(crate) const PROGRAM_SCOPE: u32 = 1 << 16;

    pub(crate) fn has(&self, feature: u32) -> bool {
        self.features & feature != 0
    }

    pub(crate) fn fresh(&mut self, stem: &str) -> String {
        self.names += 1;
        format!("{stem}{}", self.names)
    }

    pub(crate) fn line(&mut self, text: &str) {
        let _ = writeln!(self.body, "{}{text}", "    ".repeat(self.indent));
    }

    /// A function written once, before everything that calls it.
    pub(crate) fn helper(&mut self, name: &str, text: String) {
        if self.helpers.insert(name.to_string()) {
            self.top.push_str(&text);
        }
    }

    /// Declares a variable with a value, which may be written.
    pub(crate) fn declared(&mut self, ty: Ty, value: &str) -> String {
        let name = self.fresh("v");
        self.line(&format!("{} {name} = {value};", ty.name()));
        self.add_lvalue(name.clone(), Vec::new(), ty, true);
        name
    }

    pub(crate) fn add_lvalue(
        &mut self,
        text: impl Into<String>,
        lens: Vec<u32>,
        ty: Ty,
        writable: bool,
    ) {
        self.lvalues.push(Lvalue {
            text: text.into(),
            lens,
            ty,
            writable,
        });
    }
}

/// Buffer contents as a directive.
fn contents(random: &mut Random, ty: Scalar, count: u32) -> String {
    let mut text = String::new();
    for _ in 0..count {
        let _ = match ty {
            Scalar::Half | Scalar::Float | Scalar::Double => {
                write!(
                    text,
                    " {}",
                    f64::from(random.below(2000) as i32 - 1000) / 8.0
                )
            }
            _ => {
                let bits = match random.below(3) {
                    0 => u64::from(random.below(100)),
                    _ => random.next() >> (64 - ty.bits()),
                };
                write!(text, " {bits:#x}")
            }
        };
    }
    text
}

/// The kernel file of a seed, without expectations.
pub fn program(seed: u64) -> String {
    let mut random = Random(seed);
    // Each program has its own mix, so that rare pairs of features meet.
    let mut features = random.next() as u32 | random.next() as u32;
    if features & Gen::FLOATS == 0 {
        features &= !(Gen::DOUBLES | Gen::HALVES);
    }
    let group = *random.pick(&[1, 2, 4, 8, 8, 16]);
    let groups = *random.pick(&[1, 2, 2, 3]);
    let generic = features & Gen::GENERICS != 0 && random.chance(30);
    if !generic {
        features &= !Gen::GENERICS;
    }
    let std = match generic {
        true => "CL2.0",
        false => *random.pick(&["CL1.2", "CL3.0"]),
    };
    if std != "CL3.0" {
        // OpenCL C 2.0 has those of sub-groups by an extension only.
        features &= !Gen::COLLECTIVES;
    }
    if std == "CL1.2" {
        features &= !(Gen::IMAGES_FOR_BOTH | Gen::PROGRAM_SCOPE);
    }
    let mut g = Gen {
        random,
        features,
        lvalues: Vec::new(),
        arrays: Vec::new(),
        functions: Vec::new(),
        images: Vec::new(),
        samplers: Vec::new(),
        records: Vec::new(),
        helpers: BTreeSet::new(),
        top: String::new(),
        body: String::new(),
        locals: String::new(),
        indent: 1,
        names: 0,
        budget: 0,
        group,
    };
    g.records_and_tables();
    g.program_variables();
    if g.has(Gen::CALLS) {
        for _ in 0..1 + g.random.below(3) {
            g.function();
        }
    }
    let file = kernel(&mut g, group * groups);
    format!("// seed {seed}\n// options: -cl-std={std}\n{file}")
}

/// The kernel with its directives, and everything before it.
fn kernel(g: &mut Gen, global: u32) -> String {
    let input = *g.random.pick(&INTEGERS);
    let mut scratch = g.any_type();
    if scratch.lanes == 3 {
        // The fourth lane's place after a store is not specified.
        scratch.lanes = 4;
    }
    let (scalar, vector) = (g.any_integer(), g.any_type());
    let local = g.any_type();
    g.add_lvalue("in[@]", vec![32], Ty::scalar(input), false);
    g.add_lvalue("x", Vec::new(), scalar, true);
    g.add_lvalue("y", Vec::new(), vector, true);
    g.add_lvalue("gid", Vec::new(), Ty::scalar(Scalar::Uint), false);
    g.add_lvalue("lid", Vec::new(), Ty::scalar(Scalar::Uint), false);
    g.array_lvalue("mine", scratch, 4, Space::Global, true);
    if g.has(Gen::FLOATS) {
        g.add_lvalue("fin[@]", vec![16], Ty::scalar(Scalar::Float), false);
    }
    if g.has(Gen::LOCALS) {
        g.array_lvalue("(la + lid * 2)", local, 2, Space::Local, true);
    }
    g.choose_images(global);
    g.shared_out_variable();
    let first = g.lvalues.len();
    g.budget = 14 + g.random.below(20) as i32;
    let top = Flow {
        uniform: true,
        ..Flow::default()
    };
    while g.budget > 0 {
        g.statement(top);
    }
    let words = g.results(first);
    g.without_nans("mine", scratch, 4);
    let mut file = String::from("// kernel: k\n");
    let group = g.group;
    let _ = write!(file, "// global: {global}\n// local: {group}\n");
    let _ = writeln!(file, "// arg: buffer ulong {}*0", global * words);
    let data = contents(&mut g.random, input, 32);
    let _ = writeln!(file, "// arg: buffer {}{data}", input.name());
    let data = contents(&mut g.random, Scalar::Float, 16);
    let _ = writeln!(file, "// arg: buffer float{data}");
    let lanes = if scratch.lanes == 3 { 4 } else { scratch.lanes };
    let data = contents(&mut g.random, scratch.scalar, 4 * global * lanes);
    let _ = writeln!(file, "// arg: buffer {}{data}", scratch.scalar.name());
    let data = contents(&mut g.random, scalar.scalar, 1);
    let _ = writeln!(file, "// arg: {}{data}", scalar.name());
    let data = contents(&mut g.random, vector.scalar, vector.lanes);
    let _ = writeln!(file, "// arg: {}{data}", vector.name());
    let lanes = if local.lanes == 3 { 4 } else { local.lanes };
    let _ = writeln!(
        file,
        "// arg: local {}",
        group * 2 * lanes * local.scalar.bytes()
    );
    file += &g.image_directives();
    let images = g.image_parameters();
    let halves = match g.has(Gen::HALVES) {
        true => "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n",
        false => "",
    };
    let zero = if g.has(Gen::LOCALS) {
        format!(
            "    la[lid * 2] = la[lid * 2 + 1] = ({})(0);\n",
            local.name()
        )
    } else {
        String::new()
    };
    let _ = write!(
        file,
        "#pragma OPENCL FP_CONTRACT OFF\n#pragma OPENCL EXTENSION __cl_clang_bitfields : enable\n\
         {halves}{}__kernel void k(__global ulong *out, \
         __global const {} *in, __global const float *fin,\n              __global {} *scratch, \
         {} x, {} y, __local {} *la{images}) {{\n    uint gid = get_global_id(0), lid = \
         get_local_id(0);\n    __global {} *mine = scratch + gid * 4;\n{}{zero}{}}}\n",
        g.top,
        input.name(),
        scratch.name(),
        scalar.name(),
        vector.name(),
        local.name(),
        scratch.name(),
        g.locals,
        g.body
    );
    file
}

impl Gen {
    /// Writes every variable of the kernel's outermost block to the results; returns how many
    /// words a work-item writes.
    fn results(&mut self, first: usize) -> u32 {
        let mut at = 0;
        self.line("ulong h = 0;");
        for index in 0..self.lvalues.len() {
            let lvalue = self.lvalues[index].clone();
            if index < first && !lvalue.writable {
                continue;
            }
            if !lvalue.writable && lvalue.lens.is_empty() {
                continue;
            }
            if let [len] = lvalue.lens[..] {
                let text = lvalue.text.replace('@', "i");
                let mixed = self.mixed(&text, lvalue.ty);
                self.line(&format!("for (uint i = 0; i < {len}; i++) {mixed}"));
                self.line(&format!("out[gid * WORDS + {at}] = h;"));
            } else if lvalue.lens.is_empty() && !lvalue.ty.is_vector() {
                let bits = self.bits(&lvalue.text, lvalue.ty.scalar);
                self.line(&format!("out[gid * WORDS + {at}] = {bits};"));
            } else if lvalue.lens.is_empty() {
                let mixed = self.mixed(&lvalue.text, lvalue.ty);
                self.line(&mixed);
                self.line(&format!("out[gid * WORDS + {at}] = h;"));
            } else {
                continue;
            }
            at += 1;
        }
        self.body = self.body.replace("WORDS", &at.max(1).to_string());
        at.max(1)
    }

    /// Takes the NaNs out of an array in a buffer, whose bytes are compared: their signs are open.
    fn without_nans(&mut self, array: &str, ty: Ty, len: u32) {
        if !ty.is_float() {
            return;
        }
        let number = match ty.is_vector() {
            true => format!("select({array}[i], ({})(1), isnan({array}[i]))", ty.name()),
            false => format!("isnan({array}[i]) ? 1 : {array}[i]"),
        };
        self.line(&format!(
            "for (uint i = 0; i < {len}; i++) {array}[i] = {number};"
        ));
    }

    /// Statements that mix a value into `h`.
    fn mixed(&mut self, text: &str, ty: Ty) -> String {
        let mut out = String::from("{ ");
        for lane in 0..ty.lanes {
            let lane = if ty.is_vector() {
                format!("({text}).s{lane:x}")
            } else {
                text.to_string()
            };
            let bits = self.bits(&lane, ty.scalar);
            let _ = write!(out, "h = h * 0x100000001b3UL + {bits}; ");
        }
        out + "}"
    }

    /// A scalar as a ulong; NaNs are all alike.
    fn bits(&mut self, text: &str, scalar: Scalar) -> String {
        match scalar {
            Scalar::Half => {
                let helper = "ulong bits_half(half v) { return isnan(v) ? 1 : as_ushort(v); }\n";
                self.helper("bits_half", helper.to_string());
                format!("bits_half({text})")
            }
            Scalar::Float => {
                let helper = "ulong bits_float(float v) { return isnan(v) ? 1 : as_uint(v); }\n";
                self.helper("bits_float", helper.to_string());
                format!("bits_float({text})")
            }
            Scalar::Double => {
                let helper = "ulong bits_double(double v) { return isnan(v) ? 1 : as_ulong(v); }\n";
                self.helper("bits_double", helper.to_string());
                format!("bits_double({text})")
            }
            _ => format!("(ulong)({text})"),
        }
    }
}
