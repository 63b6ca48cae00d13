//! Everything before the first function: capabilities, names, decorations, types, constants
//! and variables, plus the table of what each id is.

use super::accepted::CAPABILITIES;
use super::consts::{Const, ConstVal};
use super::matrix_roads::{NativeMatrices, native_types};
use super::reader::{ImportError, Inst, ModuleWords, Result};
use super::type_insts::storage_class;
use super::types::{Ty, Types, space_of};
use cranelift_entity::PrimaryMap;
use pumice_ir::{
    AddressSpace, BuiltIn, GlobalData, GlobalId, Linkage, MatrixType, SourceFile, Type,
};
use rspirv::spirv::{self, Capability, Decoration, LinkageType, Op};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// A decoration's kind and literals.
#[derive(Clone, Copy, Debug)]
pub(super) struct Deco<'a> {
    pub kind: u32,
    pub args: &'a [u32],
}

/// An extended instruction set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ExtSet {
    OpenClStd,
    AmdShaderBallot,
    /// Debug information and other sets without meaning for execution.
    NonSemantic,
}

/// The meaning of an id of the preamble or of a function.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Def {
    #[default]
    None,
    Type(Ty),
    Const(u32),
    /// A variable with an address; the type is its pointer type.
    Global(GlobalId, Ty),
    /// A built-in variable: only loads of it have a meaning.
    BuiltIn(BuiltIn, Ty),
    /// Index into the table of functions.
    Func(u32),
    ExtSet(ExtSet),
}

/// An entry point as declared.
#[derive(Clone, Debug)]
pub(super) struct EntryPoint {
    pub func: u32,
    pub name: String,
}

/// An execution mode with literals (ids are already replaced by their constants' values).
#[derive(Clone, Debug)]
pub(super) struct Mode {
    pub func: u32,
    pub mode: u32,
    pub args: SmallVec<[u32; 3]>,
}

#[derive(Debug, Default)]
pub(super) struct Preamble<'a> {
    pub types: Types,
    /// Grown on demand: the bound may be far above the ids in use.
    defs: Vec<Def>,
    bound: u32,
    consts: Vec<Const>,
    pub decorations: FxHashMap<u32, SmallVec<[Deco<'a>; 2]>>,
    pub names: FxHashMap<u32, String>,
    /// OpString by id, in order of appearance.
    pub strings: Vec<(u32, String)>,
    /// One-based places in `strings` by id.
    string_numbers: FxHashMap<u32, u32>,
    /// Texts of source files by the place of their name in `strings`, one-based.
    texts: FxHashMap<u32, String>,
    /// The file of the OpSource that was read last; 0 for none.
    source: u32,
    pub entry_points: Vec<EntryPoint>,
    pub modes: Vec<Mode>,
    pub globals: PrimaryMap<GlobalId, GlobalData>,
    pub(super) parts: usize,
    /// Bytes of the constants that are kept as bytes.
    pub(super) bytes: u64,
    spec: FxHashMap<u32, u64>,
    /// Work-items of a sub-group on the device.
    pub sub_group_size: u32,
    /// Matrices that are the device's own, by the id of their type.
    pub native_types: FxHashMap<u32, MatrixType>,
    id_modes: Vec<Inst<'a>>,
    has_memory_model: bool,
}

/// Refuses decorations that no Kernel module can have.
fn check_decoration(inst: &Inst<'_>, place: usize) -> Result<()> {
    let number = inst.arg(place)?;
    match Decoration::from_u32(number) {
        Some(
            Decoration::SpecId
            | Decoration::CPacked
            | Decoration::BuiltIn
            | Decoration::Restrict
            | Decoration::Aliased
            | Decoration::Volatile
            | Decoration::Constant
            | Decoration::Coherent
            | Decoration::NonWritable
            | Decoration::NonReadable
            | Decoration::Uniform
            | Decoration::UniformId
            | Decoration::SaturatedConversion
            | Decoration::FuncParamAttr
            | Decoration::FPRoundingMode
            | Decoration::FPFastMathMode
            | Decoration::LinkageAttributes
            | Decoration::Alignment
            | Decoration::AlignmentId
            | Decoration::MaxByteOffset
            | Decoration::MaxByteOffsetId
            | Decoration::NoSignedWrap
            | Decoration::NoUnsignedWrap
            | Decoration::UserSemantic
            | Decoration::AliasScopeINTEL
            | Decoration::NoAliasINTEL,
        ) => Ok(()),
        Some(other) => Err(inst.error(format_args!("decoration {other:?} is not supported"))),
        None => Err(inst.error(format_args!("unknown decoration {number}"))),
    }
}

