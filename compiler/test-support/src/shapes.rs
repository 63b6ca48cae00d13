//! Source texts of one shape each, at any size: each repeats one construct, so that a step of the
//! compiler that takes more than linear time over that construct stands out.
//!
//! Sizes are in tokens and approximate: the text has at least as many, and at most one unit more.

use std::fmt::Write;

/// A kind of source text.
pub struct Shape {
    /// Name, as `cargo run --example shapes` takes it.
    pub name: &'static str,
    /// Tokens of one unit, counted by hand; what stands around the units is not counted.
    tokens_per_unit: usize,
    /// The text with this many units.
    text: fn(usize) -> String,
}

impl Shape {
    /// A text of about `tokens` tokens.
    pub fn of_tokens(&self, tokens: usize) -> String {
        (self.text)(tokens.div_ceil(self.tokens_per_unit))
    }

    /// The shape of this name.
    pub fn find(name: &str) -> Option<&'static Shape> {
        SHAPES.iter().find(|shape| shape.name == name)
    }
}

const fn shape(name: &'static str, tokens_per_unit: usize, text: fn(usize) -> String) -> Shape {
    Shape {
        name,
        tokens_per_unit,
        text,
    }
}

/// All shapes.
pub const SHAPES: &[Shape] = &[
    shape("nested_loops", 13, nested_loops),
    shape("gotos_crossing", 13, gotos_crossing),
    shape("gotos_random", 13, gotos_random),
    shape("gotos_counting", 20, gotos_counting),
    shape("gotos_into_loops", 32, gotos_into_loops),
    shape("gotos_overlapping", 17, gotos_overlapping),
    shape("jumps", 6, jumps),
    shape("jumps_back", 12, jumps_back),
    shape("decided_branches", 20, decided_branches),
    shape("loops", 23, loops),
    shape("loops_inside_a_loop", 23, loops_inside_a_loop),
    shape("loops_with_break", 29, loops_with_break),
    shape("kernels", 21, kernels),
    shape("kernels_with_arguments", 55, kernels_with_arguments),
    shape("pointer_stars", 1, pointer_stars),
    shape("functions_in_a_chain", 16, functions_in_a_chain),
    shape("functions_called_once", 22, functions_called_once),
    shape("functions_noinline", 26, functions_noinline),
    shape("sums", 2, sums),
    shape("variables", 14, variables),
    shape("variables_across_branches", 23, variables_across_branches),
    shape("switch_cases", 12, switch_cases),
    shape("switch_falling_through", 8, switch_falling_through),
    shape("switches", 24, switches),
    shape("divisions_behind_switches", 21, divisions_behind_switches),
    shape("structs", 18, structs),
    shape("struct_members", 3, struct_members),
    shape("parentheses", 4, parentheses),
    shape("nested_ifs", 11, nested_ifs),
    shape("ifs", 17, ifs),
    shape("else_ifs", 17, else_ifs),
    shape("returns", 14, returns),
    shape("loads_and_stores", 13, loads_and_stores),
    shape("local_arrays", 24, local_arrays),
    shape("private_arrays", 28, private_arrays),
    shape("constants", 9, constants),
    shape("constant_pointers", 15, constant_pointers),
    shape("macros", 12, macros),
    shape("macro_chain", 3, macro_chain),
    shape("enumerators", 2, enumerators),
    shape("initialisers", 2, initialisers),
    shape("printfs", 8, printfs),
    shape("library_calls", 12, library_calls),
    shape("barriers", 18, barriers),
    shape("vectors", 19, vectors),
    shape("logic", 4, logic),
    shape("warnings", 4, warnings),
    shape("typedefs", 4, typedefs),
    shape("ternaries", 12, ternaries),
    shape("atomics", 9, atomics),
    shape("struct_copies", 15, struct_copies),
    shape("conditions_nested", 9, conditions_nested),
    shape("exits_of_a_loop", 16, exits_of_a_loop),
    shape("loops_unrolled", 30, loops_unrolled),
    shape("shuffles", 14, shuffles),
    shape("array_elements", 12, array_elements),
    shape("functions_that_share", 20, functions_that_share),
    shape("struct_values", 24, struct_values),
    shape("switch_in_a_loop", 12, switch_in_a_loop),
    shape("ifs_and_loops_nested", 24, ifs_and_loops_nested),
];

/// Each unit's text, in order.
fn list(units: usize, each: impl Fn(usize) -> String) -> String {
    (0..units).map(each).collect()
}

