//! Reads the memory of a finished launch.

use std::collections::BTreeMap;

use pumice_reflection::{CheckKind, CheckSite, CheckedObject};

use crate::layout::{
    Code, Layout, MOST_RECORDS, RECORD_BYTES, RECORD_CODE, RECORD_GLOBAL_ID, RECORD_LOCAL_ID,
    RECORD_SITE, RECORD_SIZE, RECORD_VALUE, RECORDS, STOPPED_AT,
};
use crate::message;

/// The most places of a launch that are reported.
const MOST_PLACES: usize = 20;

/// An argument of a launch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Argument {
    /// Its name; empty if it is not known.
    pub name: String,
    /// True for a NULL pointer.
    pub null: bool,
    /// True for local memory.
    pub local: bool,
    /// The pointer to the first byte of the object; 0 for local memory.
    pub first: u64,
    /// True if all that writes to the object since it was made is known.
    pub is_followed: bool,
    /// Bytes of the object.
    pub size: u64,
    /// The object in words: `a buffer of 64 bytes from clCreateBuffer`; empty for none.
    pub object: String,
}

/// Memory that kernels may reach without an argument, or could reach until it was released.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Allocation {
    /// The pointer to its first byte.
    pub first: u64,
    /// Bytes.
    pub size: u64,
    /// The object in words.
    pub object: String,
    /// True if it is gone.
    pub released: bool,
    /// The number that is added to an address in it to get that of its shadow; 0 if it has none.
    pub shadow: u64,
    /// True if all that writes there since it was made is known.
    pub is_followed: bool,
}

impl Allocation {
    /// Returns whether an address lies in it.
    pub(crate) fn has(&self, address: u64) -> bool {
        address.wrapping_sub(self.first) < self.size
    }
}

/// Facts about a launch that its reports tell.
#[derive(Clone, Copy, Debug)]
pub struct Launch<'a> {
    /// The kernel's name.
    pub kernel: &'a str,
    /// The module's tested places.
    pub sites: &'a [CheckSite],
    /// One for each argument of the kernel.
    pub arguments: &'a [Argument],
    /// The allocations.
    pub allocations: &'a [Allocation],
    /// Dimensions of the range, 1 to 3.
    pub dimensions: usize,
    /// Global offset.
    pub offset: [u64; 3],
    /// Work-items in each dimension.
    pub global_size: [u64; 3],
    /// Work-group size.
    pub local_size: [u64; 3],
}

/// The reports of a launch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reports {
    /// One text of several lines for each place that failed, by file and line.
    pub places: Vec<String>,
    /// The count of all; `None` if nothing failed.
    pub summary: Option<String>,
    /// True if the launch ended before its work was done: loops went round too often, or the first report ends it.
    pub ended: bool,
}

/// A record of the memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Record {
    pub code: Code,
    pub value: u64,
    pub size: u64,
    pub global_id: [u64; 3],
    pub local_id: [u64; 3],
}

impl Launch<'_> {
    /// The allocation that an address lies in.
    pub(crate) fn allocation_at(&self, address: u64) -> Option<&Allocation> {
        let mut live = self.allocations.iter().filter(|one| !one.released);
        live.find(|one| one.has(address))
    }

    /// Returns whether a fault of a place is one: a read of memory that nothing wrote is none where something unknown may
    /// have written. `value` is that of a record.
    fn counts(&self, site: &CheckSite, value: Option<u64>) -> bool {
        if site.kind != CheckKind::Unwritten {
            return true;
        }
        match (&site.object, value) {
            (CheckedObject::Argument(ordinal), _) => {
                let arg = self.arguments.get(*ordinal as usize);
                arg.is_some_and(|arg| arg.local || arg.is_followed)
            }
            (CheckedObject::Unknown, Some(address)) => {
                let found = self.allocation_at(address);
                found.is_some_and(|one| one.is_followed)
            }
            _ => true,
        }
    }
}