fn built_in(number: u32) -> Option<BuiltIn> {
    use spirv::BuiltIn as B;
    Some(match B::from_u32(number)? {
        B::NumWorkgroups => BuiltIn::NumGroups,
        B::WorkgroupSize => BuiltIn::LocalSize,
        B::WorkgroupId => BuiltIn::GroupId,
        B::LocalInvocationId => BuiltIn::LocalId,
        B::GlobalInvocationId => BuiltIn::GlobalId,
        B::LocalInvocationIndex => BuiltIn::LocalLinearId,
        B::WorkDim => BuiltIn::WorkDim,
        B::GlobalSize => BuiltIn::GlobalSize,
        B::EnqueuedWorkgroupSize => BuiltIn::EnqueuedLocalSize,
        B::GlobalOffset => BuiltIn::GlobalOffset,
        B::GlobalLinearId => BuiltIn::GlobalLinearId,
        B::SubgroupSize => BuiltIn::SubgroupSize,
        B::SubgroupMaxSize => BuiltIn::SubgroupMaxSize,
        B::NumSubgroups => BuiltIn::NumSubgroups,
        B::NumEnqueuedSubgroups => BuiltIn::NumEnqueuedSubgroups,
        B::SubgroupId => BuiltIn::SubgroupId,
        B::SubgroupLocalInvocationId => BuiltIn::SubgroupLocalId,
        B::SubgroupEqMask => BuiltIn::SubgroupEqMask,
        B::SubgroupGeMask => BuiltIn::SubgroupGeMask,
        B::SubgroupGtMask => BuiltIn::SubgroupGtMask,
        B::SubgroupLeMask => BuiltIn::SubgroupLeMask,
        B::SubgroupLtMask => BuiltIn::SubgroupLtMask,
        _ => return None,
    })
}

impl<'a> Preamble<'a> {
    /// The number of a file among the module's, by the id of its name; 0 for what is no string.
    pub fn file(&self, name: u32) -> u32 {
        self.string_numbers.get(&name).copied().unwrap_or(0)
    }

    /// The module's files: every string may be the name of one.
    pub fn take_files(&mut self) -> Vec<SourceFile> {
        let names = self.strings.iter().enumerate();
        let files = names.map(|(index, (_, name))| SourceFile {
            name: name.clone(),
            text: self.texts.remove(&(index as u32 + 1)).unwrap_or_default(),
        });
        files.collect()
    }

