//! The values that blocks pass to parameters.

use crate::{Function, Value};
use rustc_hash::FxHashMap;

/// The arguments that reach the parameters of blocks.
pub type Incoming = FxHashMap<Value, Vec<Value>>;

/// Collects the arguments that blocks pass to each parameter, in time that is linear in their number.
pub fn incoming(func: &Function) -> Incoming {
    let mut incoming = Incoming::default();
    for &block in &func.layout.blocks {
        let Some(inst) = func.terminator(block) else {
            continue;
        };
        for call in func.insts[inst].kind.successors() {
            for (&param, &arg) in func.blocks[call.block].params.iter().zip(&call.args) {
                incoming.entry(param).or_default().push(arg);
            }
        }
    }
    incoming
}
