//! Random programs that work on grids, as most kernels of applications do: rows with neighbours and borders, strides, sums,
//! tiles in local memory. Their programs are short and their ranges large, so that what launches choose by (sizes of
//! work-groups, offsets, arguments that divide, buffers that overlap) differs from program to program.
//!
//! Values are unsigned integers, floats whose arithmetic is rounded in one way, or vectors of these. A work-item writes
//! what no other one reads or writes.

mod shape;

use std::fmt::Write;

use super::types::{Random, Scalar, Ty};
use shape::{MARGIN, MARGIN_ROWS, Shape};

/// Counters that work-items add to.
const SUMS: u32 = 8;
/// Elements of a tile beyond those of the work-items.
const HALO: u32 = 4;

/// A buffer that is read.
struct Input {
    name: &'static str,
    elements: Ty,
}

struct Grid {
    random: Random,
    shape: Shape,
    /// The type of values.
    ty: Ty,
    inputs: Vec<Input>,
    /// Variables that are there, of the values' type.
    variables: Vec<String>,
    /// Counters of the loops around.
    counters: Vec<String>,
    /// Pairs of elements are changed in place, not single ones.
    pairs: bool,
    /// Work-items may read the tile here.
    reads_tile: bool,
    names: u32,
    text: String,
    indent: usize,
}

/// The kernel file of a seed, without expectations.
pub fn grid_program(seed: u64) -> String {
    let mut random = Random(seed);
    let shape = Shape::random(&mut random);
    let scalar = *random.pick(&[
        Scalar::Uint,
        Scalar::Uint,
        Scalar::Float,
        Scalar::Float,
        Scalar::Float,
        Scalar::Ulong,
        Scalar::Double,
        Scalar::Ushort,
        Scalar::Uchar,
    ]);
    let lanes = *random.pick(&[1, 1, 1, 1, 2, 4, 4, 8]);
    let ty = Ty { scalar, lanes };
    let pairs = random.chance(25);
    let mut grid = Grid {
        random,
        pairs,
        shape,
        ty,
        inputs: Vec::new(),
        variables: Vec::new(),
        counters: Vec::new(),
        reads_tile: false,
        names: 0,
        text: String::new(),
        indent: 1,
    };
    for name in ["a", "b"] {
        let elements = grid.elements();
        grid.inputs.push(Input { name, elements });
    }
    grid.file(seed)
}

/// A buffer of so many elements as a directive's words: these floats, or integers that are all bits.
fn buffer(elements: Scalar, count: u32, floats: &str) -> String {
    match elements.is_float() {
        true => format!("buffer {} {floats}", elements.name()),
        false => format!("pattern {}", count * elements.bytes()),
    }
}

/// Writing.
impl Grid {
    fn name(&mut self, stem: &str) -> String {
        self.names += 1;
        format!("{stem}{}", self.names)
    }

    fn line(&mut self, line: &str) {
        let indent = "    ".repeat(self.indent);
        let _ = writeln!(self.text, "{indent}{line}");
    }

    /// Writes statements in a block of its own.
    fn block(&mut self, head: &str, inside: impl FnOnce(&mut Self)) {
        self.line(&format!("{head} {{"));
        self.indent += 1;
        let variables = self.variables.len();
        inside(self);
        self.variables.truncate(variables);
        self.indent -= 1;
        self.line("}");
    }

    /// The type of a buffer's elements.
    fn elements(&mut self) -> Ty {
        let scalars: &[Scalar] = match self.ty.scalar {
            Scalar::Double => &[Scalar::Double, Scalar::Float, Scalar::Int],
            Scalar::Float => &[Scalar::Float, Scalar::Float, Scalar::Short, Scalar::Uchar],
            _ => &[
                Scalar::Uint,
                Scalar::Char,
                Scalar::Ushort,
                Scalar::Ulong,
                Scalar::Int,
            ],
        };
        let scalar = match self.random.chance(60) {
            true => self.ty.scalar,
            false => *self.random.pick(scalars),
        };
        let lanes = match self.random.chance(70) {
            true => self.ty.lanes,
            false => *self.random.pick(&[1, 2, 4]),
        };
        Ty { scalar, lanes }
    }