/// A kernel with this body.
fn kernel(body: impl AsRef<str>) -> String {
    format!(
        "kernel void k(global int *p, int x)\n{{\n{}}}\n",
        body.as_ref()
    )
}

/// Kernels of at most `size` units each, with `units` in sum; `body` takes the number of units.
fn kernels_of(units: usize, size: usize, body: impl Fn(usize) -> String) -> String {
    let mut text = String::new();
    let mut left = units;
    while left > 0 {
        let here = left.min(size);
        let _ = writeln!(
            text,
            "kernel void k{left}(global int *p, int x)\n{{\n{}}}",
            body(here)
        );
        left -= here;
    }
    text
}

/// Nests of loops: 500 deep, since SPIR-V allows 1,023 constructs inside one another.
fn nested_loops(units: usize) -> String {
    kernels_of(units, 500, |depth| {
        list(depth, |i| format!("for (int i{i} = 0; i{i} < x; i{i}++)\n")) + "p[i0] += 1;\n"
    })
}

/// Labels that go to one another from both ends: every cycle has many entries.
fn gotos_crossing(units: usize) -> String {
    kernel(list(units, |i| {
        format!("l{i}: if (p[{i}]) goto l{};\n", units - 1 - i)
    }))
}

/// A number below `below` for each of so many units, always the same ones.
fn random(units: usize, below: usize) -> Vec<usize> {
    let mut state = 12345u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        ((u64::from(state) * below as u64) >> 32) as usize
    };
    (0..units).map(|_| next()).collect()
}

/// Labels that go anywhere.
fn gotos_random(units: usize) -> String {
    let targets = random(units, units);
    kernel(list(units, |i| {
        format!("l{i}: if (p[{i}]) goto l{};\n", targets[i])
    }))
}

/// The same, where something changes on the way.
fn gotos_counting(units: usize) -> String {
    let targets = random(units, units);
    kernel(list(units, |i| {
        format!("l{i}: x += p[{i}]; if (p[x]) goto l{};\n", targets[i])
    }))
}

/// Small loops, each of which is entered in its middle too.
fn gotos_into_loops(units: usize) -> String {
    kernel(list(units, |i| {
        format!("if (p[{i}]) goto m{i};\nwhile (p[x] < {i}) {{ x += 2; m{i}: x += p[x]; }}\n")
    }))
}

/// Gotos over the same number of later labels each, where something changes on the way.
fn gotos_overlapping(units: usize) -> String {
    let labels = list(units, |i| {
        let target = (i + 37).min(units);
        format!("if (p[{i}]) goto l{target}; x += p[x]; l{}:\n", i + 1)
    });
    kernel(format!("{labels}p[0] = x;\n"))
}

/// Labels that only go on to the next one.
fn jumps(units: usize) -> String {
    let labels = list(units, |i| format!("l{i}: goto l{};\n", i + 1));
    kernel(format!("goto l0;\n{labels}l{units}: p[0] = x;\n"))
}

/// The same from the last one to the first, with a branch to each.
fn jumps_back(units: usize) -> String {
    let labels = list(units, |i| format!("l{}: goto l{};\n", i + 1, i));
    kernel(format!(
        "if (x) goto l{units};\np[1] = x; return;\nl0: p[0] = x; return;\n{labels}"
    ))
}

/// Branches that are decided once the one before them is.
fn decided_branches(units: usize) -> String {
    let branches = list(units, |i| {
        format!("if (a == {i}) a = {}; else p[{i}] = x;\n", i + 1)
    });
    kernel(format!("int a = 0;\n{branches}p[0] = a;\n"))
}

fn loops(units: usize) -> String {
    kernel(list(units, |i| {
        format!("for (int i = 0; i < x; i++) p[i] += {i};\n")
    }))
}

fn loops_inside_a_loop(units: usize) -> String {
    let inner = list(units, |i| {
        format!("for (int i = 0; i < x; i++) p[i] += {i};\n")
    });
    kernel(format!("for (int j = 0; j < x; j++) {{\n{inner}}}\n"))
}

fn loops_with_break(units: usize) -> String {
    kernel(list(units, |i| {
        format!("for (int i = 0; i < x; i++) {{ if (p[i] == {i}) break; x++; }}\n")
    }))
}

fn kernels(units: usize) -> String {
    list(units, |i| {
        format!("kernel void k{i}(global int *p) {{ p[get_global_id(0)] = {i}; }}\n")
    })
}

