//! Calls of C compilers' built-in functions as calls of OpenCL C's.
use super::convert::Purpose;
use super::typed::{ExprId, ExprKind, Init, LvalueKind};
use super::{Operand, Sema};
use crate::builtins::CFunction;
use crate::diagnostics::Warning;
use crate::lang::types::{AddrSpace, FloatKind, QualType, Quals, Type, TypeTable};
use crate::source::Span;

impl<'a> Sema<'a> {
    /// A call of a C compiler's function by name.
    pub(super) fn c_function_call(
        &mut self,
        function: CFunction<'a>,
        text: &'a str,
        args: Vec<ExprId>,
        [rparen, callee_span, span]: [Span; 3],
    ) -> Option<ExprId> {
        match function {
            CFunction::CopyBytes => self.copy_bytes(text, &args, rparen, span),
            CFunction::FillBytes => self.fill_bytes(text, &args, rparen, span),
            CFunction::LoadOnce | CFunction::StoreOnce => {
                self.access_once(&args, function == CFunction::StoreOnce, rparen, span)
            }
            CFunction::PlainNand => self.atomic_nand(&args, rparen, callee_span, span),
            CFunction::Integer(op, ty) => self.integer_call((op, ty), &args, rparen, span),
            CFunction::Overflow(op, ty) => self.overflow_call(text, (op, ty), &args, rparen, span),
            CFunction::Carry(op, ty) => self.carry_call(text, (op, ty), &args, rparen, span),
            CFunction::Elementwise(lanes) => self.elementwise_call(lanes, &args, rparen, span),
            CFunction::Reduce(op) => self.reduced(op, &args, rparen, span),
            CFunction::ShuffleVector => self.shuffled(&args, rparen, span),
            _ => {
                let (text, args) = self.c_call(function, text, args, span)?;
                self.call_table(text, &args, [rparen, callee_span, span])
            }
        }
    }

    /// The OpenCL C function that `text` means, and its arguments.
    fn c_call(
        &mut self,
        function: CFunction<'a>,
        text: &str,
        mut args: Vec<ExprId>,
        span: Span,
    ) -> Option<(&'a str, Vec<ExprId>)> {
        let size = self.module.types.size_type();
        let zero = |sema: &mut Self| sema.mk(ExprKind::Int(0), size, span);
        Some(match function {
            CFunction::Same(name) => (name, args),
            CFunction::Of(name, kind) | CFunction::FirstOf(name, kind) => {
                if kind == FloatKind::Double && !self.lang.fp64() {
                    self.requires(span, &format!("declaration '{text}'"), "cl_khr_fp64");
                    return None;
                }
                let own = match function {
                    CFunction::FirstOf(..) => args.len().min(1),
                    _ => args.len(),
                };
                for arg in &mut args[..own] {
                    let ty = TypeTable::float(kind);
                    *arg = self.assign_convert(*arg, ty, Purpose::Argument(None))?;
                }
                (name, args)
            }
            CFunction::Atomic(name) => {
                if let Some(object) = args.first_mut() {
                    *object = self.beyond_private(*object);
                    if name.contains("load") {
                        *object = self.without_const(*object);
                    }
                }
                if let ([object, expected, ..], true) =
                    (args.as_mut_slice(), name.contains("compare"))
                {
                    *expected = self.expected_value(*object, *expected);
                }
                self.check_scope(name, &args)?;
                (name, args)
            }
            CFunction::LoadHalf => {
                args.insert(0, zero(self));
                ("vload_half", args)
            }
            CFunction::StoreHalf => {
                args.insert(args.len().min(1), zero(self));
                ("vstore_half", args)
            }
            CFunction::PlainAtomic(name) => {
                self.as_atomic_object(&mut args);
                (name, args)
            }
            CFunction::PlainCompareExchange { by_pointer } => {
                let name = "atomic_compare_exchange_strong_explicit";
                self.as_atomic_object(&mut args);
                // Whether it may fail without a reason changes nothing.
                if args.len() == 6 {
                    args.remove(3);
                }
                if let Some(desired) = args.get_mut(2).filter(|_| by_pointer) {
                    *desired = self.pointed_value(*desired, text)?;
                }
                (name, args)
            }
            // No functions of OpenCL C.
            _ => return None,
        })
    }

    /// `__builtin_nontemporal_load(p)`, `__builtin_nontemporal_store(value, p)`: plain accesses.
    fn access_once(
        &mut self,
        args: &[ExprId],
        store: bool,
        rparen: Span,
        span: Span,
    ) -> Option<ExprId> {
        let count = 1 + usize::from(store);
        (self.check_argument_count("function", args, count..=count, rparen)).ok()?;
        let pointer = args[count - 1];
        let ty = self.ty(pointer);
        let types = &self.module.types;
        let accessible = types.pointer_parts(ty).is_some_and(|(to, _)| {
            let (elem, _) = types.elem_lanes(to.ty);
            types.is_scalar(elem)
        });
        if !accessible {
            let message = format!(
                "address argument to nontemporal builtin must be a pointer to integer, float, pointer, or a vector of such types ({} invalid)",
                self.show(ty)
            );
            self.error(self.span(pointer), message);
            return None;
        }
        let lvalue = self.deref_lvalue(pointer, span)?;
        if !store {
            return self.value_of(Operand::Lvalue(lvalue), span);
        }
        let lvalue = self.modifiable(Operand::Lvalue(lvalue), span)?;
        let ty = self.body.lvalue(lvalue).ty.ty;
        let value = self.assign_convert(args[0], ty, Purpose::Argument(None))?;
        let assign = self.mk(ExprKind::Assign { lvalue, value }, ty, span);
        Some(self.without_value(assign, span))
    }

