//! The syntax tree as text, for `pumicec --emit=ast` and the file tests: one declaration or
//! statement per line, expressions in prefix form.

use super::ast::{
    Ast, Attr, AttrArg, DeclPart, DeclSpecs, Declaration, Declarator, Designator, ExprId, ExprKind,
    ExternalDecl, Init, InitList, MemberDecl, Pragma, PragmaKind, StaticAssert, StmtId, StmtKind,
    TypeNameId, TypeSpec,
};
use crate::source::{Interner, Symbol};

/// Prints a translation unit.
pub fn print_ast(ast: &Ast, names: &Interner) -> String {
    let mut printer = Printer {
        ast,
        names,
        out: String::new(),
        indent: 0,
    };
    for decl in &ast.decls {
        match decl {
            ExternalDecl::Declaration(d) => printer.declaration(d),
            ExternalDecl::Function(f) => {
                let specs = printer.specs(&f.specs);
                let declarator = printer.declarator(&f.declarator);
                printer.line(&format!("function {specs} {declarator}"));
                printer.nested(f.body);
            }
            ExternalDecl::StaticAssert(a) => printer.static_assert(a),
            ExternalDecl::Pragma(p) => printer.pragma(p),
            ExternalDecl::Empty => printer.line("empty"),
        }
    }
    printer.out
}

struct Printer<'a> {
    ast: &'a Ast,
    names: &'a Interner,
    out: String,
    indent: usize,
}

