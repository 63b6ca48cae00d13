//! Linker names of overloadable functions.
use super::Sema;
use crate::lang::types::{Access, AddrSpace, OpaqueKind, Type, TypeId};

impl Sema<'_> {
    /// Linker name of an overloadable function: the Itanium form with vendor address spaces.
    pub(super) fn mangle(&self, name: &str, params: &[TypeId]) -> String {
        let mut out = format!("_Z{}{name}", name.len());
        if params.is_empty() {
            out.push('v');
        }
        for &param in params {
            self.mangle_type(param, &mut out);
        }
        out
    }

    fn mangle_type(&self, ty: TypeId, out: &mut String) {
        let types = &self.module.types;
        match types.get(ty) {
            Type::Void => out.push('v'),
            Type::Bool => out.push('b'),
            Type::Int(kind) => {
                let letters = ["c", "h", "s", "t", "i", "j", "l", "m"];
                out.push_str(letters[*kind as usize]);
            }
            Type::Float(kind) => out.push_str(["Dh", "f", "d"][*kind as usize]),
            Type::Vector { elem, len } => {
                out.push_str(&format!("Dv{len}_"));
                self.mangle_type(*elem, out);
            }
            Type::Pointer { pointee, space } => {
                out.push('P');
                let number = match space {
                    AddrSpace::Private | AddrSpace::Code => None,
                    AddrSpace::Global => Some(1),
                    AddrSpace::Constant => Some(2),
                    AddrSpace::Local => Some(3),
                    AddrSpace::Generic => Some(4),
                    AddrSpace::GlobalDevice => Some(5),
                    AddrSpace::GlobalHost => Some(6),
                };
                if let Some(number) = number {
                    out.push_str(&format!("U3AS{number}"));
                }
                if pointee.quals.contains(crate::lang::types::Quals::VOLATILE) {
                    out.push('V');
                }
                if pointee.quals.contains(crate::lang::types::Quals::CONST) {
                    out.push('K');
                }
                self.mangle_type(pointee.ty, out);
            }
            Type::Array { elem, len } => {
                out.push_str(&format!("A{}_", len.unwrap_or(0)));
                self.mangle_type(elem.ty, out);
            }
            Type::Record(record) => {
                let text = &types.record(*record).name;
                out.push_str(&format!("{}{text}", text.len()));
            }
            Type::Enum(e) => {
                let text = &types.enums[e.0 as usize].name;
                out.push_str(&format!("{}{text}", text.len()));
            }
            Type::Atomic(value) => {
                out.push_str("U7_Atomic");
                self.mangle_type(*value, out);
            }
            Type::Opaque(kind) => self.mangle_opaque(*kind, out),
            Type::Function { ret, params, .. } => {
                out.push('F');
                self.mangle_type(*ret, out);
                for param in params {
                    self.mangle_type(*param, out);
                }
                if params.is_empty() {
                    out.push('v');
                }
                out.push('E');
            }
            Type::Block(_) | Type::Error => out.push('z'),
        }
    }

    /// Opaque types as clang names them: `14ocl_image2d_ro`, `9ocl_event`.
    fn mangle_opaque(&self, kind: OpaqueKind, out: &mut String) {
        let name = match kind {
            OpaqueKind::Image(image, access) => {
                let access = match access {
                    Access::Read => "ro",
                    Access::Write => "wo",
                    Access::ReadWrite => "rw",
                };
                let stem = image.shape().name.trim_end_matches("_t");
                format!("ocl_{}_{access}", stem.replace('_', ""))
            }
            OpaqueKind::Pipe(packet, _) => {
                out.push_str("8ocl_pipe");
                return self.mangle_type(packet, out);
            }
            OpaqueKind::ClkEvent => "ocl_clkevent".to_string(),
            OpaqueKind::ReserveId => "ocl_reserveid".to_string(),
            other => format!("ocl_{}", other.name().trim_end_matches("_t")),
        };
        out.push_str(&format!("{}{name}", name.len()));
    }
}
