//! Functions: signatures, parameters, and the state while one is written.

use rspirv::spirv::{FunctionControl, Op};

use super::{EmitError, Emitter};
use crate::lang::types::{AddrSpace, Type, TypeId, TypeTable};
use crate::sema::typed::{Body, FuncId, Inlining, LabelId, LocalId};

/// A function's SPIR-V signature.
pub struct SpirvSignature {
    /// OpTypeFunction.
    pub ty: u32,
    /// Result type.
    pub result: u32,
    /// Parameter types.
    pub params: Vec<u32>,
    /// The first parameter is where the returned record goes.
    pub sret: bool,
}

/// The function being written.
pub(super) struct FunctionEmitter<'e, 'a> {
    pub e: &'e mut Emitter<'a>,
    pub body: &'a Body,
    pub ret: TypeId,
    /// OpVariables (or ByVal parameters) by local; 0 until first used.
    pub locals: Vec<u32>,
    /// Blocks by label; 0 until first used.
    pub labels: Vec<u32>,
    /// Targets of `break`, innermost last.
    pub breaks: Vec<u32>,
    /// Targets of `continue`, innermost last.
    pub continues: Vec<u32>,
    /// Updates being evaluated: the target and the value once read.
    pub updates: Vec<(super::lvalue::Addr, Option<u32>)>,
    /// Pointer to the place of a returned record.
    pub sret: Option<u32>,
}

impl<'a> Emitter<'a> {
    /// The signature of a function type.
    pub(super) fn signature(&mut self, params: &[TypeId], ret: TypeId) -> SpirvSignature {
        let mut ids = Vec::with_capacity(params.len() + 1);
        let sret = self.is_record(ret);
        let result = if sret {
            let pointer = self.pointer_to(ret, AddrSpace::Private);
            ids.push(pointer);
            self.b.ty_void()
        } else if ret == TypeTable::VOID {
            self.b.ty_void()
        } else {
            self.value_type(ret)
        };
        for param in params {
            ids.push(if self.is_record(*param) {
                self.pointer_to(*param, AddrSpace::Private)
            } else {
                self.value_type(*param)
            });
        }
        SpirvSignature {
            ty: self.b.ty_function(result, &ids),
            result,
            params: ids,
            sret,
        }
    }

    /// Returns whether values of a type live in memory only.
    pub(super) fn is_record(&self, ty: TypeId) -> bool {
        matches!(
            self.module.types.get(ty),
            Type::Record(_) | Type::Array { .. }
        )
    }

    /// Writes a function.
    pub(super) fn function(&mut self, func: FuncId) -> Result<(), EmitError> {
        let module = self.module;
        let function = module.function(func);
        let signature = self.signature(&function.params, function.ret);
        let id = self.functions[func.0 as usize];
        let Some(body) = &function.body else {
            self.b
                .declare(id, signature.ty, signature.result, &signature.params);
            return Ok(());
        };
        let control = match function.inlining {
            Inlining::Free => FunctionControl::NONE,
            Inlining::Wanted => FunctionControl::INLINE,
            Inlining::Refused => FunctionControl::DONT_INLINE,
        };
        let params = self.b.begin_function(
            id,
            signature.ty,
            signature.result,
            control,
            &signature.params,
        );
        self.parameter_attributes(func, &signature, &params);
        let mut f = FunctionEmitter {
            body,
            ret: function.ret,
            locals: vec![0; body.locals.len()],
            labels: vec![0; body.label_count as usize],
            breaks: Vec::new(),
            continues: Vec::new(),
            updates: Vec::new(),
            sret: signature.sret.then(|| params[0]),
            e: self,
        };
        f.parameters(&function.params, &params[usize::from(signature.sret)..]);
        if let Some(root) = body.root {
            f.stmt(root)?;
        }
        f.finish();
        self.b.end_function();
        Ok(())
    }
}

impl FunctionEmitter<'_, '_> {
    /// Gives every parameter its memory.
    fn parameters(&mut self, types: &[TypeId], ids: &[u32]) {
        for (index, (ty, id)) in types.iter().zip(ids).enumerate() {
            if self.e.is_record(*ty) || self.is_handle(*ty) {
                self.locals[index] = *id;
            } else {
                let pointer = self.local(LocalId(index as u32));
                let local = &self.body.locals[index];
                self.store_value(pointer, *ty, *id, local.align, false);
            }
        }
    }

    /// The memory of a local.
    pub fn local(&mut self, id: LocalId) -> u32 {
        let index = id.0 as usize;
        if self.locals[index] == 0 {
            let body = self.body;
            let local = body.local(id);
            let variable = self.variable(local.ty.ty, local.align);
            if self.e.options.debug_info && !local.name.is_empty() {
                self.e.b.name(variable, &local.name);
            }
            self.locals[index] = variable;
        }
        self.locals[index]
    }

    /// Fresh memory for a value of a type.
    pub fn temporary(&mut self, ty: TypeId) -> u32 {
        let align = self.align(ty);
        self.variable(ty, align)
    }

    /// An OpVariable. SPIR-V's own rules may align its type less (CPacked) than C does.
    fn variable(&mut self, ty: TypeId, align: u64) -> u32 {
        let pointer = self.e.pointer_to(ty, AddrSpace::Private);
        let variable = self.e.b.local(pointer);
        if align > self.e.natural_align(ty) {
            let decoration = rspirv::spirv::Decoration::Alignment;
            self.e.b.decorate(variable, decoration, &[align as u32]);
        }
        variable
    }

    /// The block of a label.
    pub fn label(&mut self, id: LabelId) -> u32 {
        let index = id.0 as usize;
        if self.labels[index] == 0 {
            self.labels[index] = self.e.b.id();
        }
        self.labels[index]
    }

    /// Ends the last block: the closing brace returns.
    fn finish(&mut self) {
        if self.e.b.block().is_none() {
            return;
        }
        if self.sret.is_some() || self.ret == TypeTable::VOID {
            self.e.b.ret(None);
        } else {
            let ty = self.e.value_type(self.ret);
            let value = self.e.b.op(Op::Undef, ty, &[]);
            self.e.b.ret(Some(value));
        }
    }
}
