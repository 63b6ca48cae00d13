//! Pointers that may point into several buffers, for the descriptor form.
//!
//! There an access needs its buffer by name. A pointer into one of several (a choice, a loop over
//! buffers) gets a companion: the number of its buffer, which takes the same way through block
//! parameters and choices as the pointer, whose offset is a second companion. An access through
//! it becomes one through a chain of choices between pointers of one buffer each; where the
//! device has no variable pointers or the buffers differ in kind, a chain of branches.
//!
//! Comparisons of pointers become comparisons of buffers and offsets, as long as these tell
//! whether the addresses are equal: two arguments may be one buffer, and an argument may be NULL,
//! which only [`DescriptorOptions::null_is_empty`] shows. Those are diagnosed.

use crate::expand::{Expander, Replacement, expand};
use crate::pass::{Changed, Ctx};
use crate::passes::legalize::legalize_memory;
use cranelift_entity::SecondaryMap;
use cranelift_entity::packed_option::PackedOption;
use pumice_ir::LowerError;
use pumice_ir::analysis::bases::{Base, BaseSet, Bases, is_buffer_pointer};
use pumice_ir::{
    AddressSpace, BinaryOp, Block, Cfg, ConvertOp, FloatFlags, FuncId, Function, GlobalId, Inst,
    InstKind, IntCond, Module, SourceLoc, Type, Value,
};
use pumice_target::abi::DescriptorOptions;

/// Runs the pass; nothing to do where pointers are addresses.
///
/// # Errors
/// A comparison of pointers that only addresses could answer.
pub fn run(module: &mut Module, ctx: &Ctx<'_>) -> Result<Changed, LowerError> {
    let Some(options) = ctx.target.abi.descriptors() else {
        return Ok(Changed::No);
    };
    let mut changed = Changed::No;
    for id in module.functions.keys().collect::<Vec<_>>() {
        if module.functions[id].entry().is_none() {
            continue;
        }
        let bases = Bases::of(module, &module.functions[id]);
        if !needs_rewriting(&module.functions[id], &bases) {
            continue;
        }
        let kernel = kernel_name(module, id);
        let roots = Roots::of(module, id);
        let mut func = std::mem::replace(
            &mut module.functions[id],
            Function::new("", Vec::new(), Vec::new()),
        );
        let mut rewriter = Rewriter {
            func: &mut func,
            bases: &bases,
            roots,
            kernel,
            null_is_empty: options.null_is_empty && !options.constant_args_uniform,
            companions: SecondaryMap::new(),
            out: Vec::new(),
            loc: SourceLoc::default(),
        };
        rewriter.run()?;
        changed = Changed::Yes;
        if !chooses_pointers(ctx, options) {
            changed |= branch(&mut func)?;
        }
        module.functions[id] = func;
    }
    Ok(changed)
}

/// Returns whether a choice between pointers can be written as such.
fn chooses_pointers(ctx: &Ctx<'_>, options: &DescriptorOptions) -> bool {
    ctx.target.variable_pointers && !options.constant_args_uniform && options.constants_in_buffer
}

fn kernel_name(module: &Module, id: FuncId) -> String {
    let kernel = module.kernels.iter().find(|kernel| kernel.func == id);
    kernel
        .map_or(&module.functions[id].name, |kernel| &kernel.name)
        .clone()
}

fn needs_rewriting(func: &Function, bases: &Bases) -> bool {
    let many =
        |value: Value| func.ty(value).scalar.is_ptr() && bases.get(func, value).bases.len() > 1;
    func.layout.blocks.iter().any(|&block| {
        func.blocks[block].params.iter().any(|&param| many(param))
            || func.layout.insts[block].iter().any(|&inst| {
                let data = &func.insts[inst];
                let compares = match data.kind {
                    InstKind::ICmp { args, .. } => args.iter().any(|&arg| {
                        is_buffer_pointer(func.ty(arg)) || !bases.get(func, arg).bases.is_empty()
                    }),
                    _ => false,
                };
                compares || data.results.iter().any(|&result| many(result))
            })
    })
}

