//! The table of everything in SPIR-V's grammar that a Kernel module can hold, with the file
//! test that has it or how it is refused: `docs/spirv-coverage.md`, blessed.
//!
//! Rows come from rspirv's grammar: every instruction, capability and enumerant that does not
//! depend on the capability Shader. A row is one of these, found by trying:
//!
//! - a file of `filetests/import` that is imported without an error has it;
//! - a file whose import ends in an error that names it;
//! - it needs a capability, and the importer refuses each that would do;
//! - it is a number that an instruction gives or takes ([`NUMBERS`]).
//!
//! A row with none of these fails the test: no token of the grammar is silently ignored.

use pumice_backend::import::{SpecConstants, VariableForm, import, import_as};
use pumice_compiler::target::SubgroupOps;
use pumice_compiler::{KernelModule, LowerOptions, Target, lower};
use pumice_test_support::spirv_tools;
use rspirv::binary::{Consumer, ParseAction, Parser};
use rspirv::dr::{Instruction, ModuleHeader, Operand};
use rspirv::grammar::{INSTRUCTION_TABLE, OPENCL_STD_100_INSTRUCTION_TABLE};
use rspirv::spirv::{self, Capability, Op};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};

/// Files by the tokens that they test.
type Tested = BTreeMap<Token, Vec<String>>;
/// A kind of token and a name in it.
type Token = (&'static str, String);

/// A token of the grammar.
struct Row {
    token: Token,
    number: u32,
    /// The capabilities of which it needs one.
    needs: Vec<Capability>,
}

impl Row {
    fn plain(kind: &'static str, name: &str) -> Self {
        Row {
            token: (kind, name.to_string()),
            number: 0,
            needs: Vec::new(),
        }
    }
}

/// Kinds whose enumerants no module holds: they are numbers that an instruction gives or takes.
const NUMBERS: &[(&str, &str, &str)] = &[
    ("ImageChannelOrder", "given by", "ImageQueryOrder"),
    ("ImageChannelDataType", "given by", "ImageQueryFormat"),
    ("KernelEnqueueFlags", "taken by", "EnqueueKernel"),
    (
        "KernelProfilingInfo",
        "taken by",
        "CaptureEventProfilingInfo",
    ),
];

/// One line a kind: its name, every enumerant, and those that an operand holds.
macro_rules! kinds {
    (values { $($value:ident),* } bits { $($bits:ident),* }) => {
        /// Every enumerant with its number and the capabilities of which it needs one.
        fn enumerants() -> Vec<Row> {
            let mut all = Vec::new();
            $(for number in 0..0x2000 {
                if let Some(value) = spirv::$value::from_u32(number) {
                    let needs = Operand::$value(value).required_capabilities();
                    let token = (stringify!($value), format!("{value:?}"));
                    all.push(Row { token, number, needs });
                }
            })*
            $(for (name, value) in spirv::$bits::all().iter_names() {
                let needs = Operand::$bits(value).required_capabilities();
                let token = (stringify!($bits), name.to_string());
                all.push(Row { token, number: value.bits(), needs });
            })*
            all
        }

        /// The enumerants in an operand.
        fn tokens_of(operand: &Operand) -> Vec<Token> {
            match operand {
                $(Operand::$value(value) => vec![(stringify!($value), format!("{value:?}"))],)*
                $(Operand::$bits(value) => bit_names(stringify!($bits), value.iter_names()),)*
                _ => Vec::new(),
            }
        }
    };
}

kinds! {
    values {
        Capability, AddressingModel, MemoryModel, ExecutionModel, ExecutionMode, StorageClass,
        Decoration, BuiltIn, LinkageType, FunctionParameterAttribute, FPRoundingMode, Scope,
        GroupOperation, PackedVectorFormat, SourceLanguage, Dim, ImageFormat, AccessQualifier,
        ImageChannelOrder, ImageChannelDataType, SamplerAddressingMode, SamplerFilterMode,
        KernelEnqueueFlags
    }
    bits {
        FPFastMathMode, SelectionControl, LoopControl, FunctionControl, MemorySemantics,
        MemoryAccess, ImageOperands, KernelProfilingInfo
    }
}

fn bit_names<T>(kind: &'static str, names: impl Iterator<Item = (&'static str, T)>) -> Vec<Token> {
    let names: Vec<Token> = names.map(|(name, _)| (kind, name.to_string())).collect();
    // No bit set is a value too, where the grammar names it.
    if names.is_empty() {
        vec![(kind, "NONE".to_string()), (kind, "RELAXED".to_string())]
    } else {
        names
    }
}

/// Returns whether a Kernel module can declare the capability: it does not depend on Shader.
fn is_kernel_capability(capability: Capability, depth: u32) -> bool {
    if matches!(capability, Capability::Shader | Capability::Matrix) || depth > 8 {
        return false;
    }
    let needs = Operand::Capability(capability).required_capabilities();
    needs.is_empty() || needs.iter().any(|&c| is_kernel_capability(c, depth + 1))
}

