//! Arrays, structs, unions, pointers, constant tables and local memory.

use super::types::{INTEGERS, Scalar, Space, Ty};
use super::{Array, Gen, Record};

impl Gen {
    /// Bit-fields over words that are written first, since a field's word is read too.
    pub(crate) fn bit_fields(&mut self) {
        let name = self.fresh("bf");
        let widths: Vec<u32> = (0..3).map(|_| 1 + self.random.below(20)).collect();
        self.line(&format!(
            "union {{ uint w[4]; struct {{ int a : {}; uint b : {}; int c : {}; }} f; }} {name} = \
             {{ {{ 0, 0, 0, 0 }} }};",
            widths[0], widths[1], widths[2]
        ));
        for (field, scalar) in [("a", Scalar::Int), ("b", Scalar::Uint), ("c", Scalar::Int)] {
            let value = self.expr(Ty::scalar(scalar), 2);
            self.line(&format!("{name}.f.{field} = {value};"));
        }
        let (to, from) = (
            *self.random.pick(&["a", "b", "c"]),
            *self.random.pick(&["a", "c"]),
        );
        let op = *self.random.pick(&["^=", "&=", "|="]);
        self.line(&format!("{name}.f.{to} {op} {name}.f.{from};"));
        self.declared(Ty::scalar(Scalar::Int), &format!("{name}.f.a ^ {name}.f.c"));
        let uint = Ty::scalar(Scalar::Uint);
        self.add_lvalue(format!("{name}.w[0]"), Vec::new(), uint, true);
    }

    /// Makes an array visible, to expressions and to pointers.
    pub(crate) fn array_lvalue(
        &mut self,
        text: &str,
        ty: Ty,
        len: u32,
        space: Space,
        writable: bool,
    ) {
        self.arrays.push(Array {
            text: text.to_string(),
            ty,
            len,
            space,
            writable,
            born: self.lvalues.len(),
        });
        self.add_lvalue(format!("{text}[@]"), vec![len], ty, writable);
    }

    /// Struct types and `__constant` tables at program scope.
    pub(crate) fn records_and_tables(&mut self) {
        if self.has(Self::RECORDS) {
            for _ in 0..1 + self.random.below(3) {
                self.record_type();
            }
        }
        for _ in 0..self.random.below(3) {
            let name = self.fresh("table");
            let ty = self.any_type();
            let len = 1 << self.random.below(5);
            let values = self.literals(ty, len);
            self.top.push_str(&format!(
                "__constant {} {name}[{len}] = {{{values}}};\n",
                ty.name()
            ));
            self.array_lvalue(&name, ty, len, Space::Constant, false);
        }
    }

    fn record_type(&mut self) {
        let name = self.fresh("S");
        let mut leaves = Vec::new();
        let mut text = String::new();
        for at in 0..1 + self.random.below(4) {
            let ty = self.any_type();
            let field = format!("m{at}");
            let nested = self.records.len() as u32;
            match self.random.below(6) {
                0 => {
                    let len = 2 << self.random.below(2);
                    text += &format!(" {} {field}[{len}];", ty.name());
                    leaves.push((format!(".{field}[@]"), vec![len], ty));
                }
                1 if nested > 0 => {
                    let inner = self.records[self.random.below(nested) as usize].clone();
                    text += &format!(" {} {field};", inner.name);
                    for (path, lens, ty) in inner.leaves {
                        leaves.push((format!(".{field}{path}"), lens, ty));
                    }
                }
                2 if nested > 0 => {
                    let inner = self.records[self.random.below(nested) as usize].clone();
                    text += &format!(" {} {field}[2];", inner.name);
                    for (path, lens, ty) in inner.leaves {
                        let lens = [vec![2], lens].concat();
                        leaves.push((format!(".{field}[@]{path}"), lens, ty));
                    }
                }
                _ => {
                    text += &format!(" {} {field};", ty.name());
                    leaves.push((format!(".{field}"), Vec::new(), ty));
                }
            }
        }
        self.top
            .push_str(&format!("typedef struct {{{text} }} {name};\n"));
        self.records.push(Record { name, leaves });
    }