/// Makes pointers to the beginnings of buffers.
struct Roots {
    constants: Option<GlobalId>,
    variables: Option<GlobalId>,
}

impl Roots {
    fn of(module: &Module, id: FuncId) -> Self {
        let func = &module.functions[id];
        let mut roots = Self {
            constants: None,
            variables: None,
        };
        for &block in &func.layout.blocks {
            for &inst in &func.layout.insts[block] {
                if let InstKind::GlobalAddr { global } = func.insts[inst].kind {
                    match module.globals[global].space {
                        AddressSpace::Local => {}
                        AddressSpace::Constant => roots.constants = Some(global),
                        _ => roots.variables = Some(global),
                    }
                }
            }
        }
        roots
    }

    fn of_base(&self, base: Base) -> Option<InstKind> {
        let global = |global: Option<GlobalId>| Some(InstKind::GlobalAddr { global: global? });
        match base {
            Base::Null => None,
            Base::Constants => global(self.constants),
            Base::Variables => global(self.variables),
            Base::Printf => Some(InstKind::BuiltIn {
                which: pumice_ir::BuiltIn::PrintfBuffer,
            }),
            Base::Arg(offset) => Some(InstKind::LoadArg { offset }),
        }
    }
}

/// The buffer's number and the offset of a pointer, both I32.
type Companions = [Value; 2];

struct Rewriter<'f> {
    func: &'f mut Function,
    bases: &'f Bases,
    roots: Roots,
    kernel: String,
    null_is_empty: bool,
    companions: SecondaryMap<Value, [PackedOption<Value>; 2]>,
    out: Vec<Inst>,
    loc: SourceLoc,
}

