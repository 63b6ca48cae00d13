//! Initialisers of private variables.

use rspirv::spirv::{Decoration, Op, StorageClass};

use super::bit_field::Bits;
use super::function::FunctionEmitter;
use super::{EmitError, Emitter};
use crate::lang::types::{AddrSpace, Type, TypeId};
use crate::sema::typed::{Init, InitElem, LocalId};

/// Constant images up to this many bytes are stored at once, larger ones copied from
/// constant memory.
const SMALL: u64 = 64;

impl Emitter<'_> {
    /// A nameless variable in constant memory that holds a constant.
    pub(super) fn anonymous(&mut self, ty: TypeId, value: u32) -> u32 {
        let pointer = self.pointer_to(ty, AddrSpace::Constant);
        let class = StorageClass::UniformConstant as u32;
        if let Some(known) = self.anonymous.get(&value) {
            return *known;
        }
        let variable = self.b.global(Op::Variable, Some(pointer), &[class, value]);
        self.b.decorate(variable, Decoration::Constant, &[]);
        let align = self.module.types.align(ty) as u32;
        self.b.decorate(variable, Decoration::Alignment, &[align]);
        self.anonymous.insert(value, variable);
        variable
    }
}

impl FunctionEmitter<'_, '_> {
    /// Gives a local its first value.
    pub fn initialise(&mut self, local: LocalId, init: &Init) -> Result<(), EmitError> {
        let body = self.body;
        let pointer = self.local(local);
        let variable = body.local(local);
        let ty = variable.ty.ty;
        match init {
            Init::Expr(value) if self.e.is_record(ty) => {
                // The initialiser may name the variable (`S s = f(&s)`), whose value is
                // undefined then, but a call must not see its result half written.
                self.record_into(*value, pointer, AddrSpace::Private, variable.align)
            }
            Init::Expr(value) => {
                let value = self.expr(*value)?;
                self.store_value(pointer, ty, value, variable.align, false);
                Ok(())
            }
            Init::Const(data) => {
                let value = self.e.constant_of(ty, data, variable.span)?;
                let align = variable.align.max(1);
                if self.e.module.types.size(ty) <= SMALL {
                    let operands = [pointer, value, 2, align as u32];
                    self.e.b.op_void(Op::Store, &operands);
                } else {
                    let source = self.e.anonymous(ty, value);
                    let align = align.min(self.align(ty));
                    self.copy(pointer, source, ty, align, false);
                }
                Ok(())
            }
            Init::List { zero_fill, elems } => {
                if *zero_fill {
                    self.clear(pointer, ty, variable.align)?;
                }
                for elem in elems {
                    self.initialise_element(pointer, ty, variable.align, elem)?;
                }
                Ok(())
            }
        }
    }

    fn initialise_element(
        &mut self,
        object: u32,
        object_ty: TypeId,
        object_align: u64,
        elem: &InitElem,
    ) -> Result<(), EmitError> {
        let module = self.e.module;
        let mut pointer = object;
        let mut ty = object_ty;
        let mut offset = 0;
        let mut bits = None;
        for step in &elem.path {
            match module.types.get(ty) {
                Type::Record(record) => {
                    let field = &module.types.record(*record).fields[*step as usize];
                    pointer = self.field_address(pointer, ty, *step as u32, AddrSpace::Private);
                    offset += field.offset;
                    bits = field.bits;
                    ty = field.ty.ty;
                }
                Type::Array { elem, .. } => {
                    pointer = self.element_address(pointer, elem.ty, *step, AddrSpace::Private);
                    offset += module.types.size(elem.ty) * step;
                    ty = elem.ty;
                }
                Type::Vector { elem, .. } => {
                    let wanted = self.e.pointer_to(*elem, AddrSpace::Private);
                    let zero = self.e.b.const_u32(0);
                    let lane = self.e.b.const_u32(*step as u32);
                    let operands = [pointer, zero, lane];
                    pointer = self.e.b.op(Op::InBoundsPtrAccessChain, wanted, &operands);
                    offset += module.types.size(*elem) * step;
                    ty = *elem;
                }
                _ => unreachable!("an initialiser's path ends at scalars"),
            }
        }
        if let Some(bits) = bits {
            let value = self.expr(elem.value)?;
            self.store_bits(Bits::private(pointer, bits, ty), value);
            return Ok(());
        }
        let align = if offset == 0 {
            object_align
        } else {
            object_align.min(1 << offset.trailing_zeros())
        };
        if self.e.is_record(ty) {
            self.record_into(elem.value, pointer, AddrSpace::Private, align)
        } else {
            let value = self.expr(elem.value)?;
            self.store_value(pointer, ty, value, align, false);
            Ok(())
        }
    }
}