    /// Makes the leaves of a struct visible.
    pub(crate) fn record_lvalues(
        &mut self,
        text: &str,
        record: usize,
        space: Space,
        writable: bool,
    ) {
        for (path, lens, ty) in self.records[record].leaves.clone() {
            if let ([len], Some(start)) = (&lens[..], path.strip_suffix("[@]")) {
                self.array_lvalue(&format!("{text}{start}"), ty, *len, space, writable);
            } else {
                self.add_lvalue(format!("{text}{path}"), lens, ty, writable);
            }
        }
    }

    /// A variable of the struct that is visible (its first leaf betrays it).
    pub(crate) fn record_value(&mut self, record: usize) -> Option<String> {
        let path = self.records[record].leaves[0].0.clone();
        let stem = format!("s{record}_");
        let all: Vec<String> = self
            .lvalues
            .iter()
            .filter_map(|p| p.text.strip_suffix(path.as_str()))
            .filter(|text| text.starts_with(&stem) && !text.contains('.'))
            .map(str::to_string)
            .collect();
        (!all.is_empty()).then(|| self.random.pick(&all).clone())
    }

    /// Declares a struct or a union, or copies a struct.
    pub(crate) fn record_statement(&mut self) {
        if self.random.chance(25) {
            return self.union();
        }
        let record = self.random.below(self.records.len() as u32) as usize;
        let ty = self.records[record].name.clone();
        let source = self.record_value(record);
        let target = self.record_value(record);
        if let (Some(source), Some(target), true) = (&source, target, self.random.chance(40)) {
            return self.line(&format!("{target} = {source};"));
        }
        let name = self.fresh(&format!("s{record}_"));
        match source {
            Some(source) if self.random.chance(60) => {
                if self.random.chance(50) {
                    let (condition, other) = (self.condition(1), self.record_value(record));
                    let other = other.unwrap_or_else(|| source.clone());
                    self.line(&format!("{ty} {name} = {condition} ? {source} : {other};"));
                } else {
                    self.line(&format!("{ty} {name} = {source};"));
                }
            }
            _ => {
                // A vector's braces cannot be left out.
                let first = self.records[record].leaves[0].2.name();
                self.line(&format!("{ty} {name} = {{({first})(0)}};"));
            }
        }
        self.record_lvalues(&name, record, Space::Private, true);
        // A pointer to it sees the same fields.
        if self.has(Self::POINTERS) && self.random.chance(40) {
            let pointer = self.fresh("ps");
            if self.has(Self::GENERICS) && self.random.chance(50) {
                self.line(&format!("{ty} *{pointer} = &{name};"));
                for (path, lens, ty) in self.records[record].leaves.clone() {
                    self.add_lvalue(format!("{pointer}->{}", &path[1..]), lens, ty, true);
                }
            } else {
                self.line(&format!("__private {ty} *{pointer} = &{name};"));
                self.record_lvalues(&format!("(*{pointer})"), record, Space::Private, true);
            }
        }
    }

    /// A union whose members share all bytes.
    fn union(&mut self) {
        let name = self.fresh("u");
        let bytes = *self.random.pick(&[4u32, 8, 16]);
        let members: Vec<Ty> = (0..2 + self.random.below(2))
            .map(|_| {
                let scalar = loop {
                    let scalar = *self.random.pick(&INTEGERS);
                    if scalar.bytes() <= bytes {
                        break scalar;
                    }
                };
                Ty {
                    scalar,
                    lanes: bytes / scalar.bytes(),
                }
            })
            .collect();
        let mut text = String::new();
        let mut arrays = Vec::new();
        for (at, ty) in members.iter().enumerate() {
            let vector = ty.is_vector() && self.has(Self::VECTORS) && self.random.chance(50);
            arrays.push(ty.is_vector() && !vector);
            if ty.is_vector() && !vector {
                text += &format!(" {} m{at}[{}];", ty.scalar.name(), ty.lanes);
            } else {
                text += &format!(" {} m{at};", ty.name());
            }
        }
        let first = members[0];
        self.line(&format!("union {{{text} }} {name};"));
        if arrays[0] {
            let i = self.fresh("i");
            let value = self.expr(first.lane(), 1);
            self.line(&format!(
                "for (uint {i} = 0; {i} < {}; {i}++) {name}.m0[{i}] = {value};",
                first.lanes
            ));
        } else {
            let value = self.expr(first, 2);
            self.line(&format!("{name}.m0 = {value};"));
        }
        for (at, ty) in members.iter().enumerate() {
            if arrays[at] {
                self.add_lvalue(format!("{name}.m{at}[@]"), vec![ty.lanes], ty.lane(), true);
            } else {
                self.add_lvalue(format!("{name}.m{at}"), Vec::new(), *ty, true);
            }
        }
    }