fn kernels_with_arguments(units: usize) -> String {
    list(units, |i| {
        format!(
            "kernel void k{i}(global const float *a, global float *b, constant int *c, local \
             int *l, float4 v, int n)\n{{ l[0] = c[n]; b[n] = a[l[1]] + v.x * {i}; }}\n"
        )
    })
}

fn pointer_stars(units: usize) -> String {
    kernel(format!("int {}q = 0;\np[0] = q == 0;\n", "*".repeat(units)))
}

fn functions_in_a_chain(units: usize) -> String {
    let functions = list(units, |i| {
        format!("int f{}(int x) {{ return f{i}(x) + {i}; }}\n", i + 1)
    });
    let last = format!("p[0] = f{units}(x);\n");
    format!("int f0(int x) {{ return x; }}\n{functions}{}", kernel(last))
}

fn functions_called_once(units: usize) -> String {
    let functions = list(units, |i| {
        format!("int f{i}(int x) {{ return x * {i} + 1; }}\n")
    });
    functions + &kernel(list(units, |i| format!("p[{i}] = f{i}(x);\n")))
}

fn functions_noinline(units: usize) -> String {
    let functions = list(units, |i| {
        format!("__attribute__((noinline)) int f{i}(int x) {{ return x * {i} + 1; }}\n")
    });
    functions + &kernel(list(units, |i| format!("p[{i}] = f{i}(x);\n")))
}

/// Sums of 500 operands.
fn sums(units: usize) -> String {
    let mut body = String::new();
    for i in (0..units).step_by(500) {
        let _ = writeln!(body, "p[{i}] = x{};", "+x".repeat(500.min(units - i)));
    }
    kernel(body)
}

fn variables(units: usize) -> String {
    let before = list(units, |i| format!("int v{i} = p[{i}];\n"));
    kernel(before + &list(units, |i| format!("p[{i}] = v{i};\n")))
}

/// All variables live across all branches, each of which changes one of them.
fn variables_across_branches(units: usize) -> String {
    let before = list(units, |i| format!("int v{i} = p[{i}];\n"));
    let between = list(units, |i| format!("if (p[x]) v{i} = x;\n"));
    kernel(before + &between + &list(units, |i| format!("p[{i}] = v{i};\n")))
}

fn switch_cases(units: usize) -> String {
    let cases = list(units, |i| format!("case {i}: p[{i}] = x; break;\n"));
    kernel(format!("switch (x) {{\n{cases}}}\n"))
}

/// A case takes up what the one before it has computed.
fn switch_falling_through(units: usize) -> String {
    let cases = list(units, |i| format!("case {i}: x += p[{i}];\n"));
    kernel(format!("switch (p[0]) {{\n{cases}}}\np[1] = x;\n"))
}

fn switches(units: usize) -> String {
    kernel(list(units, |i| {
        format!("switch (p[{i}]) {{ case 1: x += 1; break; case 2: x += {i}; }}\n")
    }))
}

/// Quotients of a number that each case of two switches changes.
fn divisions_behind_switches(units: usize) -> String {
    let cases = list(units / 2, |i| {
        format!("case {i}: x += {i}; p[{i}] = 1; break;\n")
    });
    let divisions = list(units / 2, |i| format!("p[{i}] = x / {};\n", i + 3));
    let switches = ["p[0]", "p[1]"].map(|on| format!("switch ({on}) {{\n{cases}}}\n"));
    kernel(format!("x &= 15;\n{}{divisions}", switches.concat()))
}

fn structs(units: usize) -> String {
    let types = list(units, |i| {
        format!("typedef struct {{ int a; float b{i}; }} s{i};\n")
    });
    types + &kernel(list(units, |i| format!("((global s{i} *)p)->b{i} = 1;\n")))
}

fn struct_members(units: usize) -> String {
    format!(
        "struct s {{\n{}}};\nkernel void k(global struct s *p) {{ p->m1 = p->m0; }}\n",
        list(units.max(2), |i| format!("int m{i};\n"))
    )
}

/// Parentheses 500 deep.
fn parentheses(units: usize) -> String {
    let mut body = String::new();
    for i in (0..units).step_by(500) {
        let depth = 500.min(units - i);
        let (open, close) = ("(1 + ".repeat(depth), ")".repeat(depth));
        let _ = writeln!(body, "p[{i}] = {open}x{close};");
    }
    kernel(body)
}

