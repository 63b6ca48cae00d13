//! Reflection that the writer refuses.

use crate::common::{FUNCTION, plain_module};
use pumice_reflection::{
    ArgumentInfo, ByteString, FunctionId, InfoRef, Instruction, Kernel, KernelProperties,
    KernelRef, PrintfInfo, PushArgument, Reflection, RequiredWorkgroupSize, WriteError, embed,
};

#[test]
fn refusals() {
    let plain = plain_module();
    let write = |instructions: Vec<Instruction>, revision| {
        let reflection = Reflection {
            checks: Vec::new(),
            revision,
            instructions: instructions.into(),
            skipped: vec![],
            roles: vec![],
            needs: vec![],
            address_delta: None,
            termination_flag: None,
            promises: Vec::new(),
        };
        embed(&plain, &reflection).map(drop)
    };
    let kernel = |properties| {
        Instruction::Kernel(Kernel {
            function: FunctionId(FUNCTION),
            name: "k".into(),
            properties,
        })
    };
    let properties = KernelProperties {
        num_arguments: 0,
        flags: 0,
        attributes: String::new(),
    };
    let required = |kernel| {
        Instruction::PropertyRequiredWorkgroupSize(RequiredWorkgroupSize {
            kernel,
            x: 1,
            y: 1,
            z: 1,
        })
    };

    let result = write(vec![required(KernelRef(0)), kernel(None)], 0);
    let instruction = "PropertyRequiredWorkgroupSize";
    assert_eq!(
        result,
        Err(WriteError::BadKernelRef {
            instruction,
            index: 0
        })
    );

    let argument = Instruction::ArgumentPodPushConstant(PushArgument {
        kernel: KernelRef(0),
        ordinal: 0,
        offset: 0,
        size: 4,
        info: Some(InfoRef(3)),
    });
    let instruction = "ArgumentPodPushConstant";
    let result = write(vec![kernel(None), argument], 0);
    assert_eq!(
        result,
        Err(WriteError::BadInfoRef {
            instruction,
            index: 3
        })
    );

    let revision = |instruction, revision| {
        Err(WriteError::Revision {
            instruction,
            revision,
        })
    };
    assert_eq!(
        write(vec![kernel(Some(properties))], 4),
        revision("Kernel", 4)
    );
    assert_eq!(write(vec![kernel(None)], 5), revision("Kernel", 5));

    let info = Instruction::ArgumentInfo(ArgumentInfo {
        name: "a".into(),
        type_name: None,
        address_qualifier: Some(1),
        access_qualifier: None,
        type_qualifier: None,
    });
    let (instruction, operand) = ("ArgumentInfo", "AddressQualifier");
    assert_eq!(
        write(vec![info], 0),
        Err(WriteError::OperandGap {
            instruction,
            operand
        })
    );

    let printf = |format: Vec<u8>, argument_sizes| {
        Instruction::PrintfInfo(PrintfInfo {
            id: 0,
            format: ByteString(format),
            argument_sizes,
        })
    };
    let (instruction, operand) = ("PrintfInfo", "FormatString");
    assert_eq!(
        write(vec![printf(b"a\0b".to_vec(), vec![])], 0),
        Err(WriteError::NulInString {
            instruction,
            operand
        })
    );
    let longest = (0xffff - 2) * 4 - 1;
    assert_eq!(write(vec![printf(vec![b'x'; longest], vec![])], 0), Ok(()));
    assert_eq!(
        write(vec![printf(vec![b'x'; longest + 1], vec![])], 0),
        Err(WriteError::TooLong {
            instruction,
            operand
        })
    );
    let operand = "operand list";
    assert_eq!(
        write(vec![printf(vec![], vec![4; 0x10000])], 0),
        Err(WriteError::TooLong {
            instruction,
            operand
        })
    );
}
