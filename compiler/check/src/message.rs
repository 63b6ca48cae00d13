//! The text of a report.

use std::fmt::Write;

use pumice_reflection::{CheckKind, CheckSite, CheckedObject};

use crate::layout::{Code, LOCAL_MANY, NULL_BYTES};
use crate::report::{Allocation, Argument, Launch, Record};

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
    format!(
        "by work-item {} of kernel '{}': number {} of work-group {}",
        ids(launch, record.global_id),
        launch.kernel,
        ids(launch, record.local_id),
        ids(launch, group),
    )
}

/// An id in as many dimensions as the range has.
fn ids(launch: &Launch<'_>, ids: [u64; 3]) -> String {
    match launch.dimensions {
        0 | 1 => ids[0].to_string(),
        2 => format!("({}, {})", ids[0], ids[1]),
        _ => format!("({}, {}, {})", ids[0], ids[1], ids[2]),
    }
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
        CheckKind::Barrier | CheckKind::Collective => return apart(launch, site, record),
        CheckKind::ReadRace | CheckKind::WriteRace => return race(launch, site, record),
        CheckKind::Unwritten => return unwritten(launch, site, record),
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
            let quoted = quoted(arg, *ordinal);
            if arg.null {
                return (format!("{access} through {quoted}, which is NULL"), None);
            }
            (
                within(record.value, &quoted, arg.size),
                is_what(arg, *ordinal),
            )
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

/// An argument by its name.
fn quoted(arg: &Argument, ordinal: u32) -> String {
    match arg.name.is_empty() {
        true => format!("argument {ordinal}"),
        false => format!("'{}'", arg.name),
    }
}

/// The object that an argument is, if that is known.
fn is_what(arg: &Argument, ordinal: u32) -> Option<String> {
    let name = match arg.name.is_empty() {
        true => format!("argument {ordinal}"),
        false => format!("argument {ordinal} '{}'", arg.name),
    };
    (!arg.object.is_empty()).then(|| format!("{name} is {}", arg.object))
}

/// A read of memory that nothing wrote. The value is the pointer where the memory is global.
fn unwritten(launch: &Launch<'_>, site: &CheckSite, record: &Record) -> (String, Option<String>) {
    let read = format!("read of {}", bytes(record.size));
    let ends = "that nothing wrote";
    match &site.object {
        CheckedObject::Variable { name, .. } if !name.is_empty() => {
            (format!("{read} of '{name}' {ends}"), None)
        }
        CheckedObject::Variable { .. } => (format!("{read} of a variable {ends}"), None),
        CheckedObject::Private { .. } => (format!("{read} of a private variable {ends}"), None),
        CheckedObject::Argument(ordinal) => {
            let Some(arg) = launch.arguments.get(*ordinal as usize) else {
                return (format!("{read} {ends}"), None);
            };
            let (offset, name) = (record.value.wrapping_sub(arg.first), quoted(arg, *ordinal));
            let fault = format!("{read} at byte {offset} of {name} {ends}");
            (fault, is_what(arg, *ordinal))
        }
        CheckedObject::Unknown => {
            let found = launch.allocation_at(record.value);
            let note = found.map(|one| {
                let offset = record.value - one.first;
                format!("the memory is {}; byte {offset} of it", one.object)
            });
            (format!("{read} of memory {ends}"), note)
        }
    }
}

/// A barrier that only some work-items of a group reach.
fn apart(launch: &Launch<'_>, site: &CheckSite, record: &Record) -> (String, Option<String>) {
    let name = |kind| match kind {
        CheckKind::Collective => "work-group function",
        _ => "barrier",
    };
    let fault = "that not all work-items of the work-group reach";
    let other = (record.value as usize).checked_sub(1);
    let there = match other.and_then(|index| launch.sites.get(index)) {
        None => "has ended".to_string(),
        Some(CheckSite { line: 0, kind, .. }) => format!("is at another {}", name(*kind)),
        Some(other) => format!("is at the {} in line {}", name(other.kind), other.line),
    };
    let note = format!(
        "number {} of the work-group {there}",
        item_in_words(launch, record.size)
    );
    (format!("{} {fault}", name(site.kind)), Some(note))
}

/// A data race. The value has the other work-item's number from 1 on in its low 31 bits, then a bit that is set if that
/// one has read, then the low half of the pointer (local memory: of the offset). The number is one of the work-group for local
/// memory, else one of the launch.
fn race(launch: &Launch<'_>, site: &CheckSite, record: &Record) -> (String, Option<String>) {
    let access = match site.kind {
        CheckKind::WriteRace => "write",
        _ => "read",
    };
    let (pointer, number) = (record.value >> 32, (record.value & 0x7fff_ffff) as u32);
    let done = match record.value >> 31 & 1 {
        0 => "wrote",
        _ => "read",
    };
    let (name, local, first) = match &site.object {
        CheckedObject::Variable { name, .. } => (format!("'{name}'"), true, 0),
        CheckedObject::Argument(ordinal) => {
            let arg = launch.arguments.get(*ordinal as usize);
            let name = arg.map_or("", |arg| arg.name.as_str());
            let local = arg.is_some_and(|arg| arg.local);
            let name = match name.is_empty() {
                true => format!("argument {ordinal}"),
                false => format!("'{name}'"),
            };
            (name, local, arg.map_or(0, |arg| arg.first as u32))
        }
        _ => ("memory".to_string(), true, 0),
    };
    let offset = (pointer as u32).wrapping_sub(first);
    let size = bytes(record.size);
    let fault = format!("data race: {access} of {size} at byte {offset} of {name}");
    let item = u64::from(number.wrapping_sub(1));
    let who = match (local, item_of_launch(launch, item)) {
        (true, _) if item != LOCAL_MANY => {
            format!("number {} of the work-group", item_in_words(launch, item))
        }
        (false, Some(id)) => format!("work-item {}", ids(launch, id)),
        _ => "another work-item".to_string(),
    };
    let order = match local {
        true => "no barrier for local memory is between",
        false => "nothing orders the two",
    };
    (fault, Some(format!("{who} {done} there, and {order}")))
}

/// The global id of a work-item by its linear one; `None` if there is none.
fn item_of_launch(launch: &Launch<'_>, number: u64) -> Option<[u64; 3]> {
    let [x, y, z] = launch.global_size.map(|size| size.max(1));
    let id = [number % x, number / x % y, number / x / y];
    (id[2] < z).then(|| std::array::from_fn(|d| launch.offset[d] + id[d]))
}

/// The local id of the work-item of a number.
fn item_in_words(launch: &Launch<'_>, number: u64) -> String {
    let [x, y, _] = launch.local_size.map(|size| size.max(1));
    ids(launch, [number % x, number / x % y, number / x / y])
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
    let has = |a: &&Allocation| a.has(address);
    let live = || launch.allocations.iter().filter(|a| !a.released);
    let mut released = launch.allocations.iter().filter(|a| a.released);
    if let Some(a) = launch.allocation_at(address) {
        let offset = address - a.first;
        let fault = format!("{access} at byte {offset} of {}", bytes(a.size));
        return (fault, Some(format!("the memory is {}", a.object)));
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