/// Collects the tokens of a module.
#[derive(Default)]
struct Tokens {
    found: BTreeSet<Token>,
    words: HashMap<u32, u32>,
    sets: HashMap<u32, String>,
}

impl Consumer for Tokens {
    fn initialize(&mut self) -> ParseAction {
        ParseAction::Continue
    }
    fn finalize(&mut self) -> ParseAction {
        ParseAction::Continue
    }
    fn consume_header(&mut self, _: ModuleHeader) -> ParseAction {
        ParseAction::Continue
    }
    fn consume_instruction(&mut self, inst: Instruction) -> ParseAction {
        self.found.insert(("Op", inst.class.opname.to_string()));
        if let (Op::Constant, Some(id), Some(Operand::LiteralBit32(word))) =
            (inst.class.opcode, inst.result_id, inst.operands.first())
        {
            self.words.insert(id, *word);
        }
        match (inst.class.opcode, inst.operands.as_slice()) {
            (Op::ExtInstImport, [Operand::LiteralString(name)]) => {
                self.sets.insert(inst.result_id.unwrap_or(0), name.clone());
            }
            (
                Op::ExtInst,
                [
                    Operand::IdRef(set),
                    Operand::LiteralExtInstInteger(number),
                    ..,
                ],
            ) => {
                if self.sets.get(set).is_some_and(|name| name == "OpenCL.std") {
                    let op = spirv::OpenclStd100Op::from_u32(*number).expect("known");
                    self.found.insert(("OpenCL.std", format!("{op:?}")));
                } else if self
                    .sets
                    .get(set)
                    .is_some_and(|n| n == "SPV_AMD_shader_ballot")
                {
                    let op = spirv::SpvAmdShaderBallotOp::from_u32(*number).expect("known");
                    self.found
                        .insert(("SPV_AMD_shader_ballot", format!("{op:?}")));
                }
            }
            _ => {}
        }
        for operand in &inst.operands {
            let tokens = match operand {
                Operand::IdScope(id) => {
                    let scope = self.words.get(id).and_then(|&n| spirv::Scope::from_u32(n));
                    scope.map_or(Vec::new(), |scope| tokens_of(&Operand::Scope(scope)))
                }
                Operand::IdMemorySemantics(id) => self.words.get(id).map_or(Vec::new(), |&n| {
                    let bits = spirv::MemorySemantics::from_bits_retain(n);
                    tokens_of(&Operand::MemorySemantics(bits))
                }),
                other => tokens_of(other),
            };
            self.found.extend(tokens);
        }
        ParseAction::Continue
    }
}

/// The tokens of a module. rspirv's parser stumbles over OpSpecConstantOp, which is read here.
fn tokens(words: &[u32]) -> Result<BTreeSet<Token>, String> {
    let mut all = Tokens::default();
    let mut rest = words[..pumice_spirv::HEADER_WORDS].to_vec();
    for inst in pumice_spirv::instructions(words) {
        let inst = inst.map_err(|e| e.to_string())?;
        if inst.opcode == pumice_spirv::op::SPEC_CONSTANT_OP {
            let inner = Op::from_u32(inst.operands[2]).ok_or("unknown operation")?;
            all.found.insert(("Op", "SpecConstantOp".to_string()));
            all.found.insert(("OpSpecConstantOp", format!("{inner:?}")));
        } else {
            rest.extend(inst.words);
        }
    }
    let bytes: Vec<u8> = rest.iter().flat_map(|word| word.to_le_bytes()).collect();
    Parser::new(&bytes, &mut all)
        .parse()
        .map_err(|e| e.to_string())?;
    Ok(all.found)
}

/// Checks that an imported module also lowers to Vulkan SPIR-V, on a device with every feature.
fn lowers(words: Vec<u32>, name: &str) {
    let reference = Target::reference();
    let target = Target {
        amd_shader_ballot: true,
        subgroup: SubgroupOps {
            clustered: true,
            rotate: true,
            ..reference.subgroup
        },
        ..reference
    };
    let module = KernelModule {
        words,
        is_library: true,
    };
    let lowered = lower(&module, &target, &LowerOptions::default());
    let output = lowered
        .output
        .unwrap_or_else(|| panic!("{name}: {}", lowered.log));
    let stripped = pumice_reflection::strip_non_semantic(&output.words);
    spirv_tools::validate(&stripped, "vulkan1.2").unwrap_or_else(|e| panic!("{name}: {e}"));
}

fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("filetests/import");
    let entries = std::fs::read_dir(folder).expect("filetests");
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.expect("entry").path())
        .filter(|path| path.extension().is_some_and(|e| e == "spvasm"))
        .collect();
    files.sort();
    files
}

