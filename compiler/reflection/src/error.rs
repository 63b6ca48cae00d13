//! Errors of reading and writing reflection.

use pumice_spirv::Malformed;

/// Reason why a module's reflection could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// The words are no SPIR-V module.
    #[error(transparent)]
    Malformed(#[from] Malformed),
    /// An instruction is shorter than its opcode allows.
    #[error("{opcode} at word {at} is too short")]
    ShortInstruction {
        /// The opcode's name.
        opcode: &'static str,
        /// Index of the instruction's first word.
        at: usize,
    },
    /// A literal string has no terminator inside its instruction.
    #[error("the string in {opcode} at word {at} is not terminated")]
    UnterminatedString {
        /// The opcode's name.
        opcode: &'static str,
        /// Index of the instruction's first word.
        at: usize,
    },
    /// A result id is 0 or not below the bound.
    #[error("result id %{id} of {opcode} is outside the bound {bound}")]
    IdOutOfBound {
        /// The opcode's name.
        opcode: &'static str,
        /// The id.
        id: u32,
        /// The header's bound.
        bound: u32,
    },
    /// Two instructions have the same result id.
    #[error("id %{id} is defined twice")]
    DuplicateId {
        /// The id.
        id: u32,
    },
    /// The module does not import the reflection set.
    #[error("the module has no NonSemantic.ClspvReflection import")]
    NoReflection,
    /// The module imports the reflection set, or our own, twice.
    #[error("a reflection set is imported twice")]
    DuplicateImport,
    /// The import string's revision is missing, zero or not a number.
    #[error("`{name}` does not end in a revision of NonSemantic.ClspvReflection")]
    BadRevision {
        /// The import string.
        name: String,
    },
    /// Below SPIR-V 1.6 a non-semantic set needs its extension.
    #[error(
        "the module imports a non-semantic set without OpExtension \"SPV_KHR_non_semantic_info\""
    )]
    MissingExtension,
    /// An instruction number that the import's revision does not have.
    #[error("reflection instruction {number} is unknown in revision {revision}")]
    UnknownInstruction {
        /// The instruction number.
        number: u32,
        /// The import's revision.
        revision: u32,
    },
    /// An instruction number that our own set does not have.
    #[error("NonSemantic.Pumice.1 has no instruction {number}")]
    UnknownRole {
        /// The instruction number.
        number: u32,
    },
    /// A known instruction that came after the import's revision.
    #[error("{name} needs revision {since}, the module imports revision {revision}")]
    NewerInstruction {
        /// The instruction's name.
        name: &'static str,
        /// Its first revision.
        since: u32,
        /// The import's revision.
        revision: u32,
    },
    /// The result type of a reflection instruction is not OpTypeVoid.
    #[error("the result type of {instruction} is not OpTypeVoid")]
    NotVoid {
        /// The instruction's name.
        instruction: &'static str,
    },
    /// An operand that must be there is missing.
    #[error("{instruction} has no operand {operand}")]
    MissingOperand {
        /// The instruction's name.
        instruction: &'static str,
        /// The operand's name.
        operand: &'static str,
    },
    /// More operands than the instruction has in this revision.
    #[error("{instruction} has {extra} operands too many for revision {revision}")]
    ExtraOperands {
        /// The instruction's name.
        instruction: &'static str,
        /// Number of surplus operands.
        extra: usize,
        /// The import's revision.
        revision: u32,
    },
    /// An instruction that a module may have once stands there again.
    #[error("the module has {instruction} twice")]
    Repeated {
        /// The instruction.
        instruction: &'static str,
    },
    /// An operand's id does not name what the instruction needs, or names it only later.
    #[error("{operand} of {instruction}: %{id} is not {expected} defined before it")]
    WrongOperand {
        /// The instruction's name.
        instruction: &'static str,
        /// The operand's name.
        operand: &'static str,
        /// The id found.
        id: u32,
        /// Expected kind of operand.
        expected: &'static str,
    },
    /// A string operand is not UTF-8.
    #[error("{operand} of {instruction} is not UTF-8")]
    NotUtf8 {
        /// The instruction's name.
        instruction: &'static str,
        /// The operand's name.
        operand: &'static str,
    },
    /// A data string is not an even number of hexadecimal digits.
    #[error("{operand} of {instruction} is not hexadecimal bytes")]
    BadHex {
        /// The instruction's name.
        instruction: &'static str,
        /// The operand's name.
        operand: &'static str,
    },
    /// A buffer with initial contents has none: they stood in our own set, which is not there.
    #[error("{instruction} has no data: more than 128 KiB of it stand in NonSemantic.Pumice.1")]
    NoData {
        /// The instruction's name.
        instruction: &'static str,
    },
    /// Initial contents are larger than any reader takes.
    #[error(
        "InitialData has {size} bytes, the most is {}",
        crate::MAX_INITIAL_DATA
    )]
    TooMuchData {
        /// The size that it says.
        size: u32,
    },
    /// A piece of initial contents lies outside of them, or not behind the one before it.
    #[error("the piece of InitialData at byte {offset} has no place there")]
    BadPiece {
        /// Offset of the piece, in bytes.
        offset: u32,
    },
    /// Kernel's function is not a GLCompute entry point of that name.
    #[error("Kernel `{name}`: %{function} is not a GLCompute entry point of that name")]
    NotAnEntryPoint {
        /// The kernel's name.
        name: String,
        /// The function id.
        function: u32,
    },
}

/// Reason why a model could not be written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WriteError {
    /// A reference names a Kernel that no earlier instruction declares.
    #[error("{instruction} refers to kernel {index}, which does not come before it")]
    BadKernelRef {
        /// The instruction's name.
        instruction: &'static str,
        /// The reference.
        index: u32,
    },
    /// A reference names an ArgumentInfo that no earlier instruction declares.
    #[error("{instruction} refers to argument info {index}, which does not come before it")]
    BadInfoRef {
        /// The instruction's name.
        instruction: &'static str,
        /// The reference.
        index: u32,
    },
    /// An optional operand is absent although a later one is present.
    #[error("{instruction} has operand {operand} without the one before it")]
    OperandGap {
        /// The instruction's name.
        instruction: &'static str,
        /// The operand that is present.
        operand: &'static str,
    },
    /// A string does not fit into one OpString (65,533 words), or data into our own set.
    #[error("{operand} of {instruction} is too long for an OpString")]
    TooLong {
        /// The instruction's name.
        instruction: &'static str,
        /// The operand's name.
        operand: &'static str,
    },
    /// A string holds a NUL, which ends an OpString.
    #[error("{operand} of {instruction} holds a NUL")]
    NulInString {
        /// The instruction's name.
        instruction: &'static str,
        /// The operand's name.
        operand: &'static str,
    },
    /// The model's revision is below what its instructions need, or a Kernel's operands do not
    /// suit it.
    #[error("{instruction} does not suit revision {revision}")]
    Revision {
        /// The instruction's name.
        instruction: &'static str,
        /// The revision asked for.
        revision: u32,
    },
    /// The ids ran out (the universal limit is 4,194,303).
    #[error("a module of SPIR-V has 4,194,303 ids at most; build fewer kernels at once")]
    NoIds,
    /// The module that should take the reflection is not well-formed.
    #[error(transparent)]
    Module(#[from] ReadError),
}
