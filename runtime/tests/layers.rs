//! The runtime's folders are layers: none uses one that stands above it. Inside a folder no two files use
//! each other, directly or in a circle; each may use its folder's `mod.rs`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The folders, from the lowest layer on.
const LAYERS: &[&str] = &[
    "base",
    "cache",
    "device",
    "context",
    "executable",
    "memory",
    "program",
    "command",
    "queue",
];

fn files(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, into);
        } else if path.extension().is_some_and(|ext| ext == "rs") {
            into.push(path);
        }
    }
}

/// The sources: path below `src`, and text without comments and tests.
fn sources() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut all = Vec::new();
    files(&root, &mut all);
    let mut sources: Vec<_> = (all.iter())
        .map(|path| {
            let text = std::fs::read_to_string(path).unwrap();
            let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or("");
            let lines = code
                .lines()
                .filter(|line| !line.trim_start().starts_with("//"));
            let name = path.strip_prefix(&root).unwrap().to_str().unwrap();
            (name.to_string(), lines.collect::<Vec<_>>().join("\n"))
        })
        .collect();
    sources.sort();
    sources
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The paths behind a prefix such as `crate::`, with the names in braces one by one, as far as they
/// are modules.
fn paths(code: &str, prefix: &str) -> BTreeSet<Vec<String>> {
    let mut found = BTreeSet::new();
    for (at, _) in code.match_indices(prefix) {
        if code[..at].ends_with(|c| is_name(c) || c == ':') {
            continue;
        }
        let mut path = Vec::new();
        let mut rest = &code[at + prefix.len()..];
        loop {
            let end = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
            if end == 0 {
                break;
            }
            path.push(rest[..end].to_string());
            let Some(next) = rest[end..].strip_prefix("::") else {
                break;
            };
            rest = next;
        }
        if let Some(list) = rest.strip_prefix('{') {
            let list = list.split('}').next().unwrap_or("");
            for name in list.split(',').map(str::trim) {
                let name = name.split("::").next().unwrap_or("");
                let mut path = path.clone();
                path.push(name.split(' ').next().unwrap_or("").to_string());
                found.insert(path);
            }
        }
        found.insert(path);
    }
    found
}

#[test]
fn no_folder_uses_one_above_it() {
    let mut upward = Vec::new();
    for (name, code) in sources() {
        let Some((folder, _)) = name.split_once('/') else {
            continue;
        };
        let layer = LAYERS.iter().position(|layer| *layer == folder);
        let layer = layer.unwrap_or_else(|| panic!("{folder} is no layer of LAYERS"));
        for path in paths(&code, "crate::") {
            let used = path
                .first()
                .and_then(|first| LAYERS.iter().position(|l| l == first));
            if used.is_some_and(|used| used > layer) {
                upward.push(format!("{name}: crate::{}", path.join("::")));
            }
        }
    }
    assert!(upward.is_empty(), "{upward:#?}");
}

#[test]
fn no_two_files_of_a_folder_use_each_other() {
    let sources = sources();
    for folder in LAYERS {
        let here = |name: &str| {
            let file = name.strip_prefix(folder)?.strip_prefix('/')?;
            Some(file.strip_suffix(".rs")?.split('/').next()?.to_string())
        };
        let modules: BTreeSet<String> = (sources.iter())
            .filter_map(|(name, _)| here(name))
            .filter(|module| module != "mod")
            .collect();
        let mut uses: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (name, code) in &sources {
            let Some(module) = here(name).filter(|module| module != "mod") else {
                continue;
            };
            let siblings = paths(code, &format!("crate::{folder}::"));
            let names = siblings
                .iter()
                .chain(&paths(code, "super::"))
                .cloned()
                .collect::<Vec<_>>();
            let used = names.iter().filter_map(|path| path.first());
            let used = used.filter(|used| modules.contains(*used) && **used != module);
            let used: Vec<String> = used.cloned().collect();
            uses.entry(module).or_default().extend(used);
        }
        // What uses nothing that is left can go; what stays is in a circle, or leads to one.
        loop {
            let free: Vec<String> = (uses.iter())
                .filter(|(_, used)| used.iter().all(|used| !uses.contains_key(used)))
                .map(|(module, _)| module.clone())
                .collect();
            if free.is_empty() {
                break;
            }
            for module in free {
                uses.remove(&module);
            }
        }
        assert!(uses.is_empty(), "{folder}: {uses:#?}");
    }
}

#[test]
fn paths_are_found() {
    let code =
        "use crate::base::{log, exit::{self}};\nlet x = crate::queue::Queue::new(); abcrate::no";
    let found = paths(code, "crate::");
    let has = |path: &[&str]| found.iter().any(|found| found == path);
    assert!(has(&["base", "log"]) && has(&["base", "exit"]) && has(&["queue", "Queue", "new"]));
    assert_eq!(found.len(), 4);
}