    /// Declares an array, initialised by a list or by a loop.
    pub(crate) fn array(&mut self) {
        let ty = self.any_type();
        let name = self.fresh("a");
        let len = 2 << self.random.below(4);
        if len <= 4 {
            let values: Vec<String> = (0..len).map(|_| self.expr(ty, 1)).collect();
            let list = values.join(", ");
            self.line(&format!("{} {name}[{len}] = {{{list}}};", ty.name()));
        } else if self.random.chance(30) {
            self.line(&format!("{0} {name}[{len}] = {{({0})(0)}};", ty.name()));
        } else {
            let i = self.fresh("i");
            let at = self.lvalues.len();
            self.add_lvalue(i.clone(), Vec::new(), Ty::scalar(Scalar::Uint), false);
            let value = self.expr(ty, 2);
            self.lvalues.truncate(at);
            self.line(&format!("{} {name}[{len}];", ty.name()));
            self.line(&format!(
                "for (uint {i} = 0; {i} < {len}; {i}++) {name}[{i}] = {value};"
            ));
        }
        self.array_lvalue(&name, ty, len, Space::Private, true);
        if ty.is_vector() || !self.has(Self::VECTORS) || len < 4 || self.random.chance(50) {
            return;
        }
        // A whole vector out of it or into it.
        let wide = Ty { lanes: 4, ..ty };
        let at = self.index(len / 4);
        if self.random.chance(50) {
            let value = self.fresh("v");
            self.line(&format!("{} {value} = vload4({at}, {name});", wide.name()));
            self.add_lvalue(value, Vec::new(), wide, true);
        } else {
            let value = self.expr(wide, 2);
            self.line(&format!("vstore4({value}, {at}, {name});"));
        }
    }

    /// A pointer to `len` elements that live as long as lvalue number `before`.
    pub(crate) fn pointer_to(
        &mut self,
        space: Option<Space>,
        ty: Ty,
        len: u32,
        writable: bool,
        before: usize,
    ) -> Option<String> {
        // Constant memory is no part of the generic space.
        let space_fits = |found: Space| match space {
            Some(space) => space == found,
            None => found != Space::Constant,
        };
        let all: Vec<Array> = self
            .arrays
            .iter()
            .filter(|a| {
                a.ty == ty
                    && a.len >= len
                    && space_fits(a.space)
                    && (a.writable || !writable)
                    && a.born < before
            })
            .cloned()
            .collect();
        if all.is_empty() {
            return self.address_of(space, ty, len, writable, before);
        }
        let pick = |g: &mut Self| {
            let array = g.random.pick(&all).clone();
            if array.len == len || g.random.chance(30) {
                return array.text;
            }
            let offset = if array.len >= 2 * len && g.random.chance(60) {
                g.index(array.len / 2)
            } else {
                (array.len - len).to_string()
            };
            if array.len / 2 + len > array.len + 1 {
                return array.text;
            }
            if g.random.chance(50) {
                format!("({} + {offset})", array.text)
            } else {
                format!("&{}[{offset}]", array.text)
            }
        };
        let first = pick(self);
        let same_space = space.is_some();
        if same_space && self.random.chance(30) {
            let (condition, second) = (self.condition(1), pick(self));
            return Some(format!("({condition} ? {first} : {second})"));
        }
        Some(first)
    }