impl Printer<'_> {
    fn line(&mut self, text: &str) {
        let width = self.indent * 2;
        self.out.extend(std::iter::repeat_n(' ', width));
        self.out.push_str(text);
        self.out.push('\n');
    }

    fn nested(&mut self, stmt: StmtId) {
        self.indent += 1;
        self.stmt(stmt);
        self.indent -= 1;
    }

    fn name(&self, name: Symbol) -> &str {
        self.names.resolve(name)
    }

    fn static_assert(&mut self, assert: &StaticAssert) {
        let cond = self.expr(assert.cond);
        self.line(&format!("static_assert {cond}"));
    }

    fn pragma(&mut self, pragma: &Pragma) {
        let text = match &pragma.kind {
            PragmaKind::Extension { name, enable, .. } => {
                let behaviour = if *enable { "enable" } else { "disable" };
                format!("pragma extension {} {behaviour}", self.name(*name))
            }
            PragmaKind::FpContract(on) => format!("pragma fp_contract {on:?}"),
            PragmaKind::Undefine(name) => format!("undefine {}", self.name(*name)),
            PragmaKind::Unroll(None) => "pragma unroll".to_string(),
            PragmaKind::Unroll(Some(count)) => format!("pragma unroll {}", self.expr(*count)),
            PragmaKind::NoUnroll => "pragma nounroll".to_string(),
        };
        self.line(&text);
    }

    fn declaration(&mut self, d: &Declaration) {
        let specs = self.specs(&d.specs);
        if d.declarators.is_empty() {
            self.line(&format!("declare {specs}"));
        }
        for declarator in &d.declarators {
            let mut text = format!(
                "declare {specs} {}",
                self.declarator(&declarator.declarator)
            );
            if let Some(init) = &declarator.init {
                text.push_str(" = ");
                text.push_str(&self.init(init));
            }
            self.line(&text);
        }
    }

    fn attrs(&self, attrs: &[Attr]) -> String {
        let one = |attr: &Attr| {
            let args: Vec<String> = attr
                .args
                .iter()
                .map(|a| match a {
                    AttrArg::Expr(e) => self.expr(*e),
                    AttrArg::Type(t) => self.type_name(*t),
                })
                .collect();
            format!(
                " [{} ({}) \"{}\"]",
                self.name(attr.name),
                args.join(", "),
                attr.text
            )
        };
        attrs.iter().map(one).collect()
    }

    fn specs(&self, specs: &DeclSpecs) -> String {
        let mut words: Vec<String> = Vec::new();
        words.extend(
            specs
                .storage
                .iter()
                .map(|(s, _)| format!("{s:?}").to_lowercase()),
        );
        words.extend(
            specs
                .function
                .iter()
                .map(|(f, _)| format!("{f:?}").to_lowercase()),
        );
        words.extend(
            specs
                .quals
                .iter()
                .map(|(q, _)| format!("{q:?}").to_lowercase()),
        );
        words.push(self.type_spec(&specs.ty));
        words.join(" ") + &self.attrs(&specs.attrs)
    }

    fn type_spec(&self, ty: &TypeSpec) -> String {
        match ty {
            TypeSpec::Missing => "<missing>".to_string(),
            TypeSpec::Words(words) => {
                let words: Vec<String> = words
                    .iter()
                    .map(|(w, _)| format!("{w:?}").to_lowercase())
                    .collect();
                words.join(" ")
            }
            TypeSpec::Named(name) => self.name(*name).to_string(),
            TypeSpec::Record(record) => {
                let mut text = if record.is_union { "union" } else { "struct" }.to_string();
                if let Some((tag, _)) = record.tag {
                    text.push(' ');
                    text.push_str(self.name(tag));
                }
                if let Some(members) = &record.members {
                    text.push_str(" {");
                    for member in members {
                        text.push(' ');
                        text.push_str(&self.member(member));
                        text.push(';');
                    }
                    text.push_str(" }");
                }
                if let Some(limit) = record.pack {
                    text.push_str(&format!(" [pack {limit}]"));
                }
                text + &self.attrs(&record.attrs)
            }
            TypeSpec::Enum(e) => {
                let mut text = "enum".to_string();
                if let Some((tag, _)) = e.tag {
                    text.push(' ');
                    text.push_str(self.name(tag));
                }
                if let Some(ty) = e.underlying {
                    text.push_str(&format!(": {}", self.type_name(ty)));
                }
                if let Some(list) = &e.enumerators {
                    let items: Vec<String> = list
                        .iter()
                        .map(|e| match e.value {
                            Some(value) => format!("{} = {}", self.name(e.name), self.expr(value)),
                            None => self.name(e.name).to_string(),
                        })
                        .collect();
                    text.push_str(&format!(" {{ {} }}", items.join(", ")));
                }
                text + &self.attrs(&e.attrs)
            }
            TypeSpec::Auto => "__auto_type".to_string(),
            TypeSpec::TypeofExpr(e) => format!("typeof {}", self.expr(*e)),
            TypeSpec::TypeofType(t) => format!("typeof ({})", self.type_name(*t)),
            TypeSpec::Atomic(t) => format!("atomic ({})", self.type_name(*t)),
            TypeSpec::Pipe(t) => format!("pipe {}", self.type_spec(t)),
            TypeSpec::Error => "<error>".to_string(),
        }
    }

    fn member(&self, member: &MemberDecl) -> String {
        match member {
            MemberDecl::StaticAssert(a) => format!("static_assert {}", self.expr(a.cond)),
            MemberDecl::Broken => "broken".to_string(),
            MemberDecl::Field {
                specs, declarators, ..
            } => {
                let items: Vec<String> = declarators
                    .iter()
                    .map(|d| {
                        let mut text = self.declarator(&d.declarator);
                        if let Some(width) = d.bit_width {
                            text.push_str(&format!(" : {}", self.expr(width)));
                        }
                        text
                    })
                    .collect();
                format!("{} {}", self.specs(specs), items.join(", "))
            }
        }
    }

    /// The derivations in words: `a: array 3 of pointer to`.
    fn declarator(&self, d: &Declarator) -> String {
        let mut text = match d.name {
            Some((name, _)) => format!("{}:", self.name(name)),
            None => "_:".to_string(),
        };
        for part in &d.parts {
            text.push(' ');
            text.push_str(&self.part(part));
        }
        text + &self.attrs(&d.attrs)
    }

    fn part(&self, part: &DeclPart) -> String {
        match part {
            DeclPart::Pointer { quals, attrs, .. } => {
                let quals: Vec<String> = quals
                    .iter()
                    .map(|(q, _)| format!("{q:?} ").to_lowercase())
                    .collect();
                format!("{}pointer{}", quals.concat(), self.attrs(attrs))
            }
            DeclPart::Array { size, is_star, .. } => match size {
                Some(size) => format!("array {}", self.expr(*size)),
                None if *is_star => "array *".to_string(),
                None => "array".to_string(),
            },
            DeclPart::Function {
                params, variadic, ..
            } => {
                let mut items: Vec<String> = params
                    .iter()
                    .map(|p| {
                        format!(
                            "{} {}",
                            self.specs(&p.specs),
                            self.declarator(&p.declarator)
                        )
                    })
                    .collect();
                if variadic.is_some() {
                    items.push("...".to_string());
                }
                format!("function ({})", items.join(", "))
            }
            DeclPart::Block { .. } => "block".to_string(),
        }
    }

    fn type_name(&self, id: TypeNameId) -> String {
        let name = self.ast.type_name(id);
        let specs = self.specs(&name.specs);
        if name.declarator.parts.is_empty() {
            return specs;
        }
        let parts: Vec<String> = name.declarator.parts.iter().map(|p| self.part(p)).collect();
        format!("{specs} {}", parts.join(" "))
    }

    fn init(&self, init: &Init) -> String {
        match init {
            Init::Expr(e) => self.expr(*e),
            Init::List(list) => self.init_list(list),
        }
    }

    fn init_list(&self, list: &InitList) -> String {
        let items: Vec<String> = list
            .items
            .iter()
            .map(|item| {
                let path = self.path(&item.designators);
                let value = self.init(&item.init);
                if path.is_empty() {
                    value
                } else {
                    format!("{path} = {value}")
                }
            })
            .collect();
        format!("{{{}}}", items.join(", "))
    }

    fn path(&self, designators: &[Designator]) -> String {
        let one = |d: &Designator| match d {
            Designator::Field(name, _) => format!(".{}", self.name(*name)),
            Designator::Index(e, _) => format!("[{}]", self.expr(*e)),
            Designator::Range(a, b, _) => format!("[{} ... {}]", self.expr(*a), self.expr(*b)),
        };
        designators.iter().map(one).collect()
    }

    fn list(&self, exprs: &[ExprId]) -> String {
        exprs
            .iter()
            .map(|e| format!(" {}", self.expr(*e)))
            .collect()
    }

    fn expr(&self, id: ExprId) -> String {
        let optional = |e: &Option<ExprId>| e.map_or_else(|| "_".to_string(), |e| self.expr(e));
        match &self.ast.expr(id).kind {
            ExprKind::Ident(name) => self.name(*name).to_string(),
            ExprKind::Int {
                value,
                unsigned,
                long,
                ..
            } => {
                let suffix = if *unsigned { "u" } else { "" };
                format!("{value}{suffix}{}", "l".repeat(usize::from(*long)))
            }
            ExprKind::Float { text, suffix } => format!("{}:{suffix:?}", self.name(*text)),
            ExprKind::Char { value } => format!("'{value}'"),
            ExprKind::Str(text) => format!("\"{}\"", text.escape_ascii()),
            ExprKind::Paren(e) => format!("(paren {})", self.expr(*e)),
            ExprKind::Unary { op, operand } => format!("({op:?} {})", self.expr(*operand)),
            ExprKind::Postfix { increment, operand } => {
                let op = if *increment { "++" } else { "--" };
                format!("(post{op} {})", self.expr(*operand))
            }
            ExprKind::Binary { op, lhs, rhs, .. } => {
                format!(
                    "({} {} {})",
                    op.spelling(),
                    self.expr(*lhs),
                    self.expr(*rhs)
                )
            }
            ExprKind::Assign { op, lhs, rhs, .. } => {
                let op = op.map_or("", |op| op.spelling());
                format!("({op}= {} {})", self.expr(*lhs), self.expr(*rhs))
            }
            ExprKind::Cond {
                cond,
                then,
                otherwise,
                ..
            } => format!(
                "(? {} {} {})",
                self.expr(*cond),
                optional(then),
                self.expr(*otherwise)
            ),
            ExprKind::Comma { lhs, rhs } => format!("(, {} {})", self.expr(*lhs), self.expr(*rhs)),
            ExprKind::Call { callee, args, .. } => {
                format!("(call {}{})", self.expr(*callee), self.list(args))
            }
            ExprKind::Index { base, index } => {
                format!("(index {} {})", self.expr(*base), self.expr(*index))
            }
            ExprKind::Member {
                base, arrow, name, ..
            } => {
                let op = if *arrow { "->" } else { "." };
                format!("({op} {} {})", self.expr(*base), self.name(*name))
            }
            ExprKind::Cast { ty, operand } => {
                format!("(cast <{}> {})", self.type_name(*ty), self.expr(*operand))
            }
            ExprKind::VectorLit { ty, elems } => {
                format!("(vector <{}>{})", self.type_name(*ty), self.list(elems))
            }
            ExprKind::CompoundLit { ty, init } => {
                format!(
                    "(literal <{}> {})",
                    self.type_name(*ty),
                    self.init_list(init)
                )
            }
            ExprKind::TraitExpr { which, operand } => {
                format!("({which:?} {})", self.expr(*operand))
            }
            ExprKind::TraitType { which, ty } => format!("({which:?} <{}>)", self.type_name(*ty)),
            ExprKind::AsType { operand, ty } => {
                format!("(astype <{}> {})", self.type_name(*ty), self.expr(*operand))
            }
            ExprKind::ConvertVector { operand, ty } => {
                let ty = self.type_name(*ty);
                format!("(convertvector <{ty}> {})", self.expr(*operand))
            }
            ExprKind::TypesCompatible { first, second } => {
                let (first, second) = (self.type_name(*first), self.type_name(*second));
                format!("(types_compatible <{first}> <{second}>)")
            }
            ExprKind::OffsetOf { ty, path } => {
                format!("(offsetof <{}> {})", self.type_name(*ty), self.path(path))
            }
            ExprKind::BlockLit(lit) => {
                let params: Vec<String> = lit
                    .params
                    .iter()
                    .map(|p| {
                        let declarator = self.declarator(&p.declarator);
                        format!("{} {declarator}", self.specs(&p.specs))
                    })
                    .collect();
                let ret = lit.ret.map_or(String::new(), |ty| self.type_name(ty));
                format!("(block <{ret}> ({}))", params.join(", "))
            }
            ExprKind::Generic { control, arms } => {
                let arms: Vec<String> = arms
                    .iter()
                    .map(|(ty, value, _)| {
                        let ty = ty.map_or("default".to_string(), |ty| self.type_name(ty));
                        format!("<{ty}> {}", self.expr(*value))
                    })
                    .collect();
                format!("(generic {} {})", self.expr(*control), arms.join(" "))
            }
            ExprKind::StmtExpr(_) => "(statements)".to_string(),
            ExprKind::Error => "<error>".to_string(),
        }
    }

    fn stmt(&mut self, id: StmtId) {
        let ast = self.ast;
        let optional =
            |p: &Self, e: &Option<ExprId>| e.map_or_else(|| "_".to_string(), |e| p.expr(e));
        match &ast.stmt(id).kind {
            StmtKind::Null => self.line("null"),
            StmtKind::Expr(e) => {
                let text = self.expr(*e);
                self.line(&text);
            }
            StmtKind::Compound(items) => {
                self.line("{");
                for item in items {
                    self.nested(*item);
                }
                self.line("}");
            }
            StmtKind::Decl(d) => self.declaration(d),
            StmtKind::StaticAssert(a) => self.static_assert(a),
            StmtKind::Pragma(p) => self.pragma(p),
            StmtKind::If {
                cond,
                then,
                otherwise,
            } => {
                let text = format!("if {}", self.expr(*cond));
                self.line(&text);
                self.nested(*then);
                if let Some(otherwise) = otherwise {
                    self.line("else");
                    self.nested(*otherwise);
                }
            }
            StmtKind::Switch { value, body } => {
                let text = format!("switch {}", self.expr(*value));
                self.line(&text);
                self.nested(*body);
            }
            StmtKind::Case { lo, hi, body } => {
                let mut text = format!("case {}", self.expr(*lo));
                if let Some(hi) = hi {
                    text.push_str(&format!(" ... {}", self.expr(*hi)));
                }
                self.line(&text);
                self.nested(*body);
            }
            StmtKind::Default { body } => {
                self.line("default");
                self.nested(*body);
            }
            StmtKind::While { cond, body } => {
                let text = format!("while {}", self.expr(*cond));
                self.line(&text);
                self.nested(*body);
            }
            StmtKind::DoWhile { body, cond } => {
                let text = format!("do while {}", self.expr(*cond));
                self.line(&text);
                self.nested(*body);
            }
            StmtKind::For {
                init,
                cond,
                step,
                body,
            } => {
                let text = format!("for {} {}", optional(self, cond), optional(self, step));
                self.line(&text);
                if let Some(init) = init {
                    self.nested(*init);
                }
                self.nested(*body);
            }
            StmtKind::Goto { label, .. } => {
                let text = format!("goto {}", self.name(*label));
                self.line(&text);
            }
            StmtKind::Label { label, body, .. } => {
                let text = format!("{}:", self.name(*label));
                self.line(&text);
                self.nested(*body);
            }
            StmtKind::Break => self.line("break"),
            StmtKind::Continue => self.line("continue"),
            StmtKind::Return(value) => {
                let text = format!("return {}", optional(self, value));
                self.line(&text);
            }
            StmtKind::Attributed { attrs, body } => {
                let text = format!("attributed{}", self.attrs(attrs));
                self.line(&text);
                self.nested(*body);
            }
            StmtKind::Error => self.line("<error>"),
        }
    }
}
