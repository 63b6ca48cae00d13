//! The stored form of functions, in which the compiled built-in library holds them.
//!
//! Values are numbered anew: constants, undefined values, block parameters in the order of the blocks, results in the
//! order of the instructions. So reading makes each in its turn and translates nothing. Source positions are left out.

use super::{
    Block, Function, GlobalData, InstKind, Linkage, Module, SourceLoc, StackSlotData, Type,
    UnrollHint, Value, ValueDef,
};
use cranelift_entity::{EntityRef, SecondaryMap};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

/// Functions with the variables and strings that they name. Kernels are not stored.
#[derive(Serialize, Deserialize)]
struct StoredModule {
    functions: Vec<StoredFunction>,
    globals: Vec<GlobalData>,
    strings: Vec<Vec<u8>>,
}

#[derive(Serialize, Deserialize)]
struct StoredFunction {
    name: String,
    linkage: Linkage,
    params: Vec<Type>,
    results: Vec<Type>,
    no_inline: bool,
    always_inline: bool,
    slots: Vec<StackSlotData>,
    constants: Vec<(Type, SmallVec<[u64; 1]>)>,
    undefined: Vec<Type>,
    /// In the layout's order, which numbers them.
    blocks: Vec<StoredBlock>,
}

#[derive(Serialize, Deserialize)]
struct StoredBlock {
    params: Vec<Type>,
    unroll: UnrollHint,
    insts: Vec<(InstKind, SmallVec<[Type; 1]>)>,
}

/// Writes a module's functions, variables and strings.
///
/// # Errors
/// An instruction that has no stored form: on images, matrices, payloads, or of a group.
pub fn write(module: &Module) -> Result<Vec<u8>, postcard::Error> {
    postcard::to_allocvec(&StoredModule {
        functions: module.functions.values().map(stored).collect(),
        globals: module.globals.values().cloned().collect(),
        strings: module.strings.values().cloned().collect(),
    })
}

/// Reads what [`write`] wrote.
///
/// # Errors
/// Other bytes, as far as they cannot be read. What can be read is not verified.
pub fn read(bytes: &[u8]) -> Result<Module, postcard::Error> {
    let StoredModule {
        functions,
        globals,
        strings,
    } = postcard::from_bytes(bytes)?;
    Ok(Module {
        functions: functions.into_iter().map(restored).collect(),
        globals: globals.into_iter().collect(),
        strings: strings.into_iter().collect(),
        ..Module::default()
    })
}

fn restored(stored: StoredFunction) -> Function {
    let mut func = Function::new(stored.name, stored.params, stored.results);
    func.linkage = stored.linkage;
    func.no_inline = stored.no_inline;
    func.always_inline = stored.always_inline;
    func.slots = stored.slots.into_iter().collect();
    func.reserve(stored.blocks.iter().map(|block| block.insts.len()).sum());
    for (ty, lanes) in &stored.constants {
        func.constant(*ty, lanes);
    }
    for ty in stored.undefined {
        func.undef(ty);
    }
    for stored in &stored.blocks {
        let block = func.append_block();
        func.blocks[block].unroll = stored.unroll;
        for &ty in &stored.params {
            func.append_param(block, ty);
        }
    }
    for (index, stored) in stored.blocks.into_iter().enumerate() {
        let block = Block::new(index);
        let insts = stored.insts.into_iter();
        func.layout.insts[block] = insts
            .map(|(kind, results)| func.make_inst(kind, &results, SourceLoc::default()))
            .collect();
    }
    func
}

fn types_of<'f>(func: &'f Function, values: &'f [Value]) -> impl Iterator<Item = Type> + 'f {
    values.iter().map(|&value| func.ty(value))
}

fn stored(func: &Function) -> StoredFunction {
    let blocks = &func.layout.blocks;
    let insts = || blocks.iter().flat_map(|&block| &func.layout.insts[block]);
    let mut known: FxHashSet<Value> = FxHashSet::default();
    let (mut constants, mut undefined) = (Vec::new(), Vec::new());
    for &inst in insts() {
        func.insts[inst].kind.for_each_value(|value| {
            let kind = match func.def(value) {
                ValueDef::Const(_) => &mut constants,
                ValueDef::Undef => &mut undefined,
                ValueDef::Result(..) | ValueDef::Param(..) => return,
            };
            if known.insert(value) {
                kind.push(value);
            }
        });
    }
    let params = blocks.iter().flat_map(|&block| &func.blocks[block].params);
    let results = insts().flat_map(|&inst| &func.insts[inst].results);
    let values = constants.iter().chain(&undefined);
    let values = values.chain(params).chain(results).enumerate();
    let numbers: FxHashMap<Value, Value> = (values)
        .map(|(number, &value)| (value, Value::new(number)))
        .collect();
    let mut block_numbers: SecondaryMap<Block, u32> = SecondaryMap::new();
    for (number, &block) in (0..).zip(blocks) {
        block_numbers[block] = number;
    }
    let stored_block = |&block: &Block| StoredBlock {
        params: types_of(func, &func.blocks[block].params).collect(),
        unroll: func.blocks[block].unroll,
        insts: (func.layout.insts[block].iter())
            .map(|&inst| {
                let data = &func.insts[inst];
                let mut kind = data.kind.clone();
                kind.for_each_value_mut(|value| *value = numbers[value]);
                for call in kind.successors_mut() {
                    call.block = Block::from_u32(block_numbers[call.block]);
                }
                (kind, types_of(func, &data.results).collect())
            })
            .collect(),
    };
    StoredFunction {
        name: func.name.clone(),
        linkage: func.linkage,
        params: func.params.clone(),
        results: func.results.clone(),
        no_inline: func.no_inline,
        always_inline: func.always_inline,
        slots: func.slots.values().copied().collect(),
        blocks: blocks.iter().map(stored_block).collect(),
        constants: (constants.iter())
            .filter_map(|&value| Some((func.ty(value), func.const_lanes(value)?.into())))
            .collect(),
        undefined: types_of(func, &undefined).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::{read, write};
    use crate::text::{module_to_text, parse_module};

    const MODULE: &str = r#"
global global0 "table" constant size 4 align 4 internal init "\x01\x02\x03\x04"

func fn0 "__pumice_f"(i32, f32x4) -> (i32, f32) internal {
  slot0 = size 4 align 4
block0(v9: i32, v8: f32x4):
  v1: ptr.private = stack_addr slot0
  store v1, v9, align 4
  branch undef bool, block3(i32 7), block2
block2:
  v20: f32 = extract v8, 2
  v21: f32 = fadd v20, f32 1.5
  return i32 7, v21
block3(v4: i32):
  v5: i32 = iadd v4, v9
  v6: f32 = math.ocl.mad f32 1.5, f32 1.5, f32 2.0
  switch v5, block3(v5), [3: block2, 4: block3(i32 7)]
}
"#;

    #[test]
    fn what_is_written_is_read() {
        let text = MODULE.trim_start();
        let module = parse_module(text).unwrap_or_else(|error| panic!("{error}"));
        let read = |bytes: &[u8]| read(bytes).map(|module| module_to_text(&module));
        let bytes = write(&module).expect("a stored form");
        let once = read(&bytes).expect("readable");
        // Numbers change once, and never again.
        let again = write(&parse_module(&once).expect("its own text")).expect("a stored form");
        assert_eq!(read(&again).as_ref(), Ok(&once));
        let lines = |text: &str| text.lines().count();
        assert_eq!(lines(&once), lines(&module_to_text(&module)));
        for end in 0..bytes.len() {
            assert!(read(&bytes[..end]).is_err(), "{end} bytes");
        }
    }
}