    /// The address of a single variable.
    fn address_of(
        &mut self,
        space: Option<Space>,
        ty: Ty,
        len: u32,
        writable: bool,
        before: usize,
    ) -> Option<String> {
        if len != 1 || !matches!(space, None | Some(Space::Private)) {
            return None;
        }
        let all: Vec<String> = self.lvalues[..before.min(self.lvalues.len())]
            .iter()
            .filter(|p| {
                let plain = p.text.chars().all(|c| c.is_ascii_alphanumeric());
                let plain = plain && !p.text.starts_with("vol");
                p.ty == ty && p.lens.is_empty() && plain && (p.writable || !writable)
            })
            .map(|p| p.text.clone())
            .collect();
        // Counters and ids are read only, but addresses of them may be taken.
        (!all.is_empty()).then(|| format!("&{}", self.random.pick(&all)))
    }

    /// Declares a pointer.
    pub(crate) fn pointer_statement(&mut self) {
        if self.arrays.is_empty() {
            return self.array();
        }
        let array = self.random.below(self.arrays.len() as u32) as usize;
        let array = self.arrays[array].clone();
        let len = (array.len / 2).max(1);
        let space = Some(array.space);
        let before = self.lvalues.len();
        let Some(value) = self.pointer_to(space, array.ty, len, array.writable, before) else {
            return self.assignment();
        };
        let name = self.fresh("p");
        let constant = if array.writable { "" } else { "const " };
        let qualifier = array.space.qualifier();
        let ty = array.ty.name();
        let generic = self.has(Self::GENERICS) && array.space != Space::Constant;
        if generic && self.random.chance(50) {
            let mut value = value;
            if self.random.chance(60) {
                let other = self.pointer_to(None, array.ty, len, array.writable, before);
                if let Some(other) = other {
                    let condition = self.condition(1);
                    value = format!(
                        "{condition} ? ({constant}{ty} *)({value}) : ({constant}{ty} *)({other})"
                    );
                }
            }
            self.line(&format!("{constant}{ty} *{name} = {value};"));
            return self.add_lvalue(format!("{name}[@]"), vec![len], array.ty, array.writable);
        }
        self.line(&format!("{qualifier}{constant}{ty} *{name} = {value};"));
        self.array_lvalue(&name, array.ty, len, array.space, array.writable);
        match self.random.below(4) {
            0 => {
                // Through a pointer to the pointer, which is then moved.
                let outer = self.fresh("pp");
                self.line(&format!("{qualifier}{constant}{ty} **{outer} = &{name};"));
                if let Some(value) = self.pointer_to(space, array.ty, len, array.writable, before) {
                    let condition = self.condition(1);
                    self.line(&format!("if ({condition}) *{outer} = {value};"));
                }
                self.add_lvalue(
                    format!("(*{outer})[@]"),
                    vec![len],
                    array.ty,
                    array.writable,
                );
            }
            1 => {
                // Stored in a struct beside a number.
                let holder = self.fresh("h");
                self.line(&format!(
                    "struct {{ {qualifier}{constant}{ty} *p; char n; }} {holder} = {{{name}, 1}};"
                ));
                self.add_lvalue(
                    format!("{holder}.p[@]"),
                    vec![len],
                    array.ty,
                    array.writable,
                );
            }
            2 if array.space != Space::Constant => {
                // Its bytes, seen one by one.
                let bytes = self.fresh("b");
                let count = array.ty.scalar.bytes();
                if !array.ty.is_float() {
                    self.line(&format!(
                        "{qualifier}{constant}uchar *{bytes} = ({qualifier}{constant}uchar *){name};"
                    ));
                    let ty = Ty::scalar(Scalar::Uchar);
                    self.add_lvalue(format!("{bytes}[@]"), vec![count], ty, array.writable);
                }
            }
            _ => {
                if let Some(value) = self.pointer_to(space, array.ty, len, array.writable, before) {
                    let condition = self.condition(1);
                    self.line(&format!("if ({condition}) {name} = {value};"));
                }
            }
        }
    }