    /// Reads the instructions before the first function; gives the index of that one.
    pub fn read(
        words: &ModuleWords<'_>,
        insts: &[Inst<'a>],
        spec: &FxHashMap<u32, u64>,
        sub_group_size: u32,
        native: &NativeMatrices,
    ) -> Result<(Self, usize)> {
        let mut preamble = Preamble {
            bound: words.bound,
            spec: spec.clone(),
            sub_group_size,
            native_types: native_types(insts, native),
            ..Default::default()
        };
        let end = insts
            .iter()
            .position(|inst| inst.op == Op::Function)
            .unwrap_or(insts.len());
        for inst in &insts[..end] {
            preamble.read_inst(inst)?;
        }
        if !preamble.has_memory_model {
            return Err(ImportError::new("the module has no OpMemoryModel"));
        }
        for inst in std::mem::take(&mut preamble.id_modes) {
            let mut args = SmallVec::new();
            for &id in inst.rest(2) {
                let value = preamble
                    .constant(&inst, id)?
                    .scalar(&preamble.types)
                    .ok_or_else(|| inst.error("an operand is not a constant integer"))?;
                args.push(value as u32);
            }
            preamble.modes.push(Mode {
                func: inst.arg(0)?,
                mode: inst.arg(1)?,
                args,
            });
        }
        Ok((preamble, end))
    }

    fn read_inst(&mut self, inst: &Inst<'a>) -> Result<()> {
        match inst.op {
            Op::Capability => {
                let number = inst.arg(0)?;
                match Capability::from_u32(number) {
                    Some(capability) if CAPABILITIES.contains(&capability) => Ok(()),
                    Some(capability) => {
                        Err(inst.error(format_args!("capability {capability:?} is not supported")))
                    }
                    None => Err(inst.error(format_args!("unknown capability {number}"))),
                }
            }
            Op::MemoryModel => self.memory_model(inst),
            Op::ExtInstImport => {
                let (name, _) = inst.string(0)?;
                let set = match name.as_str() {
                    "OpenCL.std" => ExtSet::OpenClStd,
                    "SPV_AMD_shader_ballot" => ExtSet::AmdShaderBallot,
                    "OpenCL.DebugInfo.100" | "SPIRV.debug" => ExtSet::NonSemantic,
                    _ if name.starts_with("NonSemantic.") => ExtSet::NonSemantic,
                    _ => {
                        return Err(inst.error(format_args!(
                            "the extended instruction set \"{name}\" is not supported"
                        )));
                    }
                };
                self.define(inst, Def::ExtSet(set))
            }
            Op::ExtInst | Op::ExtInstWithForwardRefsKHR => match self.def(inst.arg(0)?) {
                Def::ExtSet(ExtSet::NonSemantic) => Ok(()),
                _ => Err(inst.error("an extended instruction outside a function")),
            },
            Op::EntryPoint => {
                let model = inst.arg(0)?;
                if model != spirv::ExecutionModel::Kernel as u32 {
                    return Err(inst.error("only the execution model Kernel is supported"));
                }
                let (name, _) = inst.string(2)?;
                self.entry_points.push(EntryPoint {
                    func: inst.arg(1)?,
                    name,
                });
                Ok(())
            }
            Op::ExecutionMode => {
                self.modes.push(Mode {
                    func: inst.arg(0)?,
                    mode: inst.arg(1)?,
                    args: SmallVec::from_slice(inst.rest(2)),
                });
                Ok(())
            }
            Op::ExecutionModeId => {
                self.id_modes.push(*inst);
                Ok(())
            }
            Op::String => {
                let text = inst.string(0)?.0;
                self.strings.push((inst.id, text));
                self.string_numbers
                    .insert(inst.id, self.strings.len() as u32);
                Ok(())
            }
            Op::Source => {
                self.source = inst.arg(2).map_or(0, |id| self.file(id));
                if self.source != 0 && !inst.rest(3).is_empty() {
                    self.texts.insert(self.source, inst.string(3)?.0);
                }
                Ok(())
            }
            Op::SourceContinued => {
                if let Some(text) = self.texts.get_mut(&self.source) {
                    text.push_str(&inst.string(0)?.0);
                }
                Ok(())
            }
            Op::Name => {
                self.names.insert(inst.arg(0)?, inst.string(1)?.0);
                Ok(())
            }
            Op::Decorate | Op::DecorateId => {
                check_decoration(inst, 1)?;
                let deco = Deco {
                    kind: inst.arg(1)?,
                    args: inst.rest(2),
                };
                self.decorations.entry(inst.arg(0)?).or_default().push(deco);
                Ok(())
            }
            Op::GroupDecorate => {
                let group = self
                    .decorations
                    .get(&inst.arg(0)?)
                    .cloned()
                    .unwrap_or_default();
                for &target in inst.rest(1) {
                    let decos = self.decorations.entry(target).or_default();
                    decos.extend(group.iter().copied());
                }
                Ok(())
            }
            // Layout is the language's own, and the rest of a member's decorations are hints.
            Op::DecorateString => check_decoration(inst, 1),
            Op::MemberDecorate | Op::MemberDecorateString => check_decoration(inst, 2),
            Op::SourceExtension
            | Op::Extension
            | Op::MemberName
            | Op::GroupMemberDecorate
            | Op::DecorationGroup
            | Op::ModuleProcessed
            // Promises that nothing here relies on.
            | Op::AliasDomainDeclINTEL
            | Op::AliasScopeDeclINTEL
            | Op::AliasScopeListDeclINTEL
            | Op::Nop
            | Op::Line
            | Op::NoLine => Ok(()),
            Op::Variable => self.variable(inst),
            _ => {
                if let Some(constant) = self.read_constant(inst)? {
                    self.consts.push(constant);
                    return self.define(inst, Def::Const(self.consts.len() as u32 - 1));
                }
                self.read_type(inst)
            }
        }
    }

    fn memory_model(&mut self, inst: &Inst<'_>) -> Result<()> {
        self.has_memory_model = true;
        let (addressing, memory) = (inst.arg(0)?, inst.arg(1)?);
        if addressing != spirv::AddressingModel::Physical64 as u32 {
            return Err(inst.error(format_args!(
                "the addressing model {} is not supported, only Physical64",
                spirv::AddressingModel::from_u32(addressing)
                    .map_or_else(|| addressing.to_string(), |model| format!("{model:?}"))
            )));
        }
        if memory != spirv::MemoryModel::OpenCL as u32 {
            return Err(inst.error(format_args!(
                "the memory model {} is not supported, only OpenCL",
                spirv::MemoryModel::from_u32(memory)
                    .map_or_else(|| memory.to_string(), |model| format!("{model:?}"))
            )));
        }
        Ok(())
    }

    fn variable(&mut self, inst: &Inst<'_>) -> Result<()> {
        let ptr_ty = self.type_of_id(inst, inst.ty)?;
        let class = storage_class(inst, inst.arg(0)?)?;
        if let Some(deco) = self.decoration(inst.id, Decoration::BuiltIn) {
            let number = deco.args.first().copied().unwrap_or(u32::MAX);
            let which = built_in(number).ok_or_else(|| {
                inst.error(format_args!(
                    "built-in {} is not supported",
                    spirv::BuiltIn::from_u32(number)
                        .map_or_else(|| number.to_string(), |b| format!("{b:?}"))
                ))
            })?;
            return self.define(inst, Def::BuiltIn(which, ptr_ty));
        }
        let space = space_of(class)
            .filter(|space| !matches!(space, AddressSpace::Private | AddressSpace::Generic))
            .ok_or_else(|| {
                inst.error(format_args!(
                    "a variable in storage class {class:?} is not supported"
                ))
            })?;
        let pointee = self.pointee(inst, ptr_ty)?;
        if self.types.get(ptr_ty).leaf != Some(Type::ptr(space)) {
            return Err(inst.error("storage class and type disagree"));
        }
        if !self.types.is_sized(pointee) {
            return Err(inst.error("the variable's type has no size"));
        }
        let (mut init, mut relocations) = (Vec::new(), Vec::new());
        if let Some(&id) = inst.args.get(1) {
            match self.def(id) {
                // A pointer variable may start as another variable's address.
                Def::Global(global, ty) => {
                    let value = Const {
                        ty,
                        val: ConstVal::Addr { global, addend: 0 },
                    };
                    (init, relocations) = value.image(&self.types, inst)?;
                }
                _ => {
                    let value = self.constant(inst, id)?;
                    if self.types.get(value.ty).size != self.types.get(pointee).size {
                        return Err(inst.error("the initial value has another size"));
                    }
                    (init, relocations) = value.image(&self.types, inst)?;
                }
            }
        }
        if space == AddressSpace::Local {
            // Undefined or null initialisers are all that llvm-spirv writes here.
            (init, relocations) = (Vec::new(), Vec::new());
        }
        let info = self.types.get(pointee);
        let mut align = self
            .alignment(inst.id)
            .unwrap_or(info.align)
            .max(info.align);
        if space != AddressSpace::Local && info.size > 0 {
            // llvm-spirv states one alignment for both sides of a copy, though it holds for
            // the target only (its cleared arrays are byte arrays): align generously.
            align = align.max(1 << info.size.ilog2().min(4));
        }
        let (name, linkage) = self.linkage(inst.id);
        let global = self.globals.push(GlobalData {
            name,
            space,
            size: info.size,
            align,
            init,
            relocations,
            linkage,
        });
        self.define(inst, Def::Global(global, ptr_ty))
    }

    /// Name and linkage from LinkageAttributes, else from OpName.
    pub fn linkage(&self, id: u32) -> (String, Linkage) {
        let own_name = || self.names.get(&id).cloned().unwrap_or_default();
        let Some(deco) = self.decoration(id, Decoration::LinkageAttributes) else {
            return (own_name(), Linkage::Internal);
        };
        // The string's end is found by the zero byte; the linkage type is the last word.
        let bytes = deco.args.iter().flat_map(|word| word.to_le_bytes());
        let name: Vec<u8> = bytes.take_while(|&byte| byte != 0).collect();
        let linkage = match deco.args.last().copied().and_then(LinkageType::from_u32) {
            Some(LinkageType::Import) => Linkage::Import,
            Some(LinkageType::LinkOnceODR) => Linkage::LinkOnceOdr,
            _ => Linkage::Export,
        };
        (String::from_utf8_lossy(&name).into_owned(), linkage)
    }

    /// The Alignment or AlignmentId decoration, if it is a power of two.
    pub fn alignment(&self, id: u32) -> Option<u32> {
        let align = match self.decoration(id, Decoration::Alignment) {
            Some(deco) => *deco.args.first()?,
            None => {
                let deco = self.decoration(id, Decoration::AlignmentId)?;
                let value = self.constant_or_none(*deco.args.first()?)?;
                u32::try_from(value.scalar(&self.types)?).ok()?
            }
        };
        (align.is_power_of_two() && align <= 1 << 20).then_some(align)
    }

    /// The first decoration of a kind.
    pub fn decoration(&self, id: u32, kind: Decoration) -> Option<Deco<'a>> {
        self.decorations
            .get(&id)?
            .iter()
            .find(|deco| deco.kind == kind as u32)
            .copied()
    }