impl Rewriter<'_> {
    fn set(&self, value: Value) -> BaseSet {
        self.bases.get(self.func, value)
    }

    /// Returns whether a value is a pointer that needs companions.
    fn is_many(&self, value: Value) -> bool {
        is_buffer_pointer(self.func.ty(value)) && self.set(value).bases.len() > 1
    }

    fn value(&mut self, kind: InstKind, ty: Type) -> Value {
        let inst = self.func.make_inst(kind, &[ty], self.loc);
        self.out.push(inst);
        self.func.result(inst)
    }

    fn binary(&mut self, op: BinaryOp, a: Value, b: Value) -> Value {
        let ty = self.func.ty(a);
        let kind = InstKind::Binary {
            op,
            args: [a, b],
            flags: FloatFlags::empty(),
        };
        self.value(kind, ty)
    }

    fn convert(&mut self, op: ConvertOp, arg: Value, ty: Type) -> Value {
        let kind = InstKind::Convert {
            op,
            arg,
            rounding: None,
        };
        self.value(kind, ty)
    }

    fn number(&mut self, base: Base) -> Value {
        let bits = u64::from(base.number());
        self.func.constant(Type::I32, &[bits])
    }

    fn compare(&mut self, cond: IntCond, a: Value, b: Value) -> Value {
        self.value(InstKind::ICmp { cond, args: [a, b] }, Type::BOOL)
    }

    /// The offset of a pointer in its buffer.
    fn offset_of(&mut self, ptr: Value) -> Value {
        let bits = self.convert(ConvertOp::PtrToInt, ptr, Type::I64);
        self.convert(ConvertOp::Trunc, bits, Type::I32)
    }

    /// Buffer and offset of a pointer, whichever it is.
    fn parts(&mut self, ptr: Value) -> Companions {
        let [which, offset] = self.companions[ptr];
        if let (Some(which), Some(offset)) = (which.expand(), offset.expand()) {
            return [which, offset];
        }
        let set = self.set(ptr);
        match set.bases[..] {
            [Base::Null] | [] => [self.number(Base::Null), self.func.constant(Type::I32, &[0])],
            // It may be NULL, which its number tells.
            [Base::Arg(_), ..] if self.null_is_empty => {
                let bits = self.convert(ConvertOp::PtrToInt, ptr, Type::I64);
                self.parts_of_bits(bits)
            }
            [base, ..] => [self.number(base), self.offset_of(ptr)],
        }
    }

    /// Buffer and offset from the integer that a pointer is outside registers.
    fn parts_of_bits(&mut self, bits: Value) -> Companions {
        let by = self.func.constant(Type::I64, &[32]);
        let high = self.binary(BinaryOp::LShr, bits, by);
        [
            self.convert(ConvertOp::Trunc, high, Type::I32),
            self.convert(ConvertOp::Trunc, bits, Type::I32),
        ]
    }

    /// The integer that a pointer is outside registers.
    fn bits_of(&mut self, ptr: Value) -> Value {
        let [which, offset] = self.parts(ptr);
        let which = self.convert(ConvertOp::ZExt, which, Type::I64);
        let offset = self.convert(ConvertOp::ZExt, offset, Type::I64);
        let by = self.func.constant(Type::I64, &[32]);
        let high = self.binary(BinaryOp::Shl, which, by);
        self.binary(BinaryOp::Or, high, offset)
    }

    fn run(&mut self) -> Result<(), LowerError> {
        let blocks = Cfg::new(self.func).reverse_postorder().to_vec();
        let mut many_params: SecondaryMap<Block, Vec<usize>> = SecondaryMap::new();
        for &block in &blocks {
            let params = self.func.blocks[block].params.clone();
            for (index, param) in params.into_iter().enumerate() {
                if self.is_many(param) {
                    many_params[block].push(index);
                    let which = self.func.append_param(block, Type::I32);
                    let offset = self.func.append_param(block, Type::I32);
                    self.companions[param] = [which.into(), offset.into()];
                }
            }
        }
        for &block in &blocks {
            let insts = std::mem::take(&mut self.func.layout.insts[block]);
            for inst in insts {
                self.loc = self.func.insts[inst].loc;
                self.inst(inst, &many_params)?;
            }
            self.func.layout.insts[block] = std::mem::take(&mut self.out);
        }
        self.func.layout.blocks = blocks;
        Ok(())
    }

    fn inst(
        &mut self,
        inst: Inst,
        many_params: &SecondaryMap<Block, Vec<usize>>,
    ) -> Result<(), LowerError> {
        let mut kind = self.func.insts[inst].kind.clone();
        let result = self.func.insts[inst].results.first().copied();
        let many = result.filter(|&result| self.is_many(result));
        match &mut kind {
            InstKind::ICmp { cond, args } if is_buffer_pointer(self.func.ty(args[0])) => {
                let (cond, args) = (*cond, *args);
                kind = self.comparison(cond, args)?;
            }
            // Comparisons of pointers that are integers already: buffer and offset in one.
            InstKind::ICmp { cond, args } => self.check_comparison(*cond, *args)?,
            InstKind::Load { ptr, .. }
            | InstKind::AtomicLoad { ptr, .. }
            | InstKind::AtomicCmpXchg { ptr, .. }
            | InstKind::AtomicRmw { ptr, .. }
            | InstKind::AtomicStore { ptr, .. } => *ptr = self.chosen(*ptr),
            InstKind::Store { ptr, value, .. } => {
                if self.is_many(*value) {
                    *value = self.bits_of(*value);
                }
                *ptr = self.chosen(*ptr);
            }
            InstKind::Convert { op, arg, .. } if self.is_many(*arg) => match *op {
                ConvertOp::PtrToInt => {
                    let bits = self.bits_of(*arg);
                    // A sum with nothing is the same number.
                    kind = self.same(bits);
                }
                ConvertOp::AddressSpaceCast if many.is_none() => {
                    *arg = self.bits_of(*arg);
                    *op = ConvertOp::IntToPtr;
                }
                _ => {}
            },
            _ => {}
        }
        if let Some(result) = many {
            let parts = match kind {
                InstKind::PtrAdd { base, offset } => {
                    let [which, start] = self.parts(base);
                    let offset = self.convert(ConvertOp::Trunc, offset, Type::I32);
                    Some([which, self.binary(BinaryOp::IAdd, start, offset)])
                }
                InstKind::Select { cond, then, other } => {
                    let (then, other) = (self.parts(then), self.parts(other));
                    let mut pick = |n: usize| {
                        let kind = InstKind::Select {
                            cond,
                            then: then[n],
                            other: other[n],
                        };
                        self.value(kind, Type::I32)
                    };
                    Some([pick(0), pick(1)])
                }
                InstKind::Convert { op, arg, .. } => {
                    if is_buffer_pointer(self.func.ty(arg)) {
                        Some(self.parts(arg))
                    } else if op == ConvertOp::IntToPtr {
                        Some(self.parts_of_bits(arg))
                    } else {
                        let bits = self.convert(ConvertOp::PtrToInt, arg, Type::I64);
                        Some(self.parts_of_bits(bits))
                    }
                }
                _ => None,
            };
            if let Some([which, offset]) = parts {
                self.companions[result] = [which.into(), offset.into()];
            }
        }
        let mut calls: Vec<(usize, Vec<Value>)> = Vec::new();
        for (n, call) in kind.successors().into_iter().enumerate() {
            let params = &many_params[call.block];
            let args: Vec<Value> = params.iter().map(|&index| call.args[index]).collect();
            calls.push((n, args));
        }
        for (n, args) in calls {
            let parts: Vec<Value> = args.into_iter().flat_map(|arg| self.parts(arg)).collect();
            if let Some(call) = kind.successors_mut().into_iter().nth(n) {
                call.args.extend(parts);
            }
        }
        self.func.insts[inst].kind = kind;
        self.out.push(inst);
        Ok(())
    }

    /// An instruction that gives an I64 as it is.
    fn same(&mut self, value: Value) -> InstKind {
        let zero = self.func.constant(Type::I64, &[0]);
        InstKind::Binary {
            op: BinaryOp::IAdd,
            args: [value, zero],
            flags: FloatFlags::empty(),
        }
    }

    /// The pointer that an access through `ptr` takes: a choice between pointers of one buffer.
    fn chosen(&mut self, ptr: Value) -> Value {
        if !self.is_many(ptr) {
            return ptr;
        }
        let set = self.set(ptr);
        if set.lost.is_some() || set.buffers().len() < 2 {
            return ptr;
        }
        let [which, offset] = self.parts(ptr);
        let mut chosen = None;
        for &base in set.buffers().iter().rev() {
            let Some(root) = self.roots.of_base(base) else {
                continue;
            };
            let ty = self.func.ty(ptr);
            let root = self.value(root, ty);
            let start = self.offset_of(root);
            let distance = self.binary(BinaryOp::ISub, offset, start);
            let distance = self.convert(ConvertOp::SExt, distance, Type::I64);
            let kind = InstKind::PtrAdd {
                base: root,
                offset: distance,
            };
            let here = self.value(kind, ty);
            chosen = Some(match chosen {
                None => here,
                Some(other) => {
                    let number = self.number(base);
                    let cond = self.compare(IntCond::Eq, which, number);
                    let kind = InstKind::Select {
                        cond,
                        then: here,
                        other,
                    };
                    self.value(kind, ty)
                }
            });
        }
        chosen.unwrap_or(ptr)
    }

    /// The buffers of both sides of a comparison; an integer 0 is NULL.
    fn both_sides(&self, args: [Value; 2]) -> BaseSet {
        let mut all = self.set(args[0]);
        all.join(&self.set(args[1]));
        if !all.bases.is_empty() && args.iter().any(|&arg| self.func.const_bits(arg) == Some(0)) {
            all.add(Base::Null);
        }
        all
    }

    /// Refuses a comparison that buffers and offsets do not answer.
    fn check_comparison(&self, cond: IntCond, args: [Value; 2]) -> Result<(), LowerError> {
        let all = self.both_sides(args);
        if !matches!(cond, IntCond::Eq | IntCond::Ne) || all.bases.is_empty() && all.lost.is_none()
        {
            return Ok(());
        }
        let at = match self.loc.line {
            0 => String::new(),
            line => format!("line {line}: "),
        };
        let refuse = |what: &str| {
            Err(LowerError::new(format!(
                "{at}{what} in '{}' needs device addresses",
                self.kernel
            )))
        };
        if let Some(lost) = all.lost {
            return refuse(&format!("the comparison of {}", lost.what()));
        }
        let is_argument = |base: &&Base| matches!(base, Base::Arg(_));
        let arguments = all.bases.iter().filter(is_argument).count();
        let with_null = args.iter().any(|&arg| {
            self.func.const_bits(arg) == Some(0) || self.set(arg).bases[..] == [Base::Null]
        });
        if arguments > 0 && all.bases.first() == Some(&Base::Null) {
            if !self.null_is_empty {
                return refuse("the comparison of an argument with NULL");
            }
            if with_null {
                return Ok(());
            }
        }
        if arguments > 1 {
            return refuse("the comparison of pointers into two arguments");
        }
        Ok(())
    }

    /// A comparison of pointers by their parts.
    fn comparison(&mut self, cond: IntCond, args: [Value; 2]) -> Result<InstKind, LowerError> {
        self.check_comparison(cond, args)?;
        let ([a_which, a], [b_which, b]) = (self.parts(args[0]), self.parts(args[1]));
        if !matches!(cond, IntCond::Eq | IntCond::Ne) || self.both_sides(args).bases.len() < 2 {
            return Ok(InstKind::ICmp { cond, args: [a, b] });
        }
        let which = self.compare(cond, a_which, b_which);
        let offset = self.compare(cond, a, b);
        Ok(InstKind::Binary {
            op: match cond {
                IntCond::Eq => BinaryOp::And,
                _ => BinaryOp::Or,
            },
            args: [which, offset],
            flags: FloatFlags::empty(),
        })
    }
}