    /// Values go from work-item to work-item through local memory.
    pub(crate) fn exchange(&mut self) {
        let ty = self.any_type();
        let name = self.fresh("lm");
        let group = self.group;
        match self.random.below(8) {
            0 | 1 => return self.counters(&name),
            2 => return self.tickets(&name),
            _ => {}
        }
        self.locals += &format!("    __local {} {name}[{group}];\n", ty.name());
        let value = self.expr(ty, 2);
        self.line(&format!("{name}[lid] = {value};"));
        self.line("barrier(CLK_LOCAL_MEM_FENCE);");
        let other = match self.random.below(3) {
            0 => format!("(lid + {}) % {group}", 1 + self.random.below(5)),
            1 => format!("(lid ^ {}) & {}", 1 + self.random.below(7), group - 1),
            _ => self.index(group),
        };
        self.declared(ty, &format!("{name}[{other}]"));
        self.line("barrier(CLK_LOCAL_MEM_FENCE);");
        self.add_lvalue(format!("{name}[lid]"), Vec::new(), ty, true);
    }

    /// Atomic operations whose order does not matter.
    fn counters(&mut self, name: &str) {
        let scalar = *self.random.pick(&[Scalar::Int, Scalar::Uint]);
        let ty = Ty::scalar(scalar);
        self.locals += &format!("    __local {} {name}[4];\n", ty.name());
        self.line(&format!(
            "for (uint i = lid; i < 4; i += {}) {name}[i] = i;",
            self.group
        ));
        self.line("barrier(CLK_LOCAL_MEM_FENCE);");
        let operation = *self
            .random
            .pick(&["add", "sub", "or", "xor", "and", "min", "max"]);
        for _ in 0..1 + self.random.below(2) {
            let (index, value) = (self.index(4), self.expr(ty, 2));
            self.line(&format!("atomic_{operation}(&{name}[{index}], {value});"));
        }
        self.line("barrier(CLK_LOCAL_MEM_FENCE);");
        let index = self.index(4);
        self.declared(ty, &format!("{name}[{index}]"));
        self.line("barrier(CLK_LOCAL_MEM_FENCE);");
    }

    /// Atomic operations whose results are used: which work-item gets which of them is open, the sum of what is made of them
    /// is not.
    fn tickets(&mut self, name: &str) {
        let uint = Ty::scalar(Scalar::Uint);
        self.locals += &format!("    __local uint {name}[3];\n");
        self.line(&format!(
            "if (lid == 0) {name}[0] = {name}[1] = {name}[2] = 0;"
        ));
        self.line("barrier(CLK_LOCAL_MEM_FENCE);");
        let ticket = self.fresh("t");
        let taken = match self.random.below(4) {
            0 => format!("{ticket} = atomic_add(&{name}[0], 3u);"),
            1 => format!("{ticket} = atomic_sub(&{name}[0], 1u);"),
            2 => {
                // The compare-and-swap that finds its number.
                let seen = self.fresh("t");
                format!(
                    "for (uint {seen} = 0; ({ticket} = atomic_cmpxchg(&{name}[0], {seen}, {seen} + 1)) != {seen};) {seen} = {ticket};"
                )
            }
            _ => format!("{ticket} = atomic_inc(&{name}[0]);"),
        };
        self.line(&format!("uint {ticket};"));
        self.line(&taken);
        let factor = 1 + self.random.below(9);
        self.line(&format!(
            "atomic_add(&{name}[1], {ticket} * {ticket} + {factor} * {ticket});"
        ));
        self.line(&format!("atomic_xor(&{name}[2], 1u << ({ticket} & 31));"));
        self.line("barrier(CLK_LOCAL_MEM_FENCE);");
        for at in 0..3 {
            self.declared(uint, &format!("{name}[{at}]"));
        }
        self.line("barrier(CLK_LOCAL_MEM_FENCE);");
    }
}
