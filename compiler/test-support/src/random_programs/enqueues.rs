//! Random programs of kernels that enqueue kernels.
//!
//! The results do not depend on the order in which a device runs its blocks. There are two kinds of
//! parts:
//!
//! - trees: functions whose blocks call later functions. They add to sums, whichever block comes first; where a
//!   queue is full, the enqueuer does the block's work itself.
//! - graphs of commands of one work-item that wait for each other's events: kernels, markers and user events. A
//!   kernel reads what the kernels that it waits for wrote, their children's words too. Commands behind a failed
//!   event do not run.

use std::fmt::Write;

use super::types::Random;

/// Sums of the trees, at the beginning of the results.
const SUMS: u32 = 8;
/// Commands of a graph at most.
const COMMANDS: u32 = 12;
/// Words of a work-item's graph: a word of each command, one of its child, and how it went.
const WORDS: u32 = 2 * COMMANDS + 1;
/// Blocks that the trees of a program lead to at most, so that they fit into the default queue.
const MOST_BLOCKS: u32 = 350;

/// A function of the trees, called by blocks and by what enqueues them.
struct Grower {
    /// Blocks that a call leads to.
    blocks: u32,
}

struct Enqueues {
    random: Random,
    text: String,
    growers: Vec<Grower>,
    /// The trees use the small queue, and may fill it. Otherwise commands use it, which need room.
    trees_fill: bool,
}

/// The kernel file of a seed, without expectations.
pub fn enqueueing_program(seed: u64) -> String {
    let mut program = Enqueues {
        random: Random(seed),
        text: String::new(),
        growers: Vec::new(),
        trees_fill: seed % 2 == 0,
    };
    let items = 1 + program.random.below(4);
    for _ in 0..1 + program.random.below(3) {
        program.grower();
    }
    let body = program.kernel(items);
    format!(
        "// seed {seed}\n// options: -cl-std=CL3.0\n// needs: device-queues\n// kernel: k\n\
         // global: {items}\n// local: 1\n// arg: buffer uint {}*0\n// arg: uint {}\n// arg: queue\n\
         {}{body}",
        SUMS + items * WORDS,
        program.random.below(1000),
        program.text,
    )
}

