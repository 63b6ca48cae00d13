//! Modules at the universal limits (SPIR-V §2.17): each is imported and lowered to Vulkan SPIR-V.

use pumice_compiler::{KernelModule, LowerOptions, Outcome, Target, VulkanModule, lower};
use rspirv::spirv::{Capability, Op};

/// A kernel module being written; ids count up.
struct Module {
    words: Vec<u32>,
    next: u32,
}

const KERNEL: u32 = 1;
const VOID: u32 = 2;
const VOID_FN: u32 = 3;
const UINT: u32 = 4;
const BOOL: u32 = 5;
const ZERO: u32 = 6;
const TRUE: u32 = 7;
const CROSS_WORKGROUP: u32 = 5;
const FUNCTION: u32 = 7;

impl Module {
    /// Capabilities and memory model; `names` follow before the types.
    fn new(before_types: impl FnOnce(&mut Self)) -> Self {
        let mut module = Module {
            words: vec![0x0723_0203, 0x0001_0200, 0, 0, 0],
            next: 8,
        };
        let capabilities = [
            Capability::Addresses,
            Capability::Kernel,
            Capability::Linkage,
            Capability::Int64,
        ];
        for capability in capabilities {
            module.inst(Op::Capability, &[capability as u32]);
        }
        module.inst(Op::MemoryModel, &[2, 2]);
        module.inst(Op::EntryPoint, &[6, KERNEL, u32::from(b'k')]);
        before_types(&mut module);
        module.inst(Op::TypeVoid, &[VOID]);
        module.inst(Op::TypeFunction, &[VOID_FN, VOID]);
        module.inst(Op::TypeInt, &[UINT, 32, 0]);
        module.inst(Op::TypeBool, &[BOOL]);
        module.inst(Op::Constant, &[UINT, ZERO, 0]);
        module.inst(Op::ConstantTrue, &[BOOL, TRUE]);
        module
    }

    fn inst(&mut self, op: Op, operands: &[u32]) {
        pumice_spirv::push_inst(&mut self.words, op as u16, operands);
    }

    /// The next id.
    fn id(&mut self) -> u32 {
        self.next += 1;
        self.next - 1
    }

    /// An instruction with a result id in front of its operands.
    fn ty(&mut self, op: Op, operands: &[u32]) -> u32 {
        let id = self.id();
        self.inst(op, &[&[id], operands].concat());
        id
    }

    /// An instruction with a result.
    fn value(&mut self, op: Op, ty: u32, operands: &[u32]) -> u32 {
        let id = self.id();
        self.inst(op, &[&[ty, id], operands].concat());
        id
    }

    /// Starts the kernel without parameters.
    fn kernel(&mut self) {
        self.inst(Op::Function, &[VOID, KERNEL, 0, VOID_FN]);
        self.ty(Op::Label, &[]);
    }

    /// Ends the function and the module.
    fn lower(mut self) -> Outcome<VulkanModule> {
        self.inst(Op::Return, &[]);
        self.inst(Op::FunctionEnd, &[]);
        self.words[3] = self.words[3].max(self.next);
        let module = KernelModule {
            words: self.words,
            is_library: false,
        };
        lower(&module, &Target::reference(), &LowerOptions::default())
    }

    /// Ends the function and the module, which must compile.
    fn compiles(self) {
        let lowered = self.lower();
        assert!(lowered.output.is_some(), "{}", lowered.log);
    }
}

#[test]
fn id_bound() {
    let mut module = Module::new(|_| {});
    module.words[3] = 4_194_303;
    let (ty, constant) = (4_194_302, 4_194_301);
    module.inst(Op::TypeInt, &[ty, 64, 0]);
    module.inst(Op::Constant, &[ty, constant, 1, 0]);
    module.kernel();
    module.compiles();
}

#[test]
fn literal_string() {
    let mut module = Module::new(|module| {
        let mut text = vec![0x6161_6161; 65_535 / 4];
        text.push(0x0061_6161);
        let id = module.id();
        module.inst(Op::String, &[&[id], text.as_slice()].concat());
        module.inst(Op::Name, &[&[KERNEL], text.as_slice()].concat());
    });
    module.kernel();
    module.compiles();
}

#[test]
fn structure_members() {
    let mut module = Module::new(|_| {});
    let record = module.ty(Op::TypeStruct, &vec![UINT; 16_383]);
    let pointer = module.ty(Op::TypePointer, &[FUNCTION, record]);
    let place = module.ty(Op::TypePointer, &[FUNCTION, UINT]);
    let last = module.value(Op::Constant, UINT, &[16_382]);
    module.kernel();
    let variable = module.value(Op::Variable, pointer, &[FUNCTION]);
    let member = module.value(Op::InBoundsAccessChain, place, &[variable, last]);
    module.inst(Op::Store, &[member, ZERO]);
    module.compiles();
}

