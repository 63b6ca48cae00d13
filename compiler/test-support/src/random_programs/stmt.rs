//! Statements and functions.

use super::types::{Scalar, Space, Ty};
use super::{Flow, Function, Gen, Param};

/// Visible names, to be restored behind a block.
struct Scope(usize, usize);

impl Gen {
    fn scope(&self) -> Scope {
        Scope(self.lvalues.len(), self.arrays.len())
    }

    fn leave(&mut self, scope: &Scope) {
        self.lvalues.truncate(scope.0);
        self.arrays.truncate(scope.1);
    }

    /// `head {`, statements, `}`; `last` is the block's last line.
    fn block(&mut self, head: &str, count: u32, flow: Flow, last: &str) {
        let scope = self.scope();
        self.line(&format!("{head} {{"));
        self.indent += 1;
        self.statements(count, flow);
        if !last.is_empty() {
            self.line(last);
        }
        self.indent -= 1;
        self.line("}");
        self.leave(&scope);
    }

    fn statements(&mut self, count: u32, flow: Flow) {
        let flow = Flow {
            depth: flow.depth + 1,
            ..flow
        };
        for _ in 0..count {
            if self.budget > 0 {
                self.statement(flow);
            }
        }
    }

    /// Any statement.
    pub(crate) fn statement(&mut self, flow: Flow) {
        self.budget -= 1;
        let deep = flow.depth >= 3;
        match self.random.below(40) {
            0..=4 => self.declaration(),
            5 | 6 if !deep => self.branch(flow),
            7..=9 if !deep && self.has(Self::LOOPS) => self.repetition(flow),
            10 if !deep && self.has(Self::SWITCHES) => self.switch(flow),
            11 if !deep && self.has(Self::GOTOS) => self.jumps(flow),
            12 | 13 if self.has(Self::ARRAYS) => self.array(),
            14 | 15 if self.has(Self::RECORDS) => self.record_statement(),
            34 if self.has(Self::RECORDS) => self.bit_fields(),
            16..=18 if self.has(Self::POINTERS) => self.pointer_statement(),
            19..=21 if self.has(Self::CALLS) => self.call_statement(),
            22..=24 if flow.uniform && self.has(Self::LOCALS) => self.exchange(),
            25 if flow.uniform && self.has(Self::COLLECTIVES) => self.collective(),
            38 if flow.uniform && self.has(Self::LOCALS) => self.group_copy(),
            38 | 39 if self.has(Self::FLOATS) => self.parts_of_float(),
            35..=37 if !self.images.is_empty() => self.image_statement(flow.uniform),
            25 | 26 => self.leave_early(flow),
            27 if self.has(Self::VECTORS) => self.component_assignment(),
            28 | 29 => self.compound_assignment(),
            _ => self.assignment(),
        }
    }

    fn declaration(&mut self) {
        let ty = self.any_type();
        let value = self.expr(ty, 3);
        // Pointers to volatile variables have another type: `address_of` knows them by their names.
        let (stem, qualifier) = match self.random.chance(10) {
            true => ("vol", "volatile "),
            false => ("v", ""),
        };
        let name = self.fresh(stem);
        self.line(&format!("{qualifier}{} {name} = {value};", ty.name()));
        self.add_lvalue(name, Vec::new(), ty, true);
    }

    /// An lvalue that may be written, of any type or of the given kind.
    pub(crate) fn target(&mut self, suits: impl Fn(Ty) -> bool) -> Option<(String, Ty)> {
        let all: Vec<usize> = (0..self.lvalues.len())
            .filter(|i| self.lvalues[*i].writable && suits(self.lvalues[*i].ty))
            .collect();
        if all.is_empty() {
            return None;
        }
        let at = *self.random.pick(&all);
        let ty = self.lvalues[at].ty;
        Some((self.lvalue(at), ty))
    }

    pub(crate) fn assignment(&mut self) {
        if let Some((text, ty)) = self.target(|_| true) {
            let value = self.expr(ty, 3);
            self.line(&format!("{text} = {value};"));
        }
    }