    /// The bytes of an input as a directive's words.
    fn contents(&mut self, elements: Ty) -> String {
        let count = self.shape.length() * elements.lanes;
        let first = match elements.is_float() {
            true => self.random.below(99) as i32 - 50,
            false => 0,
        };
        let last = first + count as i32 - 1;
        buffer(elements.scalar, count, &format!("{first}..{last}"))
    }
}

/// Expressions.
impl Grid {
    /// An index into a buffer that is read.
    fn place(&mut self) -> String {
        let column = self.random.below(2 * MARGIN - 1) as i32 + 1 - MARGIN as i32;
        let row = self.random.below(2 * MARGIN_ROWS + 1) as i32 - MARGIN_ROWS as i32;
        let counter = self.counters.last().cloned();
        match (self.random.below(16), counter) {
            (0..=3, _) => "at".into(),
            (4..=6, _) => format!("at + {column}"),
            (7, _) => format!("at + {row} * p + {column}"),
            (8, _) => format!("x * {} + {}", 1 + self.random.below(4), column.abs()),
            (9, _) => format!("y * p + x / {}", 2 + self.random.below(3)),
            (10, _) => format!("y * p + (x ^ {})", 1 + self.random.below(7)),
            (11, _) => format!("y * p + clamp((int)x + {column}, 0, w)"),
            (12, _) => format!("(convert_uint({}) & 127u)", self.lane_of("at")),
            (_, Some(k)) => {
                let near = [
                    format!("{k} * p + x"),
                    format!("y * p + {k}"),
                    format!("at + {k}"),
                    format!("x * 2 + {k}"),
                    k,
                ];
                self.random.pick(&near).clone()
            }
            _ => format!("y * p + x + {}", column.abs()),
        }
    }

    /// One number of an input, an integer's or a float that is one.
    fn lane_of(&mut self, place: &str) -> String {
        let input = &self.inputs[self.random.below(self.inputs.len() as u32) as usize];
        let lane = if input.elements.is_vector() {
            ".s0"
        } else {
            ""
        };
        let loaded = format!("{}[{place}]{lane}", input.name);
        match input.elements.is_float() {
            true => format!("fabs({loaded})"),
            false if input.elements.scalar.is_signed() => format!("abs({loaded})"),
            false => loaded,
        }
    }

    /// An element of an input as a value.
    fn load(&mut self) -> String {
        let place = self.place();
        let at = self.random.below(self.inputs.len() as u32) as usize;
        let Input { name, elements } = self.inputs[at];
        let (ty, loaded) = (self.ty.name(), format!("{name}[{place}]"));
        if elements == self.ty {
            return loaded;
        }
        if elements.lanes == self.ty.lanes {
            return format!("convert_{ty}({loaded})");
        }
        let lane = match elements.lanes {
            1 => String::new(),
            lanes => format!(".s{}", self.random.below(lanes)),
        };
        format!("({ty})(convert_{}({loaded}{lane}))", self.ty.lane().name())
    }

    fn leaf(&mut self) -> String {
        let (ty, lane) = (self.ty.name(), self.ty.lane().name());
        match self.random.below(10) {
            0 => format!("({ty})({})", self.random.below(9)),
            1 => {
                let names = ["x", "y", "n", "w", "g"];
                format!("({ty})(({lane})({}))", self.random.pick(&names))
            }
            2 if !self.counters.is_empty() => {
                format!("({ty})(({lane})({}))", self.random.pick(&self.counters))
            }
            3 | 4 if self.reads_tile => self.tile_element(),
            3..=6 if !self.variables.is_empty() => self.random.pick(&self.variables).clone(),
            _ => self.load(),
        }
    }

    /// An element of the tile.
    fn tile_element(&mut self) -> String {
        let [x, y, _] = self.shape.local.unwrap_or([1; 3]);
        match self.random.below(6) {
            0 => format!("tile[l + {}]", self.random.below(HALO + 1)),
            1 => "tile[LAST - l]".to_string(),
            2 => format!("tile[l / {}]", 1 + self.random.below(4)),
            3 => format!("tile[get_local_id(0) * {y} + get_local_id(1)]"),
            4 => match self.counters.last() {
                Some(k) => format!("tile[get_local_id(1) * {x} + {k} % {x}]"),
                None => "tile[l]".to_string(),
            },
            _ => format!("tile[(l + {}) % (LAST + 1)]", self.random.below(70)),
        }
    }