/// Also as many indexes in one access chain.
#[test]
fn structure_nesting() {
    let mut module = Module::new(|_| {});
    let mut record = UINT;
    for _ in 0..255 {
        record = module.ty(Op::TypeStruct, &[record]);
    }
    let pointer = module.ty(Op::TypePointer, &[FUNCTION, record]);
    let place = module.ty(Op::TypePointer, &[FUNCTION, UINT]);
    module.kernel();
    let variable = module.value(Op::Variable, pointer, &[FUNCTION]);
    let operands = [&[variable], [ZERO; 255].as_slice()].concat();
    let member = module.value(Op::InBoundsAccessChain, place, &operands);
    module.inst(Op::Store, &[member, ZERO]);
    module.compiles();
}

#[test]
fn global_variables() {
    let mut module = Module::new(|_| {});
    let pointer = module.ty(Op::TypePointer, &[CROSS_WORKGROUP, UINT]);
    let mut last = 0;
    for _ in 0..65_535 {
        last = module.value(Op::Variable, pointer, &[CROSS_WORKGROUP, ZERO]);
    }
    module.kernel();
    module.inst(Op::Store, &[last, ZERO]);
    module.compiles();
}

#[test]
fn local_variables() {
    let mut module = Module::new(|_| {});
    let pointer = module.ty(Op::TypePointer, &[FUNCTION, UINT]);
    module.kernel();
    for _ in 0..524_287 {
        module.value(Op::Variable, pointer, &[FUNCTION]);
    }
    module.compiles();
}

#[test]
fn parameters_and_arguments() {
    let mut module = Module::new(|_| {});
    let of_many = module.ty(
        Op::TypeFunction,
        &[&[UINT], [UINT; 255].as_slice()].concat(),
    );
    let many = module.value(Op::Function, UINT, &[0, of_many]);
    let mut last = 0;
    for _ in 0..255 {
        last = module.value(Op::FunctionParameter, UINT, &[]);
    }
    module.ty(Op::Label, &[]);
    module.inst(Op::ReturnValue, &[last]);
    module.inst(Op::FunctionEnd, &[]);
    module.kernel();
    let operands = [&[many], [ZERO; 255].as_slice()].concat();
    module.value(Op::FunctionCall, UINT, &operands);
    module.compiles();
}

/// A structure of 2^28 bytes as a value, and as a pointer with ByVal: nothing is made of it.
#[test]
fn arguments_beyond_the_device() {
    for by_val in [false, true] {
        let mut module = Module::new(|_| {});
        let argument = module.id();
        if by_val {
            module.inst(Op::Decorate, &[argument, 38, 2]);
        }
        let length = module.value(Op::Constant, UINT, &[1 << 26]);
        let array = module.ty(Op::TypeArray, &[UINT, length]);
        let record = module.ty(Op::TypeStruct, &[array]);
        let pointer = module.ty(Op::TypePointer, &[FUNCTION, record]);
        let param = if by_val { pointer } else { record };
        let function = module.ty(Op::TypeFunction, &[VOID, param]);
        module.inst(Op::Function, &[VOID, KERNEL, 0, function]);
        module.inst(Op::FunctionParameter, &[param, argument]);
        module.ty(Op::Label, &[]);
        let lowered = module.lower();
        assert!(lowered.output.is_none());
        assert_eq!(
            lowered.log,
            "error: kernel 'k': argument 0 takes 268435456 bytes; all arguments of a kernel can \
             take 4096 on this device\n"
        );
    }
}

#[test]
fn switch_targets() {
    let mut module = Module::new(|_| {});
    module.kernel();
    let (left, right) = (module.id(), module.id());
    let pointer_sized = (0..16_383).flat_map(|n| [n, if n % 2 == 0 { left } else { right }]);
    let operands: Vec<u32> = [ZERO, left].into_iter().chain(pointer_sized).collect();
    module.inst(Op::SelectionMerge, &[right, 0]);
    module.inst(Op::Switch, &operands);
    module.inst(Op::Label, &[left]);
    module.inst(Op::Branch, &[right]);
    module.inst(Op::Label, &[right]);
    module.compiles();
}

#[test]
fn control_flow_nesting() {
    let mut module = Module::new(|_| {});
    let pointer = module.ty(Op::TypePointer, &[FUNCTION, UINT]);
    module.kernel();
    let variable = module.value(Op::Variable, pointer, &[FUNCTION]);
    let mut ends = Vec::new();
    for _ in 0..1_023 {
        // A condition that nothing knows keeps the nest.
        let word = module.value(Op::Load, UINT, &[variable, 1]);
        let condition = module.value(Op::IEqual, BOOL, &[word, ZERO]);
        let (inside, end) = (module.id(), module.id());
        module.inst(Op::SelectionMerge, &[end, 0]);
        module.inst(Op::BranchConditional, &[condition, inside, end]);
        module.inst(Op::Label, &[inside]);
        module.inst(Op::Store, &[variable, word, 1]);
        ends.push(end);
    }
    for end in ends.into_iter().rev() {
        module.inst(Op::Branch, &[end]);
        module.inst(Op::Label, &[end]);
    }
    module.compiles();
}
