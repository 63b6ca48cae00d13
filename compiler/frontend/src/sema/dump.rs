//! The typed tree as text, for tests and for people.
//!
//! One line per statement, expressions as nested calls. Types follow a colon. The form is not
//! read back.
use std::fmt::Write;

use super::typed::{
    Body, ConstData, ExprId, ExprKind, Function, Init, Linkage, LvalueId, LvalueKind, StmtId,
    StmtKind, TypedModule,
};

/// The module as text.
pub fn dump(module: &TypedModule) -> String {
    let mut out = String::new();
    for (index, global) in module.globals.iter().enumerate() {
        let _ = write!(
            out,
            "{} @{index} {}: {} {} align {}",
            linkage(global.linkage),
            global.name,
            global.space.name(),
            module.types.display_qual(global.ty),
            global.align
        );
        if let Some(init) = &global.init {
            let _ = write!(out, " = {}", data(init));
        }
        out.push('\n');
    }
    for function in &module.functions {
        dump_function(module, function, &mut out);
    }
    out
}

fn linkage(linkage: Linkage) -> &'static str {
    match linkage {
        Linkage::Internal => "internal",
        Linkage::External => "export",
        Linkage::Weak => "weak",
        Linkage::Import => "import",
    }
}

fn data(data: &ConstData) -> String {
    let mut text = String::new();
    let zeros = data.bytes.iter().rev().take_while(|b| **b == 0).count();
    let shown = data.bytes.len() - zeros;
    for byte in &data.bytes[..shown] {
        let _ = write!(text, "{byte:02x}");
    }
    if zeros > 0 {
        let _ = write!(text, "+{zeros}z");
    }
    for reloc in &data.relocs {
        let _ = write!(
            text,
            " [{}: @{}+{}]",
            reloc.offset, reloc.target.0, reloc.addend
        );
    }
    text
}

fn dump_function(module: &TypedModule, function: &Function, out: &mut String) {
    let params: Vec<String> = function
        .params
        .iter()
        .map(|&p| module.types.display(p))
        .collect();
    let kernel = if function.kernel.is_some() {
        "kernel "
    } else {
        ""
    };
    let _ = writeln!(
        out,
        "{} {kernel}{}({}) -> {}",
        linkage(function.linkage),
        function.link_name,
        params.join(", "),
        module.types.display(function.ret)
    );
    if let Some(info) = &function.kernel {
        for arg in &info.args {
            let _ = writeln!(
                out,
                "  arg {} '{}' '{}' {}",
                arg.name,
                arg.type_name,
                arg.type_qualifiers,
                arg.space.name()
            );
        }
        if let Some([x, y, z]) = info.reqd_work_group_size {
            let _ = writeln!(out, "  reqd_work_group_size {x} {y} {z}");
        }
        if !info.attributes.is_empty() {
            let _ = writeln!(out, "  attributes {}", info.attributes.join(" "));
        }
    }
    if let Some(body) = &function.body {
        let mut dumper = Dumper { module, body, out };
        if let Some(root) = body.root {
            dumper.stmt(root, 1);
        }
    }
}

struct Dumper<'a> {
    module: &'a TypedModule,
    body: &'a Body,
    out: &'a mut String,
}