    fn value(&mut self, depth: u32) -> String {
        if depth == 0 || self.random.chance(20) {
            return self.leaf();
        }
        let (a, b) = (self.value(depth - 1), self.value(depth - 1));
        let small = 2 + self.random.below(5);
        let (ty, is_float) = (self.ty.name(), self.ty.is_float());
        let (min, max) = if is_float {
            ("fmin", "fmax")
        } else {
            ("min", "max")
        };
        match self.random.below(9) {
            0 | 1 => format!("({ty})({a} + {b})"),
            2 => format!("({ty})({a} - {b})"),
            3 => format!("({ty})({a} * ({ty})({small}) + {b})"),
            4 => format!("{min}(({ty})({a}), ({ty})({b}))"),
            5 => format!("{max}(({ty})({a}), ({ty})({b}))"),
            6 => format!("({} ? ({ty})({a}) : ({ty})({b}))", self.condition()),
            7 if is_float => format!("fabs(({ty})({a} - {b}))"),
            7 => format!("({ty})(({a} >> ({ty})({small})) ^ {b})"),
            _ if self.ty.lanes > 1 => {
                let order = *self.random.pick(&["s10", "s11", "s01"]);
                let order = match self.ty.lanes {
                    2 => order.to_string(),
                    4 => format!("{order}32"),
                    _ => format!("{order}327654"),
                };
                format!("({ty})(({ty})({a}).{order} + {b})")
            }
            _ if is_float => format!("({a} * 0.5f - {b})"),
            _ => format!("({ty})({a} & {b})"),
        }
    }

    fn condition(&mut self) -> String {
        let small = 1 + self.random.below(5);
        let one = match self.random.below(12) {
            0 => "x < w".to_string(),
            1 => "x >= w".to_string(),
            2 => format!("x > {}", small - 1),
            3 => format!("x + {small} < w"),
            4 => "(x & 1) == 0".to_string(),
            5 => format!("x % {small} == 1"),
            6 => "y < h".to_string(),
            7 => "x + y > w".to_string(),
            8 => format!("{} > {}", self.lane_of("at"), 20 * small),
            9 => format!("n > {small}"),
            10 => "x != y".to_string(),
            _ => format!("g % {} < {small}", 2 * small),
        };
        match self.random.below(6) {
            0 => format!("({one} && y != 1)"),
            1 => format!("({one} || x == 5)"),
            _ => format!("({one})"),
        }
    }
}

/// Statements.
impl Grid {
    fn variable(&mut self) {
        let value = self.value(2);
        let (ty, name) = (self.ty.name(), self.name("v"));
        self.line(&format!("{ty} {name} = {value};"));
        self.variables.push(name);
    }

    fn assign(&mut self) {
        let value = self.value(1);
        let (ty, name) = (self.ty.name(), self.random.pick(&self.variables).clone());
        match self.random.below(3) {
            0 => self.line(&format!("{name} = {value};")),
            1 => self.line(&format!("{name} += {value};")),
            _ => self.line(&format!("{name} = ({ty})({name} - {value});")),
        }
    }

    fn loop_of_rounds(&mut self, depth: u32) {
        let k = self.name("k");
        let end = self.random.pick(&["n", "5", "8", "(int)(x & 3)", "n * 2"]);
        let more = match self.random.below(4) {
            0 => format!(" && {}", self.condition()),
            _ => String::new(),
        };
        let head = format!("for (int {k} = 0; {k} < {end}{more}; {k}++)");
        self.counters.push(k);
        self.block(&head, |grid| {
            for _ in 0..1 + grid.random.below(2) {
                grid.statement(depth + 1);
            }
            if grid.random.chance(15) {
                let condition = grid.condition();
                let word = *grid.random.pick(&["break", "continue"]);
                grid.line(&format!("if {condition} {word};"));
                grid.assign();
            }
        });
        self.counters.pop();
    }

