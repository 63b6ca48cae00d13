//! The places of matrices of the device's own.

use crate::{AddressSpace, InstKind, LowerError, Module, Type};

/// Checks that matrices are where the device has them: in operations of their own, and in parameters of blocks.
///
/// # Errors
/// An instruction that no device has for matrices.
pub fn check_places(module: &Module) -> Result<(), LowerError> {
    let refused = |text: String| Err(LowerError::new(format!("no matrix of the device: {text}")));
    for func in module.functions.values() {
        let has = |ty: &Type| ty.scalar.matrix().is_some();
        if func.params.iter().chain(&func.results).any(has) {
            return refused(format!("a parameter or result of '{}'", func.name));
        }
        for &block in &func.layout.blocks {
            for &inst in &func.layout.insts[block] {
                let data = &func.insts[inst];
                let mut found = data
                    .results
                    .iter()
                    .any(|&value| func.matrix_type(value).is_some());
                data.kind
                    .for_each_value(|value| found |= func.matrix_type(value).is_some());
                let fits = match &data.kind {
                    InstKind::Matrix { op, args } if op.is_access() => matches!(
                        func.ty(args[0]).address_space(),
                        Some(AddressSpace::Global | AddressSpace::Constant | AddressSpace::Local)
                    ),
                    InstKind::Matrix { .. } | InstKind::Jump { .. } => true,
                    InstKind::Branch { then, other, .. } if found => {
                        then.block != other.block || then.args == other.args
                    }
                    InstKind::Switch { .. } => !found,
                    InstKind::Branch { .. } => true,
                    _ => !found,
                };
                if !fits {
                    return refused(format!("{:?}", data.kind));
                }
            }
        }
    }
    Ok(())
}
