//! Variables that the many places behind one selection share.
//!
//! Behind a selection whose arms go on to one of many places, each place is guarded by a test of the
//! label. Only one place is next at a time, so that the parameters of all of them can be handed on in
//! the same few variables, the *carriers*: an edge to a place sets the carriers beside the label, and the
//! place takes its parameters from them. Each guard then hands on as many values as one place has
//! parameters, where it would hand on those of all places.
//!
//! The header itself ends the carriers, so that none is looked for above it.

use super::work::{Var, Work};
use pumice_ir::{Block, Type, Value};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// With fewer places than this each parameter has its own variable, as few values are handed on then
/// and drivers see that most are not used.
pub(super) const MANY: usize = 8;

/// A carrier with the operand that stands for it.
type Carrier = (Var, Value);

/// The carriers of each place that has some.
#[derive(Default)]
pub(super) struct Carriers {
    of: FxHashMap<Block, Rc<Shared>>,
}

/// The variables that places behind one selection share.
struct Shared {
    carriers: Vec<Carrier>,
    /// The former parameters of each place, each with its carrier's number.
    params: FxHashMap<Block, Vec<(Value, usize)>>,
}

impl Carriers {
    /// Lets the places behind `header` share variables. Beside each place stands the block of the original
    /// function whose parameters it has.
    pub fn share(&mut self, work: &mut Work<'_>, header: Block, places: &[(Block, Option<Block>)]) {
        let mut carriers: Vec<Carrier> = Vec::new();
        let mut of_type: FxHashMap<Type, Vec<usize>> = FxHashMap::default();
        let mut params = FxHashMap::default();
        for &(place, home) in places {
            let values = home.map_or_else(Vec::new, |home| work.params[home].clone());
            let mut used: FxHashMap<Type, usize> = FxHashMap::default();
            let mut carried = Vec::new();
            for value in values {
                let ty = work.func.ty(value);
                let known = of_type.entry(ty).or_default();
                let next = used.entry(ty).or_default();
                if *next == known.len() {
                    known.push(carriers.len());
                    carriers.push(work.new_var(ty, None));
                }
                carried.push((value, known[*next]));
                *next += 1;
            }
            params.insert(place, carried);
        }
        if carriers.is_empty() {
            return;
        }
        for &(var, value) in &carriers {
            let undef = work.func.undef(work.func.ty(value));
            work.block_defs.insert((var, header), undef);
        }
        let shared = Rc::new(Shared { carriers, params });
        self.of
            .extend((places.iter()).map(|&(place, _)| (place, Rc::clone(&shared))));
    }

    /// Sets the carriers on the jump out of `edge`, which stands for one to `place`.
    pub fn set(&self, work: &mut Work<'_>, edge: Block, place: Block) {
        let Some(shared) = self.of.get(&place) else {
            return;
        };
        let mut values: Vec<Option<Value>> = vec![None; shared.carriers.len()];
        let mut defs = work.edge_defs.remove(&edge).unwrap_or_default();
        for &(param, number) in &shared.params[&place] {
            let var = work.var_of[&param];
            let found = defs.iter().rposition(|(defined, _)| *defined == var);
            // Otherwise it was set further up, on the way out of a loop.
            values[number] = Some(found.map_or(param, |at| defs[at].1));
            defs.retain(|(defined, _)| *defined != var);
        }
        for (&(var, carrier), value) in shared.carriers.iter().zip(values) {
            let value = value.unwrap_or_else(|| work.func.undef(work.func.ty(carrier)));
            defs.push((var, value));
        }
        work.edge_defs.insert(edge, defs);
    }

    /// Gives a new block that takes a place's parameters from the carriers and goes on to the place, if it
    /// takes any.
    pub fn way(&self, work: &mut Work<'_>, place: Block) -> Option<Block> {
        let shared = self.of.get(&place);
        let shared = shared.filter(|shared| !shared.params[&place].is_empty())?;
        let way = work.jump_block(place);
        let params = shared.params[&place].iter();
        let defs = params.map(|&(param, number)| (work.var_of[&param], shared.carriers[number].1));
        let defs = defs.collect();
        work.edge_defs.insert(way, defs);
        Some(way)
    }
}