    /// The first argument, a pointer to an object of plain type, as one to an atomic object.
    pub(super) fn as_atomic_object(&mut self, args: &mut [ExprId]) {
        let Some(object) = args.first_mut() else {
            return;
        };
        if let Some((to, space)) = self.module.types.pointer_parts(self.ty(*object)) {
            let types = &mut self.module.types;
            if types.is_arithmetic(to.ty) && !matches!(types.get(to.ty), Type::Bool) {
                let ty = types.intern(Type::Atomic(to.ty));
                let ty = types.pointer(QualType::new(ty, to.quals), space);
                *object = self.pointer_convert(*object, ty);
            }
        }
        *object = self.beyond_private(*object);
        *object = self.without_const(*object);
    }

    /// The value behind a pointer that an atomic function takes.
    fn pointed_value(&mut self, pointer: ExprId, text: &str) -> Option<ExprId> {
        let span = self.span(pointer);
        if !self.module.types.is_pointer(self.ty(pointer)) {
            self.error(span, format!("'{text}' takes a pointer to the new value"));
            return None;
        }
        let lvalue = self.deref_lvalue(pointer, span)?;
        self.value_of(Operand::Lvalue(lvalue), span)
    }

    /// A pointer into private memory as a generic one, which atomic functions take.
    fn beyond_private(&mut self, pointer: ExprId) -> ExprId {
        match self.module.types.pointer_parts(self.ty(pointer)) {
            Some((to, AddrSpace::Private)) if self.lang.generic_address_space() => {
                let ty = self.module.types.pointer(to, AddrSpace::Generic);
                self.pointer_convert(pointer, ty)
            }
            _ => pointer,
        }
    }

    /// A pointer to a const object as one that the functions of OpenCL C take, which know no const.
    fn without_const(&mut self, pointer: ExprId) -> ExprId {
        match self.module.types.pointer_parts(self.ty(pointer)) {
            Some((to, space)) if to.quals.contains(Quals::CONST) => {
                let to = QualType::new(to.ty, to.quals - Quals::CONST);
                let ty = self.module.types.pointer(to, space);
                self.pointer_convert(pointer, ty)
            }
            _ => pointer,
        }
    }

    /// The pointer to the expected value of a compare-exchange as OpenCL C's functions take it. One
    /// to a const or to another type is taken with a warning. A constant value is copied: the
    /// function would write to it what it found instead.
    fn expected_value(&mut self, object: ExprId, expected: ExprId) -> ExprId {
        let types = &self.module.types;
        let value = types.pointer_parts(self.ty(object)).map(|(to, _)| to.ty);
        let value = value.and_then(|ty| match *types.get(ty) {
            Type::Atomic(value) => Some(value),
            _ => None,
        });
        let (Some(value), Some((to, space))) = (value, types.pointer_parts(self.ty(expected)))
        else {
            return expected;
        };
        let span = self.span(expected);
        if !types.is_integer(to.ty) && !types.is_float(to.ty) {
            return expected;
        }
        if space == AddrSpace::Constant {
            let q = QualType::plain(value);
            let ty = self.module.types.pointer(q, space);
            let pointer = self.pointer_convert(expected, ty);
            let align = self.module.types.align(value);
            let constant = self.mk_lvalue(LvalueKind::Deref(pointer), q, space, align, span);
            let init = Init::Expr(self.loaded(constant, span));
            let copy = self.temporary(q, init, span);
            let ty = self.module.types.pointer(q, AddrSpace::Private);
            return self.mk(ExprKind::AddrOf(copy), ty, span);
        }
        let ty = (self.module.types).pointer(QualType::new(value, to.quals - Quals::CONST), space);
        let taken = self.assign_convert(expected, ty, Purpose::Argument(None));
        taken.unwrap_or(expected)
    }

    /// Refuses a constant scope that no atomic operation has.
    fn check_scope(&mut self, name: &str, args: &[ExprId]) -> Option<()> {
        let place = match name {
            "atomic_init" => return Some(()),
            "atomic_load_explicit" => 2,
            _ if name.contains("compare") => 5,
            _ => 3,
        };
        let Some(&scope) = args.get(place) else {
            return Some(());
        };
        if !self.module.types.is_integer(self.ty(scope)) {
            return Some(());
        }
        match self.constant_number(scope) {
            Some(number) if !(1..=4).contains(&number) => {
                let message = "synchronization scope argument to atomic operation is invalid";
                self.error(self.span(scope), message);
                None
            }
            _ => Some(()),
        }
    }

    /// Warns about a constant memory order with which an atomic function's behaviour is undefined
    /// (OpenCL C 3.0 §6.15.12.7).
    pub(super) fn check_order(&self, name: &str, args: &[ExprId]) {
        const ACQUIRE: i128 = 2;
        const RELEASE: i128 = 3;
        const BOTH: i128 = 4;
        let (place, wrong) = match name {
            "atomic_load_explicit" => (1, RELEASE),
            "atomic_store_explicit" => (2, ACQUIRE),
            "atomic_flag_clear_explicit" => (1, ACQUIRE),
            "atomic_compare_exchange_strong_explicit" | "atomic_compare_exchange_weak_explicit" => {
                (4, RELEASE)
            }
            _ => return,
        };
        let Some(&order) = args.get(place) else {
            return;
        };
        if (self.constant_number(order)).is_some_and(|order| order == wrong || order == BOTH) {
            let message = "memory order argument to atomic operation is invalid";
            self.warning(Warning::AtomicMemoryOrdering, self.span(order), message);
        }
    }
}