impl Dumper<'_> {
    fn line(&mut self, depth: usize, text: &str) {
        for _ in 0..depth {
            self.out.push_str("  ");
        }
        self.out.push_str(text);
        self.out.push('\n');
    }

    fn stmt(&mut self, id: StmtId, depth: usize) {
        let body = self.body;
        match &body.stmt(id).kind {
            StmtKind::Expr(expr) => {
                let text = self.expr(*expr);
                self.line(depth, &text);
            }
            StmtKind::Decl { local, init } => {
                let variable = body.local(*local);
                let mut text = format!(
                    "let %{} {}: {}",
                    local.0,
                    variable.name,
                    self.module.types.display_qual(variable.ty)
                );
                if let Some(init) = init {
                    let _ = write!(text, " = {}", self.init(init));
                }
                self.line(depth, &text);
            }
            StmtKind::Block(stmts) => {
                self.line(depth, "{");
                for &stmt in stmts {
                    self.stmt(stmt, depth + 1);
                }
                self.line(depth, "}");
            }
            StmtKind::If {
                cond,
                then,
                otherwise,
            } => {
                let text = format!("if {}", self.expr(*cond));
                self.line(depth, &text);
                self.stmt(*then, depth + 1);
                if let Some(otherwise) = otherwise {
                    self.line(depth, "else");
                    self.stmt(*otherwise, depth + 1);
                }
            }
            StmtKind::Loop {
                init,
                cond,
                post_test,
                step,
                body,
                hint,
            } => {
                let cond = cond.map_or("true".to_string(), |c| self.expr(c));
                let step = step.map_or(String::new(), |s| format!(" step {}", self.expr(s)));
                let word = if *post_test { "do-while" } else { "while" };
                self.line(depth, &format!("{word} {cond}{step} {hint:?}"));
                for &stmt in init {
                    self.line(depth, "init");
                    self.stmt(stmt, depth + 1);
                }
                self.stmt(*body, depth + 1);
            }
            StmtKind::Switch {
                value,
                cases,
                default,
                body,
            } => {
                let mut text = format!("switch {}", self.expr(*value));
                for case in cases {
                    let _ = write!(text, " {}..{}=>L{}", case.lo, case.hi, case.label.0);
                }
                if let Some(label) = default {
                    let _ = write!(text, " default=>L{}", label.0);
                }
                self.line(depth, &text);
                self.stmt(*body, depth + 1);
            }
            StmtKind::Label(label) => self.line(depth, &format!("L{}:", label.0)),
            StmtKind::Goto(label) => self.line(depth, &format!("goto L{}", label.0)),
            StmtKind::Break => self.line(depth, "break"),
            StmtKind::Continue => self.line(depth, "continue"),
            StmtKind::Return(None) => self.line(depth, "return"),
            StmtKind::Return(Some(value)) => {
                let text = format!("return {}", self.expr(*value));
                self.line(depth, &text);
            }
        }
    }

    fn init(&self, init: &Init) -> String {
        match init {
            Init::Expr(expr) => self.expr(*expr),
            Init::Const(bytes) => format!("const {}", data(bytes)),
            Init::List { zero_fill, elems } => {
                let mut text = String::from("{");
                if *zero_fill {
                    text.push_str("zero; ");
                }
                let parts: Vec<String> = elems
                    .iter()
                    .map(|e| format!("{:?} {}", e.path, self.expr(e.value)))
                    .collect();
                text.push_str(&parts.join("; "));
                text.push('}');
                text
            }
        }
    }

    fn lvalue(&self, id: LvalueId) -> String {
        let lvalue = self.body.lvalue(id);
        match &lvalue.kind {
            LvalueKind::Local(local) => format!("%{}", local.0),
            LvalueKind::Global(global) => format!("@{}", global.0),
            LvalueKind::Deref(pointer) => format!("*{}", self.expr(*pointer)),
            LvalueKind::Field { base, field } => format!("{}.{field}", self.lvalue(*base)),
            LvalueKind::Lanes { base, lanes, .. } => format!("{}.{lanes:?}", self.lvalue(*base)),
            LvalueKind::Lane { base, index } => {
                format!("{}.[{}]", self.lvalue(*base), self.expr(*index))
            }
            LvalueKind::Literal { local, init } => {
                format!("(%{} = {})", local.0, self.init(init))
            }
            LvalueKind::Temporary(value) => format!("temp({})", self.expr(*value)),
        }
    }

    fn expr(&self, id: ExprId) -> String {
        let expr = self.body.expr(id);
        let ty = self.module.types.display(expr.ty);
        let two = |name: &str, a: ExprId, b: ExprId| {
            format!("{name}({}, {}):{ty}", self.expr(a), self.expr(b))
        };
        match &expr.kind {
            ExprKind::Int(bits) => format!("{bits}:{ty}"),
            ExprKind::Float(value) => format!("{value:?}:{ty}"),
            ExprKind::Null => format!("null:{ty}"),
            ExprKind::Zero => format!("zero:{ty}"),
            ExprKind::Block { func, context } => {
                format!("block(f{}, {})", func.0, self.expr(*context))
            }
            ExprKind::Sampler(mask) => format!("sampler({mask:#x})"),
            ExprKind::Load(lvalue) => format!("load {}", self.lvalue(*lvalue)),
            ExprKind::AddrOf(lvalue) => format!("&{}", self.lvalue(*lvalue)),
            ExprKind::Decay(lvalue) => format!("decay {}", self.lvalue(*lvalue)),
            ExprKind::Convert { kind, operand } => {
                format!("{kind:?}({}):{ty}", self.expr(*operand))
            }
            ExprKind::Neg(e) => format!("Neg({})", self.expr(*e)),
            ExprKind::BitNot(e) => format!("BitNot({})", self.expr(*e)),
            ExprKind::Not(e) => format!("Not({}):{ty}", self.expr(*e)),
            ExprKind::Binary { op, lhs, rhs, .. } => two(&format!("{op:?}"), *lhs, *rhs),
            ExprKind::Compare { op, lhs, rhs } => two(&format!("{op:?}"), *lhs, *rhs),
            ExprKind::Logical { and, lhs, rhs } => {
                two(if *and { "AndThen" } else { "OrElse" }, *lhs, *rhs)
            }
            ExprKind::VectorLogical { and, lhs, rhs } => {
                two(if *and { "LanesAnd" } else { "LanesOr" }, *lhs, *rhs)
            }
            ExprKind::Cond {
                cond,
                then,
                otherwise,
            } => format!(
                "Cond({}, {}, {}):{ty}",
                self.expr(*cond),
                self.expr(*then),
                self.expr(*otherwise)
            ),
            ExprKind::Select {
                cond,
                then,
                otherwise,
            } => format!(
                "Select({}, {}, {}):{ty}",
                self.expr(*cond),
                self.expr(*then),
                self.expr(*otherwise)
            ),
            ExprKind::PtrAdd { base, index } => two("PtrAdd", *base, *index),
            ExprKind::PtrDiff {
                lhs,
                rhs,
                elem_size,
            } => two(&format!("PtrDiff/{elem_size}"), *lhs, *rhs),
            ExprKind::Assign { lvalue, value } => {
                format!("{} = {}", self.lvalue(*lvalue), self.expr(*value))
            }
            ExprKind::Update { lvalue, value, old } => format!(
                "{} {} {}",
                self.lvalue(*lvalue),
                if *old { "=old" } else { "=new" },
                self.expr(*value)
            ),
            ExprKind::OldValue => format!("old:{ty}"),
            ExprKind::Comma { lhs, rhs } => two("Comma", *lhs, *rhs),
            ExprKind::Stmts { stmts, value } => {
                let value = value.map_or(String::new(), |v| self.expr(v));
                format!("Stmts[{}]({value}):{ty}", stmts.len())
            }
            ExprKind::Call { func, args } => format!(
                "call {}({}):{ty}",
                self.module.function(*func).link_name,
                self.list(args)
            ),
            ExprKind::AddrOfFunction(func) => {
                format!("&{}:{ty}", self.module.function(*func).link_name)
            }
            ExprKind::CallPointer { callee, args } => {
                format!("call *{}({}):{ty}", self.expr(*callee), self.list(args))
            }
            ExprKind::Builtin { args, .. } => format!("builtin({}):{ty}", self.list(args)),
            ExprKind::VectorBuild(parts) => format!("Vector({}):{ty}", self.list(parts)),
            ExprKind::Swizzle { base, lanes } => format!("{}.{lanes:?}", self.expr(*base)),
            ExprKind::ExtractLane { base, index } => {
                format!("{}.[{}]", self.expr(*base), self.expr(*index))
            }
            ExprKind::ExtractField { base, field } => format!("{}.{field}", self.expr(*base)),
        }
    }

    fn list(&self, exprs: &[ExprId]) -> String {
        let parts: Vec<String> = exprs.iter().map(|&e| self.expr(e)).collect();
        parts.join(", ")
    }
}
