//! Calls of the built-in library that the importer writes: declared here, linked by `link_builtins`.

use super::body::Body;
use pumice_ir::{FuncId, Function, InstKind, Linkage, Type, Value};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// The library functions that a module's bodies call.
#[derive(Debug, Default)]
pub(super) struct Library {
    /// The number of functions that the module has itself.
    own: usize,
    numbers: FxHashMap<&'static str, FuncId>,
    /// Their declarations, which follow the module's own functions.
    pub declared: Vec<Function>,
}

impl Library {
    /// No calls yet, in a module with so many functions.
    pub fn new(own: usize) -> Self {
        Self {
            own,
            ..Self::default()
        }
    }

    /// Declares a function.
    pub fn function(&mut self, name: &'static str, params: Vec<Type>, results: &[Type]) -> FuncId {
        *self.numbers.entry(name).or_insert_with(|| {
            let id = FuncId::from_u32((self.own + self.declared.len()) as u32);
            let mut func = Function::new(name, params, results.to_vec());
            func.linkage = Linkage::Import;
            self.declared.push(func);
            id
        })
    }
}

impl Body<'_, '_> {
    /// Calls a library function with one result.
    pub(super) fn call_library(&mut self, name: &'static str, args: &[Value], ty: Type) -> Value {
        let results = self.library_call(name, args, &[ty]);
        results[0]
    }

    /// Calls a library function; gives its results.
    pub(super) fn library_call(
        &mut self,
        name: &'static str,
        args: &[Value],
        results: &[Type],
    ) -> SmallVec<[Value; 1]> {
        let params = args.iter().map(|&arg| self.func.ty(arg)).collect();
        let func = self.library.function(name, params, results);
        let kind = InstKind::Call {
            func,
            args: SmallVec::from_slice(args),
        };
        let block = self.current();
        let call = self.func.append(block, kind, results, self.loc);
        self.func.insts[call].results.clone()
    }
}