    fn statement(&mut self, depth: u32) {
        match self.random.below(10) {
            0..=2 => self.variable(),
            3 if depth < 3 => {
                let condition = self.condition();
                self.block(&format!("if {condition}"), |grid| grid.statement(depth + 1));
                if self.random.chance(40) {
                    self.block("else", |grid| grid.statement(depth + 1));
                }
            }
            4 | 5 if depth < 2 => self.loop_of_rounds(depth),
            6 if self.ty.lanes == 1 && !self.ty.is_float() => {
                let value = self.value(1);
                let function = *self.random.pick(&["add", "max", "or", "xor"]);
                self.line(&format!(
                    "atomic_{function}(&sums[{}], convert_uint({value}));",
                    // Functions that do not commute with one another have counters of their own.
                    match function {
                        "add" => "x & 1",
                        "max" => "2 + (x & 1)",
                        "or" => "4",
                        _ => "6",
                    }
                ));
            }
            _ => self.assign(),
        }
    }

    /// A tile of the work-group: written, waited for, read.
    fn tiled(&mut self) {
        let (ty, rounds) = (self.ty.name(), self.random.chance(30));
        if rounds {
            let k = self.name("k");
            self.line(&format!("for (int {k} = 0; {k} < n; {k}++) {{"));
            self.counters.push(k);
            self.indent += 1;
        }
        let value = self.value(1);
        self.line(&format!("tile[l] = ({ty})({value});"));
        let value = self.value(1);
        self.line(&format!(
            "for (int i = l; i < {HALO}; i += LAST + 1) tile[LAST + 1 + i] = ({ty})({value});"
        ));
        self.line("barrier(CLK_LOCAL_MEM_FENCE);");
        let [x, y, z] = self.shape.local.unwrap_or([1; 3]);
        if (x * y * z).is_power_of_two() && self.random.chance(30) {
            self.block("for (int s = (LAST + 1) / 2; s > 0; s >>= 1)", |grid| {
                grid.line("if (l < s) tile[l] += tile[l + s];");
                grid.line("barrier(CLK_LOCAL_MEM_FENCE);");
            });
        }
        self.reads_tile = true;
        let variables = self.variables.len();
        self.assign();
        for _ in 0..self.random.below(3) {
            self.statement(1);
        }
        self.reads_tile = false;
        if rounds {
            self.variables.truncate(variables);
            self.counters.pop();
        }
        self.line("barrier(CLK_LOCAL_MEM_FENCE);");
        if rounds {
            self.indent -= 1;
            self.line("}");
        }
    }

    /// Writes to elements that no other work-item has.
    fn store(&mut self) {
        let (value, ty) = (self.value(1), self.ty);
        let lane = ty.lane().name();
        let store = match self.random.below(6) {
            0..=2 => format!("out[at] = {value};"),
            3 => {
                let other = self.value(1);
                format!("out[2 * at] = {value};\n    out[2 * at + 1] = {other};")
            }
            4 => format!("out[2 * LENGTH - at] = {value};"),
            _ if ty.lanes > 1 => {
                format!("vstore{}({value}, at, (global {lane} *)out);", ty.lanes)
            }
            _ => format!("out[at ^ 1] = {value};"),
        };
        if self.random.chance(30) && !store.contains('\n') {
            let condition = self.condition();
            return self.line(&format!("if {condition} {store}"));
        }
        self.line(&store);
    }

    /// Changes elements in place.
    fn in_place(&mut self) {
        let value = self.value(1);
        let ty = self.ty.name();
        let changes = match self.pairs {
            true => vec![format!(
                "{ty} first = own[2 * at]; own[2 * at] = own[2 * at + 1]; own[2 * at + 1] = ({ty})(first + {value});"
            )],
            false => vec![
                format!("own[at] = ({ty})(own[at] + {value});"),
                format!("own[at] += {value}; own[at] = ({ty})(own[at] - ({ty})(1));"),
                format!(
                    "{ty} old = own[at]; own[at] = {value}; if {} own[at] = old;",
                    self.condition()
                ),
            ],
        };
        let change = self.random.pick(&changes).clone();
        self.line(&format!("{{ {change} }}"));
    }
}