    fn compound_assignment(&mut self) {
        let Some((text, ty)) = self.target(|ty| !ty.is_float()) else {
            return;
        };
        let small = ty.scalar.bytes() < 4 && !ty.is_vector();
        let wraps = !ty.scalar.is_signed() || small;
        if wraps && self.random.chance(30) {
            let op = *self.random.pick(&["++", "--"]);
            let behind = self.random.chance(50);
            return self.line(&if behind {
                format!("{text}{op};")
            } else {
                format!("{op}{text};")
            });
        }
        let operators: &[&str] = if wraps && ty.scalar != Scalar::Ushort {
            &["+=", "-=", "*=", "&=", "|=", "^=", "<<=", ">>="]
        } else {
            &["&=", "|=", "^=", "<<=", ">>="]
        };
        let op = *self.random.pick(operators);
        let other = if ty.is_vector() || small {
            ty
        } else {
            ty.of(self.any_integer().scalar)
        };
        // A wider signed operand would make the operation signed.
        let other = if "+=-=*=".contains(op) { ty } else { other };
        let value = self.expr(other, 2);
        self.line(&format!("{text} {op} {value};"));
    }

    /// Writes components of a vector.
    fn component_assignment(&mut self) {
        let Some((text, ty)) = self.target(Ty::is_vector) else {
            return;
        };
        let lanes = *self.random.pick(&[1, 2, 4]);
        if lanes == 1 || lanes >= ty.lanes {
            let value = self.expr(ty.lane(), 2);
            let lane = self.random.below(ty.lanes);
            return self.line(&format!("{text}.s{lane:x} = {value};"));
        }
        let value = self.expr(Ty { lanes, ..ty }, 2);
        if lanes * 2 == ty.lanes && self.random.chance(50) {
            let half = *self.random.pick(&["lo", "hi", "even", "odd"]);
            return self.line(&format!("{text}.{half} = {value};"));
        }
        // A rotated, perhaps reversed run of lanes: each once.
        let (start, reversed) = (self.random.below(ty.lanes), self.random.chance(50));
        let mut picked: Vec<u32> = (0..lanes).map(|i| (start + i) % ty.lanes).collect();
        if reversed {
            picked.reverse();
        }
        let names: String = picked.iter().map(|lane| format!("{lane:x}")).collect();
        self.line(&format!("{text}.s{names} = {value};"));
    }

    /// A condition, and whether all work-items of a group agree on it.
    fn branch_condition(&mut self, flow: Flow) -> (String, bool) {
        if flow.uniform && self.random.chance(40) {
            let bit = self.random.below(8);
            return (format!("((int)in[{bit}] & 1) == 0"), true);
        }
        (self.condition(2), false)
    }

    fn branch(&mut self, flow: Flow) {
        let (condition, uniform) = self.branch_condition(flow);
        let flow = Flow {
            uniform: flow.uniform && uniform,
            ..flow
        };
        let count = 1 + self.random.below(4);
        self.block(&format!("if ({condition})"), count, flow, "");
        while self.random.chance(30) {
            let condition = self.condition(1);
            let flow = Flow {
                uniform: false,
                ..flow
            };
            self.block(&format!("else if ({condition})"), 2, flow, "");
        }
        if self.random.chance(50) {
            let uniform = false;
            self.block("else", 2, Flow { uniform, ..flow }, "");
        }
    }

    fn repetition(&mut self, flow: Flow) {
        let counter = self.fresh("i");
        let rounds = if flow.uniform && self.random.chance(50) {
            (1 + self.random.below(5)).to_string()
        } else {
            let ty = Ty::scalar(Scalar::Uint);
            let value = self.leaf(ty);
            format!("({value} & 3) + {}", self.random.below(3))
        };
        let uniform = flow.uniform && rounds.len() == 1;
        let inner = Flow {
            uniform,
            // Work-items that leave early would miss barriers.
            breakable: !uniform,
            continuable: !uniform,
            ..flow
        };
        let count = 1 + self.random.below(4);
        let step = self.random.below(3);
        let scope = self.scope();
        let ty = Ty::scalar(Scalar::Uint);
        match step {
            0 => {
                self.add_lvalue(counter.clone(), Vec::new(), ty, false);
                let limit = self.fresh("n");
                let head = format!(
                    "for (uint {counter} = 0, {limit} = {rounds}; {counter} < {limit}; {counter}++)"
                );
                self.block(&head, count, inner, "");
            }
            1 => {
                let extra = if uniform {
                    "1".to_string()
                } else {
                    self.condition(1)
                };
                self.line(&format!("uint {counter} = {rounds};"));
                self.add_lvalue(counter.clone(), Vec::new(), ty, false);
                let head = format!("while ({counter}-- > 0 && {extra})");
                self.block(&head, count, inner, "");
            }
            _ => {
                self.line(&format!("uint {counter} = 0;"));
                self.add_lvalue(counter.clone(), Vec::new(), ty, false);
                self.block("do", count, inner, "");
                self.line(&format!("while (++{counter} < {rounds});"));
            }
        }
        if step == 0 {
            self.leave(&scope);
        }
    }

