//! The text of a report.

use std::fmt::Write;

use pumice_reflection::{CheckKind, CheckSite, CheckedObject};

use crate::layout::{Code, NULL_BYTES};
use crate::report::{Allocation, Launch, Record};

/// Bytes around an allocation within which a stray pointer is said to belong to it.
const NEAR: u64 = 4096;

/// The report of a place that failed `count` times.
pub(crate) fn place(launch: &Launch<'_>, site: &CheckSite, record: &Record, count: u32) -> String {
    let mut text = match site.line {
        0 => format!("kernel '{}'", launch.kernel),
        line => format!("{}:{line}:{}", site.file, site.column),
    };
    let (message, note) = fault(launch, site, record);
    // Writing to a String cannot fail.
    let _ = write!(text, ": error: {message}");
    if !site.text.is_empty() {
        let before = site
            .text
            .chars()
            .take(site.column.saturating_sub(1) as usize);
        let space: String = before.map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
        let _ = write!(text, "\n{}\n{space}^", site.text);
    }
    let _ = write!(text, "\nnote: {}", work_item(launch, record));
    if let Some(note) = note {
        let _ = write!(text, "\nnote: {note}");
    }
    match count {
        0 | 1 => {}
        2 => text += "\nnote: once more at this place",
        _ => {
            let _ = write!(text, "\nnote: {} times more at this place", count - 1);
        }
    }
    text
}

/// The work-item, by its global id, and its place in its work-group.
fn work_item(launch: &Launch<'_>, record: &Record) -> String {
    let group: [u64; 3] = std::array::from_fn(|d| {
        let first = record.global_id[d].wrapping_sub(launch.offset[d]);
        first.wrapping_sub(record.local_id[d]) / launch.local_size[d].max(1)
    });
    let ids = |ids: [u64; 3]| match launch.dimensions {
        0 | 1 => ids[0].to_string(),
        2 => format!("({}, {})", ids[0], ids[1]),
        _ => format!("({}, {}, {})", ids[0], ids[1], ids[2]),
    };
    format!(
        "by work-item {} of kernel '{}': number {} of work-group {}",
        ids(record.global_id),
        launch.kernel,
        ids(record.local_id),
        ids(group),
    )
}

/// The fault, and what is known of the object.
fn fault(launch: &Launch<'_>, site: &CheckSite, record: &Record) -> (String, Option<String>) {
    let access = match site.kind {
        CheckKind::Division => return ("integer division by zero".into(), None),
        CheckKind::Remainder => return ("remainder of an integer division by zero".into(), None),
        CheckKind::Shift => {
            let count = record.value as i64;
            return (format!("shift of {} bits by {count}", site.size), None);
        }
        CheckKind::Loop => {
            let rounds = "the loops of a work-item go more rounds than PUMICE_LOOP_LIMIT allows";
            return (rounds.into(), Some("the launch ends here".into()));
        }
        CheckKind::Read => format!("read of {}", bytes(record.size)),
        CheckKind::Write => format!("write of {}", bytes(record.size)),
        CheckKind::Atomic => format!("atomic access of {}", bytes(record.size)),
    };
    let aligned = match record.code {
        Code::Align => format!(", which is not aligned to {} bytes", site.align),
        _ => String::new(),
    };
    let within = |offset: u64, name: &str, size: u64| match record.code {
        Code::Align => format!("{access} at byte {offset} of {name}{aligned}"),
        _ if (offset as i64) < 0 => {
            let before = bytes(offset.wrapping_neg());
            format!("{access} that begins {before} before {name}")
        }
        _ => format!(
            "{access} at byte {offset} of {name}, which has {}",
            bytes(size)
        ),
    };
    match &site.object {
        CheckedObject::Argument(ordinal) => {
            let Some(arg) = launch.arguments.get(*ordinal as usize) else {
                return (access, None);
            };
            let quoted = match arg.name.is_empty() {
                true => format!("argument {ordinal}"),
                false => format!("'{}'", arg.name),
            };
            if arg.null {
                return (format!("{access} through {quoted}, which is NULL"), None);
            }
            let name = match arg.name.is_empty() {
                true => format!("argument {ordinal}"),
                false => format!("argument {ordinal} '{}'", arg.name),
            };
            let note = (!arg.object.is_empty()).then(|| format!("{name} is {}", arg.object));
            (within(record.value, &quoted, arg.size), note)
        }
        CheckedObject::Variable { name, size } => {
            let size = u64::from(*size);
            let name = match name.is_empty() {
                true => "a variable".to_string(),
                false => format!("'{name}'"),
            };
            (within(record.value, &name, size), None)
        }
        CheckedObject::Private { size } => {
            let size = u64::from(*size);
            (within(record.value, "a private variable", size), None)
        }
        CheckedObject::Unknown => unknown(launch, &access, record, &aligned),
    }
}

/// The fault of a pointer that could come from anywhere.
fn unknown(
    launch: &Launch<'_>,
    access: &str,
    record: &Record,
    aligned: &str,
) -> (String, Option<String>) {
    let address = record.value;
    if address < NULL_BYTES {
        return (format!("{access} through a null pointer"), None);
    }
    if record.code == Code::Align {
        let note = format!("the address is {address:#x}");
        return (format!("{access} at an address{aligned}"), Some(note));
    }
    let has = |a: &&Allocation| address.wrapping_sub(a.first) < a.size;
    let live = || launch.allocations.iter().filter(|a| !a.released);
    let mut released = launch.allocations.iter().filter(|a| a.released);
    if live().any(|a| has(&a)) {
        let (name, size) = live()
            .find(has)
            .map_or(("", 0), |a| (a.object.as_str(), a.size));
        let offset = live().find(has).map_or(0, |a| address - a.first);
        let fault = format!("{access} at byte {offset} of {}", bytes(size));
        return (fault, Some(format!("the memory is {name}")));
    }
    if let Some(gone) = released.find(has) {
        let offset = address - gone.first;
        let note = format!("the memory was {}; byte {offset} of it", gone.object);
        return (format!("{access} of released memory"), Some(note));
    }
    let distance = |a: &Allocation| {
        let end = a.first.saturating_add(a.size);
        if address < a.first {
            a.first - address
        } else {
            address - end
        }
    };
    let nearest = live()
        .min_by_key(|a| distance(a))
        .filter(|a| distance(a) < NEAR);
    let note = match nearest {
        Some(a) if address < a.first => {
            format!("the address is {} before {}", bytes(distance(a)), a.object)
        }
        Some(a) if distance(a) == 0 => format!("the address is right behind {}", a.object),
        Some(a) => format!("the address is {} behind {}", bytes(distance(a)), a.object),
        None => format!("the address is {address:#x}"),
    };
    (format!("{access} where no buffer is"), Some(note))
}

fn bytes(number: u64) -> String {
    match number {
        1 => "1 byte".to_string(),
        _ => format!("{number} bytes"),
    }
}