impl Enqueues {
    fn flags(&mut self) -> &'static str {
        self.random.pick::<&str>(&[
            "CLK_ENQUEUE_FLAGS_NO_WAIT",
            "CLK_ENQUEUE_FLAGS_WAIT_KERNEL",
            "CLK_ENQUEUE_FLAGS_WAIT_WORK_GROUP",
        ])
    }

    /// An expression of the default queue, or of the small one where it may be.
    fn queue(&mut self, may_be_small: bool) -> &'static str {
        match may_be_small && self.random.chance(30) {
            true => "other",
            false => "get_default_queue()",
        }
    }

    /// A range of some work-items: the arrays that it is made of, its expression, and their number.
    fn range(&mut self) -> (String, String, u32) {
        let dimensions = 1 + self.random.below(3) as usize;
        let most = [9, 4, 2][dimensions - 1];
        let numbers = |random: &mut Random, first: u32, most: u32| -> Vec<u32> {
            (0..dimensions)
                .map(|_| first + random.below(most))
                .collect()
        };
        let sizes = numbers(&mut self.random, 1, most);
        let offsets = numbers(&mut self.random, 0, 5);
        // Sizes that do not divide the range, and those that are larger, among them.
        let locals = numbers(&mut self.random, 1, most + 1);
        // Each size of work-groups is a kernel more for the driver to compile.
        let lists: &[(&str, &[u32])] = match self.random.below(6) {
            0 => &[("s", &sizes), ("l", &locals)],
            1 => &[("o", &offsets), ("s", &sizes), ("l", &locals)],
            _ => &[("s", &sizes)],
        };
        let text = |list: &[u32]| {
            list.iter()
                .map(u32::to_string)
                .collect::<Vec<_>>()
                .join(", ")
        };
        let items = sizes.iter().product();
        if dimensions == 1 {
            let words: Vec<String> = lists.iter().map(|(_, list)| text(list)).collect();
            return (
                String::new(),
                format!("ndrange_1D({})", words.join(", ")),
                items,
            );
        }
        let mut arrays = String::new();
        for (name, list) in lists {
            let _ = write!(arrays, "size_t {name}[{dimensions}] = {{{}}}; ", text(list));
        }
        let names: Vec<&str> = lists.iter().map(|&(name, _)| name).collect();
        let range = format!("ndrange_{dimensions}D({})", names.join(", "));
        (arrays, range, items)
    }

    /// A statement that adds something of `x` to a sum. Sums do not depend on the order of additions.
    fn add(&mut self, x: &str) -> String {
        let (sum, factor) = (self.random.below(SUMS / 2), 1 + self.random.below(99));
        match self.random.below(4) {
            0 => format!("atomic_xor(&r[{}], 1u << ({x} & 31));", SUMS / 2 + sum),
            1 => format!("atomic_inc(&r[{sum}]);"),
            _ => format!("atomic_add(&r[{sum}], {x} * {factor}u);"),
        }
    }

    /// The next function: it adds to sums and enqueues blocks that call the functions before it.
    fn grower(&mut self) {
        let number = self.growers.len();
        let mut body = String::new();
        let mut blocks = 0;
        for _ in 0..1 + self.random.below(3) {
            let add = self.add("x");
            let _ = writeln!(body, "    {add}");
            if number > 0 || self.random.chance(30) {
                let (text, more) = self.enqueue_part((MOST_BLOCKS / 8).saturating_sub(blocks));
                body += &text;
                blocks += more;
            }
        }
        let _ = write!(
            self.text,
            "void grow{number}(global uint *r, queue_t other, uint x)\n{{\n{body}}}\n"
        );
        self.growers.push(Grower { blocks });
    }

    /// Enqueues a block that leads to no more than so many others; the enqueuer does its work if that fails.
    fn enqueue_part(&mut self, most: u32) -> (String, u32) {
        let (queue, flags) = (self.queue(self.trees_fill), self.flags());
        if self.random.chance(25) {
            return self.local_part(queue, flags);
        }
        let (arrays, range, items) = self.range();
        let fitting: Vec<usize> = (0..self.growers.len())
            .filter(|&n| (self.growers[n].blocks + 1) * items < most)
            .collect();
        let (call, more) = match fitting.is_empty() {
            true => (self.add("y"), 1),
            false => {
                let n = *self.random.pick(&fitting);
                let call = format!("grow{n}(r, other, y);");
                (call, 1 + self.growers[n].blocks * items)
            }
        };
        // A captured structure, or a captured number.
        let (captured, x) = match self.random.chance(30) {
            true => (
                "struct { char tag; uint x; ulong y; } all = {'t', x, x + 1ul}; ",
                "(all.tag == 't' ? (uint)all.y - 1u : 0u)",
            ),
            false => ("", "x"),
        };
        let text = format!(
            "    {{ {captured}{arrays}int status = enqueue_kernel({queue}, {flags}, {range},\n        \
             ^{{ uint y = {x} + (uint)get_global_linear_id(); {call} }});\n      \
             if (status != CLK_SUCCESS)\n        \
             for (uint i = 0; i < {items}; i++) {{ uint y = {x} + i; {call} }} }}\n"
        );
        (text, more)
    }

    /// A block with local memory: each work-item adds its neighbour's word.
    fn local_part(&mut self, queue: &str, flags: &str) -> (String, u32) {
        let (items, local) = (1 + self.random.below(12), 1 + self.random.below(8));
        let (sum, factor) = (self.random.below(SUMS / 2), 1 + self.random.below(99));
        let text = format!(
            "    if (enqueue_kernel({queue}, {flags}, ndrange_1D({items}, {local}), ^(local void *p) {{\n            \
             local uint *words = p;\n            \
             words[get_local_id(0)] = x + (uint)get_global_id(0);\n            \
             barrier(CLK_LOCAL_MEM_FENCE);\n            \
             uint next = words[(get_local_id(0) + 1) % get_local_size(0)];\n            \
             atomic_add(&r[{sum}], next * {factor}u);\n        }}, {}))\n        \
             for (uint i = 0; i < {items}; i++) atomic_add(&r[{sum}], (x + i) * {factor}u);\n",
            4 * local,
        );
        (text, 1)
    }

    fn kernel(&mut self, items: u32) -> String {
        let mut body = String::new();
        if self.random.chance(80) {
            body += &self.commands();
        }
        // All work-items together fill the queue at most.
        let most = MOST_BLOCKS / items;
        if let Some(n) = self.growers.iter().rposition(|grower| grower.blocks < most) {
            let _ = writeln!(body, "    grow{n}(r, other, x + gid);");
        }
        if self.trees_fill && self.random.chance(60) {
            // More than the small queue holds.
            let count = 200 + self.random.below(200);
            let add = self.add("y");
            let _ = writeln!(
                body,
                "    for (uint i = 0; i < {count}; i++) {{\n        uint y = x + i;\n        \
                 if (enqueue_kernel(other, 0, ndrange_1D(1), ^{{ {add} }})) {{ {add} }}\n    }}"
            );
        }
        format!(
            "kernel void k(global uint *r, uint x, queue_t other)\n{{\n    uint gid = get_global_id(0);\n    \
             global uint *w = r + {SUMS} + gid * {WORDS};\n{body}}}\n"
        )
    }

    /// Commands that wait for each other's events.
    fn commands(&mut self) -> String {
        let gates = 1 + self.random.below(2);
        let count = 3 + self.random.below(COMMANDS - 2);
        let mut text = format!(
            "    clk_event_t gate[{gates}], event[{count}];\n    int failed = 0;\n    \
             for (int i = 0; i < {gates}; i++) gate[i] = create_user_event();\n"
        );
        // The commands whose words a command may read: those that it waits for, through markers too.
        let mut seen: Vec<Vec<u32>> = Vec::new();
        for n in 0..count {
            let (mut list, mut before) = (Vec::new(), Vec::new());
            for earlier in 0..n {
                if self.random.chance(30) {
                    list.push(format!("event[{earlier}]"));
                    before.push(earlier);
                    before.extend(&seen[earlier as usize]);
                }
            }
            for gate in 0..gates {
                if self.random.chance(20) || (n == 0 && gate == 0) {
                    list.push(format!("gate[{gate}]"));
                }
            }
            before.sort_unstable();
            before.dedup();
            text += &self.command(n, &list, &before);
            seen.push(before);
        }
        text += &self.end_of_commands(gates, count);
        text
    }

    /// One command, with what it waits for and the commands whose words it reads.
    fn command(&mut self, n: u32, list: &[String], before: &[u32]) -> String {
        let waits = list.len();
        let (array, list) = match waits {
            0 => (String::new(), "0".to_string()),
            _ => (
                format!("clk_event_t list[{waits}] = {{{}}}; ", list.join(", ")),
                "list".to_string(),
            ),
        };
        let (queue, flags) = (self.queue(!self.trees_fill), self.flags());
        if waits > 0 && self.random.chance(20) {
            return format!(
                "    {{ {array}failed |= enqueue_marker({queue}, {waits}, {list}, &event[{n}]); }}\n"
            );
        }
        let mut value = format!("{}u", 1 + self.random.below(1000));
        for &other in before {
            let word = other + self.random.below(2) * COMMANDS;
            let _ = write!(value, " + {}u * w[{word}]", 1 + self.random.below(9));
        }
        let mut block = format!("w[{n}] = {value};");
        if self.random.chance(40) {
            // The command is complete when its child is.
            let _ = write!(
                block,
                " if (enqueue_kernel(get_default_queue(), {}, ndrange_1D(1), ^{{ w[{}] = w[{n}] * 3u; }}))\n            \
                 w[{}] = 77;",
                self.flags(),
                n + COMMANDS,
                WORDS - 1,
            );
        }
        format!(
            "    {{ {array}failed |= enqueue_kernel({queue}, {flags}, ndrange_1D(1), {waits}, {list}, &event[{n}],\n        \
             ^{{ {block} }}); }}\n"
        )
    }

    /// Sets the user events, here or in a block, and gives all events back.
    fn end_of_commands(&mut self, gates: u32, count: u32) -> String {
        let mut text = String::new();
        for gate in 0..gates {
            let status = *self
                .random
                .pick(&["CL_COMPLETE", "CL_COMPLETE", "CL_COMPLETE", "-7"]);
            let end = format!("set_user_event_status(g, {status}); release_event(g);");
            let _ = match self.random.chance(50) {
                true => writeln!(text, "    {{ clk_event_t g = gate[{gate}]; {end} }}"),
                false => writeln!(
                    text,
                    "    {{ clk_event_t g = gate[{gate}];\n      \
                     if (enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), ^{{ {end} }})) {{ {end} }} }}"
                ),
            };
        }
        let twice = self.random.below(count);
        let _ = write!(
            text,
            "    failed |= !is_valid_event(event[{twice}]);\n    retain_event(event[{twice}]);\n    \
             release_event(event[{twice}]);\n    \
             for (int i = 0; i < {count}; i++) release_event(event[i]);\n    \
             if (failed) w[{}] = 1;\n",
            WORDS - 1,
        );
        text
    }
}