    /// The value that specialisation gives a constant.
    pub(super) fn specialised(&self, id: u32) -> Option<u64> {
        let deco = self.decoration(id, Decoration::SpecId)?;
        self.spec.get(deco.args.first()?).copied()
    }

    /// Gives the meaning of an id.
    pub fn def(&self, id: u32) -> Def {
        self.defs.get(id as usize).copied().unwrap_or_default()
    }

    pub fn define(&mut self, inst: &Inst<'_>, def: Def) -> Result<()> {
        self.define_id(inst, inst.id, def)
    }

    pub(super) fn define_id(&mut self, inst: &Inst<'_>, id: u32, def: Def) -> Result<()> {
        if id == 0 || id >= self.bound {
            return Err(inst.error(format_args!("id {id} is outside the bound")));
        }
        let index = id as usize;
        if self.defs.len() <= index {
            self.defs.resize(index + 1, Def::None);
        }
        if self.defs[index] != Def::None {
            return Err(inst.error(format_args!("id {id} is already defined")));
        }
        self.defs[index] = def;
        Ok(())
    }

    /// The type that an id names.
    pub fn type_of_id(&self, inst: &Inst<'_>, id: u32) -> Result<Ty> {
        match self.def(id) {
            Def::Type(ty) => Ok(ty),
            _ => Err(inst.error(format_args!("id {id} is not a type"))),
        }
    }

    /// The constant that an id names.
    pub fn constant(&self, inst: &Inst<'_>, id: u32) -> Result<&Const> {
        self.constant_or_none(id)
            .ok_or_else(|| inst.error(format_args!("id {id} is not a constant")))
    }

    /// The constant that an id names, if it is one.
    pub fn constant_or_none(&self, id: u32) -> Option<&Const> {
        match self.def(id) {
            Def::Const(index) => self.consts.get(index as usize),
            _ => None,
        }
    }
}