/// Nests of branches, 500 deep.
fn nested_ifs(units: usize) -> String {
    kernels_of(units, 500, |depth| {
        list(depth, |i| format!("if (p[{i}]) {{ x += {i};\n")) + "p[0] = x;" + &"}".repeat(depth)
    })
}

fn ifs(units: usize) -> String {
    kernel(list(units, |i| {
        format!("if (p[{i}] > x) x += p[{i}] * 3;\n")
    }))
}

/// Chains of 500.
fn else_ifs(units: usize) -> String {
    kernels_of(units, 500, |length| {
        "if (x) ;\n".to_string()
            + &list(length, |i| format!("else if (p[{i}] == {i}) p[{i}] = x;\n"))
    })
}

fn returns(units: usize) -> String {
    kernel(list(units, |i| {
        format!("if (p[{i}]) return; p[x] = {i};\n")
    }))
}

fn loads_and_stores(units: usize) -> String {
    kernel(list(units, |i| format!("p[{i}] = p[x + {i}] + 1;\n")))
}

fn local_arrays(units: usize) -> String {
    let arrays = list(units, |i| format!("local int l{i}[4];\n"));
    kernel(arrays + &list(units, |i| format!("l{i}[x] = x; p[{i}] = l{i}[x + 1];\n")))
}

fn private_arrays(units: usize) -> String {
    kernel(list(units, |i| {
        format!("int a{i}[4]; a{i}[x & 3] = x; p[{i}] = a{i}[p[1] & 3];\n")
    }))
}

fn constants(units: usize) -> String {
    let tables = list(units, |i| format!("constant int c{i} = {i};\n"));
    tables + &kernel(list(units, |i| format!("x += c{i};\n")) + "p[0] = x;\n")
}

fn constant_pointers(units: usize) -> String {
    let tables = list(units, |i| {
        format!("global int g{i} = 1; global int *global q{i} = &g{i};\n")
    });
    tables + &kernel(list(units, |i| format!("x += *q{};\n", i / 100 * 100)))
}

fn macros(units: usize) -> String {
    let defines = list(units, |i| format!("#define M{i}(a) (a + {i})\n"));
    defines + &kernel(list(units, |i| format!("p[{i}] = M{i}(x);\n")))
}

fn macro_chain(units: usize) -> String {
    let defines = list(units, |i| format!("#define M{i} M{}\n", i + 1));
    format!("{defines}#define M{units} 1\n{}", kernel("p[0] = M0;\n"))
}

fn enumerators(units: usize) -> String {
    let names = list(units, |i| format!("E{i},\n"));
    format!("enum {{\n{names}}};\n{}", kernel("p[0] = E0;\n"))
}

fn initialisers(units: usize) -> String {
    let numbers = list(units, |i| format!("{i},"));
    format!(
        "constant int t[] = {{ {numbers} }};\n{}",
        kernel("p[0] = t[x];\n")
    )
}

fn printfs(units: usize) -> String {
    kernel(list(units, |i| format!("printf(\"text {i} %d\\n\", x);\n")))
}

fn library_calls(units: usize) -> String {
    let body = list(units, |i| format!("f[{i}] = sin(f[x + {i}]);\n"));
    format!("kernel void k(global float *f, int x)\n{{\n{body}}}\n")
}

fn barriers(units: usize) -> String {
    let body = list(units, |i| {
        format!("l[x] = p[{i}]; barrier(CLK_LOCAL_MEM_FENCE); x += l[{i}];\n")
    });
    format!("kernel void k(global int *p, local int *l, int x)\n{{\n{body}p[0] = x;\n}}\n")
}

fn vectors(units: usize) -> String {
    let body = list(units, |i| {
        format!("v = v.yzwx * p[{i}] + (float4)(v.x, {i}, 2, 3);\n")
    });
    format!("kernel void k(global float4 *p, float4 v)\n{{\n{body}p[0] = v;\n}}\n")
}

/// Conditions of 200 operands.
fn logic(units: usize) -> String {
    let mut body = String::new();
    for i in (0..units).step_by(200) {
        let _ = writeln!(
            body,
            "if (x{}) p[{i}] = 1;",
            "&& p[1] || p[x]".repeat(200.min(units - i) / 2)
        );
    }
    kernel(body)
}

fn warnings(units: usize) -> String {
    kernel("x == 1;\n".repeat(units))
}

fn typedefs(units: usize) -> String {
    let names = list(units, |i| format!("typedef t{i} t{};\n", i + 1));
    format!(
        "typedef int t0;\n{names}{}",
        kernel("t1 y = x; p[0] = y;\n")
    )
}