    fn switch(&mut self, flow: Flow) {
        let ty = self.any_integer();
        let value = self.expr(ty, 2);
        // A long one has many places behind its selection.
        let long = flow.depth < 2 && self.random.chance(15);
        let cases = match long {
            true => 9 + self.random.below(7),
            false => 2 + self.random.below(5),
        };
        let default = self.random.below(cases + 2);
        let flow = Flow {
            uniform: false,
            breakable: true,
            ..flow
        };
        let mask = if long { 15 } else { 7 };
        self.line(&format!("switch ({value} & {mask}) {{"));
        for case in 0..cases {
            if case == default {
                self.line("default:");
            }
            let stride = if long || self.random.chance(80) {
                case
            } else {
                7 - case / 4
            };
            if stride == case {
                self.line(&format!("case {case}:"));
            } else {
                self.line(&format!("case {}:", 100 + case));
            }
            let ends = if long { 10 } else { 60 };
            let last = if self.random.chance(ends) {
                "break;"
            } else {
                ""
            };
            let count = 1 + self.random.below(2);
            if long {
                self.budget = self.budget.max(1);
            }
            self.block("", count, flow, last);
        }
        self.line("}");
    }

    /// Chunks with labels and jumps between them in any direction; a counter ends them.
    fn jumps(&mut self, flow: Flow) {
        let fuel = self.fresh("fuel");
        let labels: Vec<String> = (0..2 + self.random.below(4))
            .map(|_| self.fresh("L"))
            .collect();
        let flow = Flow {
            uniform: false,
            breakable: false,
            continuable: false,
            ..flow
        };
        self.line(&format!("uint {fuel} = 0;"));
        let jump = |g: &mut Self| {
            let condition = g.condition(1);
            let to = g.random.pick(&labels).clone();
            g.line(&format!("if ({condition} && {fuel}++ < 6) goto {to};"));
        };
        if self.random.chance(50) {
            jump(self);
        }
        let mut inside = 0;
        for label in &labels {
            // Some labels stand in a loop or a branch, so that jumps lead into it.
            let wrapped = self.random.below(5);
            if wrapped == 0 {
                self.line(&format!("while ({fuel}++ < 9) {{"));
            } else if wrapped == 1 {
                let condition = self.condition(1);
                self.line(&format!("if ({condition}) {{"));
            }
            inside += u32::from(wrapped < 2);
            let count = 1 + self.random.below(2);
            if wrapped < 2 {
                self.block("", 1, flow, "");
            }
            self.line(&format!("{label}: ;"));
            self.block("", count, flow, "");
            jump(self);
            if wrapped < 2 && self.random.chance(60) {
                self.line("}");
                inside -= 1;
            }
        }
        for _ in 0..inside {
            self.line("}");
        }
    }

    fn leave_early(&mut self, flow: Flow) {
        let condition = self.condition(1);
        match flow.result {
            Some(result) if self.random.chance(30) => {
                let value = self.expr(result, 1);
                self.line(&format!("if ({condition}) return {value};"));
            }
            _ if flow.continuable && self.random.chance(50) => {
                self.line(&format!("if ({condition}) continue;"));
            }
            _ if flow.breakable => self.line(&format!("if ({condition}) break;")),
            _ => self.assignment(),
        }
    }