/// Reads what a launch reported. Nothing in the memory is trusted.
pub fn read(memory: &[u8], launch: &Launch<'_>) -> Reports {
    let layout = Layout::new(launch.arguments.len(), launch.sites.len());
    // Of each place and code the lowest work-item's, so that reports differ little between runs.
    let mut found: BTreeMap<(usize, u32), Record> = BTreeMap::new();
    for index in 0..word(memory, 0).min(MOST_RECORDS) {
        let Some((site, record)) = record(memory, RECORDS + u64::from(index) * RECORD_BYTES) else {
            continue;
        };
        let Some(place) = launch.sites.get(site) else {
            continue;
        };
        if !launch.counts(place, Some(record.value)) {
            continue;
        }
        let [x, y, z] = record.global_id;
        let slot = found.entry((site, record.code as u32)).or_insert(record);
        let [a, b, c] = slot.global_id;
        if (z, y, x) < (c, b, a) {
            *slot = record;
        }
    }
    let count = |site: usize| word(memory, layout.counters() + site as u64 * 4);
    let places: Vec<usize> = (0..launch.sites.len())
        .filter(|&site| count(site) > 0 && launch.counts(&launch.sites[site], None))
        .filter(|&site| {
            // Of memory that only the records name, what counts is known by them alone.
            let place = &launch.sites[site];
            let is_named =
                place.kind != CheckKind::Unwritten || place.object != CheckedObject::Unknown;
            is_named || found.keys().any(|(one, _)| *one == site)
        })
        .collect();
    if places.is_empty() {
        return Reports::default();
    }
    let mut listed: Vec<((usize, u32), Record)> = found.into_iter().collect();
    listed.sort_by_key(|((site, code), _)| {
        let site = &launch.sites[*site];
        (site.file.clone(), site.line, site.column, *code)
    });
    let texts = listed.iter().map(|((site, _), record)| {
        message::place(launch, &launch.sites[*site], record, count(*site))
    });
    let texts: Vec<String> = texts.take(MOST_PLACES).collect();
    let faults: u64 = places.iter().map(|&site| u64::from(count(site))).sum();
    let plural = |number: u64| if number == 1 { "" } else { "s" };
    let number = places.len() as u64;
    let mut summary = format!(
        "kernel '{}': {faults} fault{} at {number} place{}",
        launch.kernel,
        plural(faults),
        plural(number),
    );
    if texts.len() < listed.len() || listed.len() < places.len() {
        summary += &format!(", {} reported", texts.len());
    }
    let stopped = word(memory, STOPPED_AT) != 0;
    if stopped {
        summary += "; the launch has ended";
    }
    Reports {
        places: texts,
        summary: Some(summary),
        ended: stopped || (places.iter()).any(|&site| launch.sites[site].kind == CheckKind::Loop),
    }
}

fn word(memory: &[u8], at: u64) -> u32 {
    long(memory, at, 4) as u32
}

/// A number of up to 8 bytes; 0 beyond the memory's end.
fn long(memory: &[u8], at: u64, bytes: usize) -> u64 {
    let place = memory.get(at as usize..at as usize + bytes);
    let mut all = [0; 8];
    all[..bytes].copy_from_slice(place.unwrap_or(&[0; 8][..bytes]));
    u64::from_le_bytes(all)
}

fn record(memory: &[u8], at: u64) -> Option<(usize, Record)> {
    let code = Code::of(word(memory, at + RECORD_CODE))?;
    let record = Record {
        code,
        value: long(memory, at + RECORD_VALUE, 8),
        size: long(memory, at + RECORD_SIZE, 8),
        global_id: [0, 1, 2].map(|d| long(memory, at + RECORD_GLOBAL_ID + d * 8, 8)),
        local_id: [0, 1, 2].map(|d| long(memory, at + RECORD_LOCAL_ID + d * 4, 4)),
    };
    Some((word(memory, at + RECORD_SITE) as usize, record))
}