fn ternaries(units: usize) -> String {
    kernel(list(units, |i| format!("x = p[{i}] ? x + {i} : p[x];\n")) + "p[0] = x;\n")
}

fn atomics(units: usize) -> String {
    kernel(list(units, |i| format!("atomic_add(p + {i}, x);\n")))
}

fn struct_copies(units: usize) -> String {
    let body = list(units, |i| {
        format!("s a{i} = p[{i}]; a{i}.a += x; p[x] = a{i};\n")
    });
    format!(
        "typedef struct {{ int a, b; float c[3]; }} s;\nkernel void k(global s *p, int x)\n{{\n{body}}}\n"
    )
}

/// Each condition stands in the last operand of the one before it, 200 deep.
fn conditions_nested(units: usize) -> String {
    let mut body = String::new();
    for at in (0..units).step_by(200) {
        let nest = list(200.min(units - at), |i| format!("p[{i}] ? x + {i} : "));
        let _ = writeln!(body, "p[{at}] = {nest}x;");
    }
    kernel(body)
}

/// A loop that is left at many places, with another number each time.
fn exits_of_a_loop(units: usize) -> String {
    let exits = list(units, |i| {
        format!("x += p[x]; if (x == {i}) {{ x = {i} + 7; goto out; }}\n")
    });
    kernel(format!("for (;;) {{\n{exits}}}\nout: p[0] = x;\n"))
}

fn loops_unrolled(units: usize) -> String {
    kernel(
        list(units, |i| {
            format!(
                "__attribute__((opencl_unroll_hint)) for (int i = 0; i < 16; i++) x += p[x + i] * {i};\n"
            )
        }) + "p[0] = x;\n",
    )
}

fn shuffles(units: usize) -> String {
    let body = list(units, |i| {
        format!(
            "v = shuffle2(v, w, m + (uint16)({i})); w.s0123 = v.s{:x}a5b;\n",
            i % 16
        )
    });
    format!(
        "kernel void k(global int16 *p, int16 v, int16 w, uint16 m)\n{{\n{body}p[0] = v + w;\n}}\n"
    )
}

/// One array, each element of which is set and read at known places.
fn array_elements(units: usize) -> String {
    let set = list(units, |i| format!("a[{i}] = p[{i}];\n"));
    let read = list(units, |i| format!("p[{i}] = a[{}];\n", units - 1 - i));
    kernel(format!("int a[{units}];\n{set}if (x)\n{{\n{read}}}\n"))
}

/// Functions that each call the two before them are inlined once or not at all.
fn functions_that_share(units: usize) -> String {
    let functions = list(units, |i| {
        let before = [i.max(2) - 1, i.max(2) - 2];
        match i {
            0 | 1 => format!("int f{i}(int x) {{ return x * {i} + 3; }}\n"),
            _ => format!(
                "int f{i}(int x) {{ return f{}(x) ^ f{}(x + {i}); }}\n",
                before[0], before[1]
            ),
        }
    });
    let last = units.max(1) - 1;
    functions + &kernel(format!("p[0] = f{last}(x);\n"))
}

/// A struct that functions take and return.
fn struct_values(units: usize) -> String {
    let functions = list(units, |i| {
        format!("s f{i}(s a) {{ a.a += {i}; a.c[1] = a.b; return a; }}\n")
    });
    let calls = list(units, |i| format!("v = f{i}(v);\n"));
    format!(
        "typedef struct {{ int a, b; float c[3]; }} s;\n{functions}kernel void k(global s *p, int x)\n{{\ns v = p[0];\n{calls}p[1] = v;\n}}\n"
    )
}

fn switch_in_a_loop(units: usize) -> String {
    let cases = list(units, |i| {
        format!(
            "case {i}: x += p[{i}]; {}\n",
            ["break;", "", "continue;"][i % 3]
        )
    });
    kernel(format!(
        "for (int i = 0; i < x; i++) {{\nswitch (p[i]) {{\n{cases}}}\nx ^= i;\n}}\np[0] = x;\n"
    ))
}

/// Nests of branches and loops, 200 deep, that change a number in each.
fn ifs_and_loops_nested(units: usize) -> String {
    kernels_of(units, 200, |depth| {
        let open = list(depth, |i| {
            format!("x += p[{i}]; if (x > {i}) while (p[x] < {i}) {{ x -= {i};\n")
        });
        open + "p[0] = x;" + &"}".repeat(depth)
    })
}
