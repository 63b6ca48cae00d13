//! Windows.

use std::fs::Metadata;
use std::process::ExitStatus;

/// The code of the exception that has ended a process: exit statuses from 0xC0000000 on.
pub fn crash(status: ExitStatus) -> Option<i32> {
    let code = status.code()?;
    (code.cast_unsigned() >= 0xc000_0000).then_some(code)
}

/// Is never true: files give no rights.
pub fn is_privileged(_meta: &Metadata) -> bool {
    false
}