/// Collects the tests of each token, and the expected errors with their files.
fn evidence() -> (Tested, Vec<(String, String)>) {
    let (mut tested, mut errors) = (Tested::new(), Vec::new());
    for path in files() {
        let text = std::fs::read_to_string(&path).expect("readable");
        let words = spirv_tools::assemble(&text);
        let stem = path.file_stem().expect("a name").to_string_lossy();
        let name = stem.into_owned();
        // As builds import it.
        let variables = VariableForm::Values { zero: false };
        match import_as(&words, &SpecConstants::default(), variables) {
            Ok(_) => {
                let found = tokens(&words).unwrap_or_else(|e| panic!("{name}: {e}"));
                if found.contains(&("Op", "EntryPoint".to_string())) {
                    lowers(words, &name);
                }
                for token in found {
                    tested
                        .entry(token)
                        .or_insert_with(Vec::new)
                        .push(name.clone());
                }
            }
            Err(error) => errors.push((name, error.message)),
        }
    }
    (tested, errors)
}

/// Returns whether the importer takes a module that declares the capability.
fn is_accepted(capability: Capability) -> bool {
    let words = [
        0x0723_0203,
        0x0001_0600,
        0,
        8,
        0,
        2 << 16 | Op::Capability as u32,
        capability as u32,
        3 << 16 | Op::MemoryModel as u32,
        spirv::AddressingModel::Physical64 as u32,
        spirv::MemoryModel::OpenCL as u32,
    ];
    match import(&words, &SpecConstants::default()) {
        Ok(_) => true,
        Err(error) => {
            let named = format!("capability {capability:?}");
            assert!(error.message.contains(&named), "{}", error.message);
            false
        }
    }
}

/// Returns whether the importer refuses by name a module that uses the enumerant.
fn is_refused(kind: &str, name: &str, number: u32) -> bool {
    const HEAD: [u32; 10] = [
        0x0723_0203,
        0x0001_0600,
        0,
        16,
        0,
        2 << 16 | Op::Capability as u32,
        Capability::Kernel as u32,
        3 << 16 | Op::MemoryModel as u32,
        spirv::AddressingModel::Physical64 as u32,
        spirv::MemoryModel::OpenCL as u32,
    ];
    let mut words = HEAD.to_vec();
    let mut inst = |op: Op, operands: &[u32]| {
        pumice_spirv::push_inst(&mut words, op as u16, operands);
    };
    match kind {
        "Decoration" => {
            inst(Op::Decorate, &[1, number, 0]);
            inst(Op::TypeVoid, &[1]);
        }
        "StorageClass" => {
            inst(Op::TypeInt, &[1, 32, 0]);
            inst(Op::TypePointer, &[2, number, 1]);
        }
        "BuiltIn" => {
            inst(
                Op::Decorate,
                &[1, spirv::Decoration::BuiltIn as u32, number],
            );
            inst(Op::TypeInt, &[2, 32, 0]);
            inst(Op::TypePointer, &[3, spirv::StorageClass::Input as u32, 2]);
            inst(Op::Variable, &[3, 1, spirv::StorageClass::Input as u32]);
        }
        "ExecutionMode" => {
            inst(
                Op::EntryPoint,
                &[spirv::ExecutionModel::Kernel as u32, 1, 0x6B],
            );
            inst(Op::ExecutionMode, &[1, number]);
            inst(Op::TypeVoid, &[2]);
            inst(Op::TypeFunction, &[3, 2]);
            inst(Op::Function, &[2, 1, 0, 3]);
            inst(Op::Label, &[4]);
            inst(Op::Return, &[]);
            inst(Op::FunctionEnd, &[]);
        }
        _ => return false,
    }
    let result = import(&words, &SpecConstants::default());
    result.is_err_and(|error| names(&error.message, name))
}

/// Returns whether `text` contains `word` as a whole word.
fn names(text: &str, word: &str) -> bool {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .any(|part| part == word)
}

fn operations_of_spec_constant_op() -> Vec<&'static str> {
    // SPIR-V §3.49.7 (OpSpecConstantOp): what every module may use, then what Kernel adds.
    let text = "SConvert FConvert SNegate Not IAdd ISub IMul UDiv SDiv UMod SRem SMod \
        ShiftRightLogical ShiftRightArithmetic ShiftLeftLogical BitwiseOr BitwiseXor BitwiseAnd \
        VectorShuffle CompositeExtract CompositeInsert LogicalOr LogicalAnd LogicalNot \
        LogicalEqual LogicalNotEqual Select IEqual INotEqual ULessThan SLessThan UGreaterThan \
        SGreaterThan ULessThanEqual SLessThanEqual UGreaterThanEqual SGreaterThanEqual UConvert \
        ConvertFToS ConvertSToF ConvertFToU ConvertUToF ConvertPtrToU ConvertUToPtr \
        GenericCastToPtr PtrCastToGeneric Bitcast FNegate FAdd FSub FMul FDiv FRem FMod \
        AccessChain InBoundsAccessChain PtrAccessChain InBoundsPtrAccessChain";
    text.split_whitespace().collect()
}