/// The file.
impl Grid {
    fn body(&mut self, has_tile: bool) {
        self.variable();
        for _ in 0..1 + self.random.below(4) {
            self.statement(0);
        }
        if has_tile {
            self.tiled();
        } else if self.random.chance(40) {
            let condition = self.condition();
            self.line(&format!("if {condition} return;"));
        }
        for _ in 0..self.random.below(3) {
            self.statement(0);
        }
        let mut is_stored = false;
        for _ in 0..1 + self.random.below(2) {
            match self.random.below(3) {
                1 | 2 if !is_stored => {
                    self.store();
                    is_stored = true;
                }
                _ => self.in_place(),
            }
        }
    }

    fn file(mut self, seed: u64) -> String {
        let has_tile = self.shape.local.is_some() && self.random.chance(50);
        let by_argument = has_tile && self.random.chance(40);
        self.body(has_tile);
        let text = std::mem::take(&mut self.text);
        let (ty, length) = (self.ty.name(), self.shape.length());
        let standard = *self.random.pick(&["CL1.2", "CL2.0", "CL3.0"]);
        let mut head = format!("// seed {seed}\n// options: -cl-std={standard}\n// kernel: k\n");
        head += &self.shape.directives();
        let elements: Vec<Ty> = self.inputs.iter().map(|input| input.elements).collect();
        let is_alias = elements[0] == elements[1] && self.random.chance(30);
        let [a, b] = [0, 1].map(|at| self.contents(elements[at]));
        let b = if is_alias { "alias 0 0".into() } else { b };
        let _ = write!(head, "// arg: {a}\n// arg: {b}\n");
        // Twice the length and some, for strides of two.
        let count = (2 * length + 2) * self.ty.lanes;
        for floats in [format!("{count}*-1"), format!("0..{}", count - 1)] {
            let _ = writeln!(head, "// arg: {}", buffer(self.ty.scalar, count, &floats));
        }
        let _ = writeln!(head, "// arg: buffer uint {SUMS}*0");
        let row = self.shape.offset[0] + self.shape.global[0];
        let w = *self.random.pick(&[0, 1, row / 2, row - 1, row - 4, row]);
        let (h, n) = (self.random.below(5), self.random.below(7));
        for number in [self.shape.pitch, w, h, n] {
            let _ = writeln!(head, "// arg: int {number}");
        }
        let items: u32 = self.shape.local.map_or(1, |local| local.iter().product());
        if by_argument {
            let tile = (items + HALO) * self.ty.lanes * self.ty.scalar.bytes();
            let _ = writeln!(head, "// arg: local {tile}");
        }
        let number = *self.random.pick(&["int", "uint", "size_t"]);
        let constant = |random: &mut Random, ty: Ty| {
            let restrict = *random.pick(&["", "", "restrict "]);
            format!("global const {} *{restrict}", ty.name())
        };
        let [a, b] = [0, 1].map(|at| constant(&mut self.random, elements[at]));
        let restrict = *self.random.pick(&["", "", "restrict "]);
        let mut kernel = format!(
            "#pragma OPENCL FP_CONTRACT OFF\nkernel void k({a}a, {b}b, global {ty} *{restrict}out, global {ty} *own,\n    \
             global uint *sums, int p, int w, int h, int n"
        );
        if by_argument {
            let _ = write!(kernel, ", local {ty} *tile");
        }
        kernel += ")\n{\n";
        if has_tile {
            let last = items - 1;
            let _ = writeln!(kernel, "    const int LAST = {last};");
            if !by_argument {
                let _ = writeln!(kernel, "    local {ty} tile[{}];", items + HALO);
            }
            kernel += "    int l = get_local_id(0) + get_local_size(0) * (get_local_id(1) + get_local_size(1) * get_local_id(2));\n";
        }
        let (base, plane) = (self.shape.base(), self.shape.plane);
        let _ = write!(
            kernel,
            "    const int LENGTH = {length};\n    {number} x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);\n    \
             {number} at = {base} + z * {plane} + y * p + x;\n    \
             uint g = x + y * {row};\n{text}}}\n"
        );
        head + &kernel
    }
}
