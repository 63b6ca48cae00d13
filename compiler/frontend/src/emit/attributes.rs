//! Emits the attributes of a kernel: entry point, execution modes, argument strings.

use rspirv::spirv::{Capability, Decoration, ExecutionMode, ExecutionModel, FunctionControl, Op};

use super::Emitter;
use super::function::SpirvSignature;
use crate::lang::types::{FloatKind, IntKind, Type, TypeId};
use crate::sema::typed::FuncId;

impl Emitter<'_> {
    /// Entry point, execution modes and strings of a kernel.
    pub(super) fn kernel_attributes(&mut self, func: FuncId, entry: u32, interface: &[u32]) {
        let module = self.module;
        let function = module.function(func);
        let Some(kernel) = &function.kernel else {
            return;
        };
        self.b
            .entry_point(ExecutionModel::Kernel, entry, &function.name, interface);
        if let Some(size) = kernel.reqd_work_group_size {
            self.b
                .execution_mode(entry, ExecutionMode::LocalSize, &size);
        }
        if let Some(size) = kernel.work_group_size_hint {
            self.b
                .execution_mode(entry, ExecutionMode::LocalSizeHint, &size);
        }
        if let Some(ty) = kernel.vec_type_hint {
            let hint = self.vec_type_hint(ty);
            self.b
                .execution_mode(entry, ExecutionMode::VecTypeHint, &[hint]);
        }
        if let Some(size) = kernel.reqd_sub_group_size {
            self.b.capability(Capability::SubgroupDispatch);
            self.b
                .execution_mode(entry, ExecutionMode::SubgroupSize, &[size]);
        }
        // What may be contracted stands as `mad`, or says so itself.
        self.b
            .execution_mode(entry, ExecutionMode::ContractionOff, &[]);
        let mut types = format!("kernel_arg_type.{}.", function.name);
        let mut quals = format!("kernel_arg_type_qual.{}.", function.name);
        for arg in &kernel.args {
            types.push_str(&arg.type_name);
            types.push(',');
            quals.push_str(&arg.type_qualifiers);
            quals.push(',');
        }
        self.b.string(&types);
        self.b.string(&quals);
        if !kernel.attributes.is_empty() {
            let text = kernel.attributes.join(" ");
            self.b
                .string(format!("kernel_attributes.{}.{text}", function.name));
        }
    }

    /// The literal of VecTypeHint: lanes in the high half, element in the low half.
    fn vec_type_hint(&self, ty: TypeId) -> u32 {
        let types = &self.module.types;
        let (elem, lanes) = types.elem_lanes(ty);
        let code = match types.get(elem) {
            Type::Int(IntKind::Char | IntKind::UChar) => 0,
            Type::Int(IntKind::Short | IntKind::UShort) => 1,
            Type::Int(IntKind::Long | IntKind::ULong) => 3,
            Type::Float(FloatKind::Half) => 4,
            Type::Float(FloatKind::Float) => 5,
            Type::Float(FloatKind::Double) => 6,
            _ => 2,
        };
        (u32::from(lanes) << 16) | code
    }

    /// Decorations of a function's parameters.
    pub(super) fn parameter_attributes(
        &mut self,
        func: FuncId,
        signature: &SpirvSignature,
        ids: &[u32],
    ) {
        let module = self.module;
        let function = module.function(func);
        let mut rest = ids;
        if signature.sret {
            self.b.decorate(ids[0], Decoration::FuncParamAttr, &[3]);
            rest = &ids[1..];
        }
        for (index, (id, ty)) in rest.iter().zip(&function.params).enumerate() {
            let local = function.body.as_ref().map(|b| &b.locals[index]);
            if let Some(name) = local.map(|l| &l.name).filter(|n| !n.is_empty()) {
                self.b.name(*id, name);
            }
            match module.types.get(*ty) {
                Type::Record(_) => {
                    // ByVal: the callee's own copy.
                    self.b.decorate(*id, Decoration::FuncParamAttr, &[2]);
                    let align = module.types.align(*ty) as u32;
                    self.b.decorate(*id, Decoration::Alignment, &[align]);
                }
                Type::Bool | Type::Int(IntKind::UChar | IntKind::UShort)
                    if function.kernel.is_some() =>
                {
                    self.b.decorate(*id, Decoration::FuncParamAttr, &[0]);
                }
                Type::Int(IntKind::Char | IntKind::Short) if function.kernel.is_some() => {
                    self.b.decorate(*id, Decoration::FuncParamAttr, &[1]);
                }
                Type::Pointer { .. } => {
                    use crate::lang::types::Quals;
                    if local.is_some_and(|l| l.ty.quals.contains(Quals::RESTRICT)) {
                        self.b.decorate(*id, Decoration::FuncParamAttr, &[4]);
                    }
                }
                _ => {}
            }
        }
    }

    /// An entry point that only calls the kernel's function; gives its id.
    pub(super) fn kernel_wrapper(&mut self, func: FuncId) -> u32 {
        let module = self.module;
        let function = module.function(func);
        let signature = self.signature(&function.params, function.ret);
        let entry = self.b.id();
        let control = FunctionControl::NONE;
        let params = self.b.begin_function(
            entry,
            signature.ty,
            signature.result,
            control,
            &signature.params,
        );
        self.parameter_attributes(func, &signature, &params);
        let mut operands = vec![self.functions[func.0 as usize]];
        operands.extend(&params);
        self.b.op(Op::FunctionCall, signature.result, &operands);
        self.b.ret(None);
        self.b.end_function();
        self.b.name(entry, &function.name);
        entry
    }
}
