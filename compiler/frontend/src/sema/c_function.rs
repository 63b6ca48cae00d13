//! Calls of C compilers' built-in functions as calls of OpenCL C's.
use super::Sema;
use super::convert::Purpose;
use super::typed::{ConvertKind, ExprId, ExprKind, Init, LvalueKind};
use crate::builtins::CFunction;
use crate::diagnostics::Warning;
use crate::lang::types::{AddrSpace, FloatKind, QualType, Quals, Type, TypeTable};
use crate::source::Span;

/// The largest size in bytes that `__builtin_memcpy` takes; it becomes one copy without a loop.
const MOST_COPIED: u64 = 4096;

impl<'a> Sema<'a> {
    /// The OpenCL C function that `text` means, and its arguments.
    pub(super) fn c_call(
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
            CFunction::Of(name, kind) => {
                if kind == FloatKind::Double && !self.lang.fp64() {
                    self.requires(span, &format!("declaration '{text}'"), "cl_khr_fp64");
                    return None;
                }
                for arg in &mut args {
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
            // Are no functions of OpenCL C; call_builtin takes them.
            CFunction::CopyBytes | CFunction::PlainNand => return None,
        })
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
        self.value_of(super::Operand::Lvalue(lvalue), span)
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
            let init = Init::Expr(self.mk(ExprKind::Load(constant), value, span));
            let local = self.add_local(String::new(), q, 0, span);
            let copy = LvalueKind::Literal { local, init };
            let copy = self.mk_lvalue(copy, q, AddrSpace::Private, align, span);
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

    /// `__builtin_memcpy(to, from, size)` with a constant size, as the assignment of an array of
    /// bytes. It has no value here.
    pub(super) fn copy_bytes(
        &mut self,
        text: &str,
        args: &[ExprId],
        rparen: Span,
        span: Span,
    ) -> Option<ExprId> {
        let &[to, from, size] = args else {
            let _ = self.check_argument_count("function", args, 3..=3, rparen);
            return None;
        };
        let space = |arg| {
            self.module
                .types
                .pointer_parts(self.ty(arg))
                .map(|(_, space)| space)
        };
        let (Some(to_space), Some(from_space)) = (space(to), space(from)) else {
            self.error(span, format!("'{text}' takes two pointers and a size"));
            return None;
        };
        let number = self
            .constant_number(size)
            .and_then(|n| u64::try_from(n).ok());
        let Some(bytes) = number.filter(|bytes| *bytes <= MOST_COPIED) else {
            let message = format!(
                "the size of '{text}' must be an integer constant of at most {MOST_COPIED}"
            );
            self.error(self.span(size), message);
            return None;
        };
        let byte = QualType::plain(TypeTable::UCHAR);
        let array = QualType::plain(self.module.types.array(byte, Some(bytes)));
        let mut object = |pointer, space| {
            let ty = self.module.types.pointer(array, space);
            let pointer = self.pointer_convert(pointer, ty);
            self.mk_lvalue(LvalueKind::Deref(pointer), array, space, 1, span)
        };
        let (target, source) = (object(to, to_space), object(from, from_space));
        if to_space == AddrSpace::Constant {
            self.error(
                span,
                format!("'{text}' cannot write to the constant address space"),
            );
            return None;
        }
        let operand = if bytes == 0 {
            self.mk(ExprKind::Comma { lhs: to, rhs: from }, self.ty(from), span)
        } else {
            let value = self.mk(ExprKind::Load(source), array.ty, span);
            let kind = ExprKind::Assign {
                lvalue: target,
                value,
            };
            self.mk(kind, array.ty, span)
        };
        let kind = ExprKind::Convert {
            kind: ConvertKind::ToVoid,
            operand,
        };
        Some(self.mk(kind, TypeTable::VOID, span))
    }
}