/// Every token that a Kernel module can hold.
fn rows() -> Vec<Row> {
    let mut rows: Vec<Row> = INSTRUCTION_TABLE
        .iter()
        .map(|inst| Row {
            token: ("Op", inst.opname.to_string()),
            number: inst.opcode as u32,
            needs: inst.capabilities.to_vec(),
        })
        .collect();
    rows.extend(enumerants());
    rows.retain(|row| match Capability::from_u32(row.number) {
        Some(capability) if row.token.0 == "Capability" => is_kernel_capability(capability, 0),
        _ => row.needs.is_empty() || row.needs.iter().any(|&c| is_kernel_capability(c, 0)),
    });
    for op in operations_of_spec_constant_op() {
        rows.push(Row::plain("OpSpecConstantOp", op));
    }
    for inst in OPENCL_STD_100_INSTRUCTION_TABLE.iter() {
        rows.push(Row::plain("OpenCL.std", inst.opname));
    }
    for number in 1..=4 {
        let op = spirv::SpvAmdShaderBallotOp::from_u32(number).expect("four of them");
        rows.push(Row::plain("SPV_AMD_shader_ballot", &format!("{op:?}")));
    }
    rows
}

#[test]
fn every_kernel_token_is_tested_or_refused() {
    if spirv_tools::missing() {
        return;
    }
    let (tested, errors) = evidence();
    let mut accepted: HashMap<Capability, bool> = HashMap::new();
    let mut table = String::from(
        "# SPIR-V coverage\n\nEverything in SPIR-V's grammar that a Kernel module can hold, with \
         the file of `compiler/filetests/import`\nthat is imported with it, or how it is refused. Made \
         and checked by `compiler/tests/spirv_coverage.rs`.\n",
    );
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/spirv-coverage.md");
    let mut pinned = std::fs::read_to_string(&path).unwrap_or_default();
    let (mut missing, mut last) = (Vec::new(), "");
    let given = |kind: &str| {
        let (_, how, op) = NUMBERS.iter().find(|(number, ..)| *number == kind)?;
        Some((how, op, tested.get(&("Op", op.to_string()))?))
    };
    for row in rows() {
        let Row {
            token,
            number,
            needs,
        } = &row;
        let (kind, name) = token;
        let mut allowed = |c: Capability| *accepted.entry(c).or_insert_with(|| is_accepted(c));
        let named = match *kind {
            "Op" => format!("Op{name}"),
            _ => name.clone(),
        };
        let by_name = errors.iter().find(|(_, error)| names(error, &named));
        let kernel_needs: Vec<Capability> = needs
            .iter()
            .copied()
            .filter(|&c| *kind != "Capability" && is_kernel_capability(c, 0))
            .collect();
        let capability = Capability::from_u32(*number).filter(|_| *kind == "Capability");
        let state = if let Some(files) = tested.get(token) {
            // The file that the table names already, as long as it has the token: a new file
            // changes no row.
            let known = files.iter().find(|file| {
                let row = format!("| {named} | `{file}` |");
                pinned.lines().any(|line| line == row)
            });
            format!("`{}`", known.unwrap_or(&files[0]))
        } else if capability.is_some_and(|c| !allowed(c)) || is_refused(kind, name, *number) {
            "refused by name".to_string()
        } else if !kernel_needs.is_empty() && !kernel_needs.iter().any(|&c| allowed(c)) {
            let list: Vec<String> = kernel_needs.iter().map(|c| format!("{c:?}")).collect();
            format!("refused with {}", list.join(", "))
        } else if let Some((file, _)) = by_name {
            format!("refused: `{file}`")
        } else if let Some((how, op, files)) = given(kind) {
            format!("{how} Op{op}: `{}`", files[0])
        } else {
            missing.push(format!("{kind} {name}"));
            "MISSING".to_string()
        };
        if *kind != last {
            let title = if *kind == "Op" { "Instructions" } else { kind };
            table.push_str(&format!("\n## {title}\n\n| token | state |\n|---|---|\n"));
            last = kind;
        }
        table.push_str(&format!("| {named} | {state} |\n"));
    }
    if pumice_filetests::golden::blessing() {
        std::fs::write(&path, &table).expect("writable");
        pinned.clone_from(&table);
    }
    assert!(
        missing.is_empty(),
        "{} tokens have neither a test nor a refusal:\n{}",
        missing.len(),
        missing.join("\n")
    );
    assert!(pinned == table, "{} differs: bless it", path.display());
}