    /// A function with a body, before the kernel.
    pub(crate) fn function(&mut self) {
        let name = self.fresh("f");
        let lvalues = std::mem::take(&mut self.lvalues);
        let arrays = std::mem::take(&mut self.arrays);
        self.lvalues.extend(
            lvalues
                .iter()
                .filter(|p| p.text.starts_with("table"))
                .cloned(),
        );
        let mut params = Vec::new();
        let mut texts = Vec::new();
        for at in 0..1 + self.random.below(4) {
            let param = self.param(at);
            texts.push(param.1);
            params.push(param.0);
        }
        let result = self.any_type();
        let record = match params[0] {
            Param::Record(at) if self.random.chance(50) => Some(at),
            _ => None,
        };
        self.budget = 3 + self.random.below(6) as i32;
        let flow = Flow {
            result: (record.is_none()).then_some(result),
            depth: 1,
            ..Flow::default()
        };
        self.add_lvalue("lid", Vec::new(), Ty::scalar(Scalar::Uint), false);
        self.add_lvalue("gid", Vec::new(), Ty::scalar(Scalar::Uint), false);
        while self.budget > 0 {
            self.statement(flow);
        }
        let (value, shown) = match record {
            Some(at) => ("q0".to_string(), self.records[at].name.clone()),
            None => (self.expr(result, 2), result.name()),
        };
        self.line(&format!("return {value};"));
        let body = std::mem::take(&mut self.body);
        // By a number that is at hand: what else a seed gives does not depend on it.
        let attribute = match self.names % 5 {
            0 | 1 => "__attribute__((noinline)) ",
            _ => "",
        };
        self.top.push_str(&format!(
            "{attribute}{shown} {name}({}) {{\n    uint lid = get_local_id(0), gid = get_global_id(0);\n{body}}}\n",
            texts.join(", ")
        ));
        self.lvalues = lvalues;
        self.arrays = arrays;
        self.functions.push(Function {
            name,
            params,
            result,
            record,
        });
    }

    /// One parameter and its declaration.
    fn param(&mut self, at: u32) -> (Param, String) {
        let name = format!("q{at}");
        let ty = self.any_type();
        if self.has(Self::RECORDS) && !self.records.is_empty() && self.random.chance(25) {
            let record = self.random.below(self.records.len() as u32) as usize;
            let text = format!("{} {name}", self.records[record].name);
            self.record_lvalues(&name, record, Space::Private, true);
            return (Param::Record(record), text);
        }
        if self.has(Self::POINTERS) && self.random.chance(35) {
            let mut spaces = vec![Space::Private, Space::Private, Space::Global];
            if self.has(Self::LOCALS) {
                spaces.push(Space::Local);
            }
            let space = *self.random.pick(&spaces);
            let generic = self.has(Self::GENERICS) && self.random.chance(60);
            let writable = self.random.chance(60);
            let len = *self.random.pick(&[1, 2, 4]);
            let qualifier = if generic { "" } else { space.qualifier() };
            let constant = if writable { "" } else { "const " };
            let text = format!("{qualifier}{constant}{} *{name}", ty.name());
            self.add_lvalue(format!("{name}[@]"), vec![len], ty, writable);
            let space = (!generic).then_some(space);
            return (Param::Pointer(space, ty, len, writable), text);
        }
        self.add_lvalue(name.clone(), Vec::new(), ty, true);
        (Param::Value(ty), format!("{} {name}", ty.name()))
    }

    /// A call without side effects as an expression.
    pub(crate) fn call(&mut self, ty: Ty, depth: u32) -> Option<String> {
        let suits = |f: &Function| {
            f.record.is_none() && f.params.iter().all(|p| matches!(p, Param::Value(_)))
        };
        let all: Vec<Function> = self
            .functions
            .iter()
            .filter(|f| suits(f))
            .cloned()
            .collect();
        if all.is_empty() {
            return None;
        }
        let function = self.random.pick(&all).clone();
        let mut args = Vec::new();
        for param in &function.params {
            if let Param::Value(ty) = *param {
                args.push(self.expr(ty, depth.min(1)));
            }
        }
        let call = format!("{}({})", function.name, args.join(", "));
        Some(self.convert(&call, function.result, ty))
    }

    /// A call as a statement: it may write through its pointers.
    fn call_statement(&mut self) {
        if self.functions.is_empty() {
            return self.assignment();
        }
        let at = self.random.below(self.functions.len() as u32) as usize;
        let function = self.functions[at].clone();
        let mut args = Vec::new();
        for param in &function.params {
            let arg = match *param {
                Param::Value(ty) => Some(self.expr(ty, 2)),
                Param::Pointer(space, ty, len, writable) => {
                    self.pointer_to(space, ty, len, writable, self.lvalues.len())
                }
                Param::Record(record) => self.record_value(record),
            };
            let Some(arg) = arg else {
                return self.assignment();
            };
            args.push(arg);
        }
        let call = format!("{}({})", function.name, args.join(", "));
        if let Some(record) = function.record {
            let name = self.fresh(&format!("s{record}_"));
            let ty = self.records[record].name.clone();
            self.line(&format!("{ty} {name} = {call};"));
            return self.record_lvalues(&name, record, Space::Private, true);
        }
        self.declared(function.result, &call);
    }
}
