//! Promises of launches are written, read and refused.

use crate::common::{FUNCTION, Module, U32, VOID, plain_module};
use crate::instructions::validate;
use crate::own_set::with_own;
use pumice_reflection::{Promise, PromiseKind, ReadError, embed, read, strip_set};

#[test]
fn promises() {
    let promises = [PromiseKind::NearArguments, PromiseKind::NoOffset]
        .map(|kind| Promise { kind, spec_id: 7 });
    let mut reflection = read(&Module::with_kernel(5).words()).unwrap();
    reflection.promises = promises.to_vec();
    let words = embed(&plain_module(), &reflection).unwrap();
    assert_eq!(read(&words).unwrap().promises, promises);
    validate(&words);
    let listing = reflection.to_string();
    assert!(listing.contains("NearArguments spec_id: 7\nNoOffset spec_id: 7\n"));
    let stripped = strip_set(&words, "NonSemantic.Pumice.1");
    assert_eq!(read(&stripped).unwrap().promises, []);

    let instruction = "NoOffset";
    let refused = |ty, operands: &[u32]| read(&with_own(ty, 19, operands)).unwrap_err();
    assert_eq!(refused(U32, &[]), ReadError::NotVoid { instruction });
    let operand = "SpecId";
    assert_eq!(
        refused(VOID, &[]),
        ReadError::MissingOperand {
            instruction,
            operand
        }
    );
    assert!(matches!(
        refused(VOID, &[FUNCTION]),
        ReadError::WrongOperand { id: FUNCTION, .. }
    ));
    reflection.promises.push(promises[1]);
    let twice = embed(&plain_module(), &reflection).unwrap();
    assert_eq!(read(&twice), Err(ReadError::Repeated { instruction }));
}