/// Turns accesses through chosen pointers into branches.
fn branch(func: &mut Function) -> Result<Changed, LowerError> {
    expand(func, |x, inst| Ok(branched(x, inst)))
}

fn choice(x: &Expander<'_>, ptr: Value) -> Option<[Value; 3]> {
    let inst = x.func.def_inst(ptr)?;
    match x.func.insts[inst].kind {
        InstKind::Select { cond, then, other } if is_buffer_pointer(x.ty(ptr)) => {
            Some([cond, then, other])
        }
        _ => None,
    }
}

fn branched(x: &mut Expander<'_>, inst: Inst) -> Option<Replacement> {
    let kind = x.func.insts[inst].kind.clone();
    let mut ptr = kind.pointer()?;
    choice(x, ptr)?;
    let ty = x.func.insts[inst]
        .results
        .first()
        .map(|&result| x.ty(result));
    let done = x.new_block();
    let param = ty.map(|ty| x.func.append_param(done, ty));
    let access = |x: &mut Expander<'_>, ptr: Value, next: Block| {
        let kind = legalize_memory::with_pointer(&kind, ptr);
        let args: Vec<Value> = match ty {
            Some(ty) => vec![x.value(kind, ty)],
            None => {
                x.emit(kind, &[]);
                Vec::new()
            }
        };
        x.jump(done, &args, next);
    };
    while let Some([cond, then, other]) = choice(x, ptr) {
        let (here, next) = (x.new_block(), x.new_block());
        x.branch_bare(cond, [here, next], here);
        access(x, then, next);
        ptr = other;
    }
    access(x, ptr, done);
    Some(param.into_iter().collect())
}
