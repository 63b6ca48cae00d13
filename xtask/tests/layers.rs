//! The modules of a crate are layers: no circle of imports goes through two of a module's children.
//!
//! Reads the `use` lines and `crate::`, `super::`, `self::` paths of every file, follows `pub use`,
//! and asks at each module: do its children, each with all that stands below it, know each other in
//! a circle? Below the crate's root a circle counts if one of its members is a folder: files of one
//! folder may know each other, and so may a module and what stands below it. Tests are not looked
//! at.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The crates, by the folders of their sources.
const CRATES: &[&str] = &[
    "compiler/spirv/src",
    "compiler/frontend/src",
    "compiler/ir/src",
    "compiler/interp/src",
    "compiler/backend/src",
    "compiler/target/src",
    "compiler/reflection/src",
    "compiler/src",
    "runtime/src",
    "vulkan-layer/src",
    "gl-layer/src",
    "icd/src",
];

/// Crates of one file.
const LEAVES: &[&str] = &[
    "compiler/budget/src",
    "compiler/check/src",
    "compiler/numerics/src",
    "compiler/printf/src",
];

type ModulePath = Vec<String>;

/// One crate: its modules and what each re-exports.
#[derive(Default)]
struct Crate {
    modules: BTreeSet<ModulePath>,
    /// Text of each module, without comments, strings and tests.
    texts: BTreeMap<ModulePath, String>,
    /// By module and name, the path that `pub use` makes it stand for.
    exports: BTreeMap<ModulePath, BTreeMap<String, ModulePath>>,
    /// Modules that tests alone have.
    tests: BTreeSet<ModulePath>,
}

fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("entry").path();
        match path.extension() {
            _ if path.is_dir() && !path.ends_with("bin") => rust_files(&path, found),
            Some(extension) if extension == "rs" => found.push(path),
            _ => {}
        }
    }
}

/// The module that a file is.
fn module_of(root: &Path, file: &Path) -> ModulePath {
    let path = file
        .strip_prefix(root)
        .expect("below the root")
        .with_extension("");
    let mut parts: ModulePath = path
        .iter()
        .map(|p| p.to_string_lossy().into_owned())
        .collect();
    if parts
        .last()
        .is_some_and(|last| last == "mod" || last == "lib")
    {
        parts.pop();
    }
    parts
}

/// Blanks out comments, strings and characters, and cuts what stands behind `#[cfg(test)] mod x {`.
fn code_of(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let skipped = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |at| at + 2)
        } else if rest.starts_with("r#\"") {
            rest.find("\"#").map_or(rest.len(), |at| at + 2)
        } else if first == '"' {
            string_end(rest)
        } else if rest.starts_with("'\"'") {
            3
        } else if let Some(escape) = rest.strip_prefix("'\\") {
            escape.find('\'').map_or(rest.len(), |at| at + 3)
        } else {
            out.push(first);
            rest = &rest[first.len_utf8()..];
            continue;
        };
        rest = &rest[skipped..];
    }
    let test = out.match_indices("#[cfg(test)]").find(|(at, mark)| {
        let item = out[at + mark.len()..].trim_start();
        let line = item.split(';').next().unwrap_or(item);
        item.starts_with("mod ") && line.contains('{')
    });
    match test.map(|(at, _)| at) {
        Some(at) => out[..at].to_string(),
        None => out,
    }
}

/// The length of the string literal that a text begins with.
fn string_end(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut at = 1;
    while at < bytes.len() && bytes[at] != b'"' {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    (at + 1).min(bytes.len())
}

/// The paths of a use tree, each with the name that it brings in.
fn expand(prefix: &[String], tree: &str, found: &mut Vec<(ModulePath, String)>) {
    let tree = tree.trim();
    if let Some(open) = tree.find('{') {
        let mut prefix = prefix.to_vec();
        let head = tree[..open].trim_end_matches("::");
        prefix.extend(
            head.split("::")
                .map(|p| p.trim().to_string())
                .filter(|p| !p.is_empty()),
        );
        let inner = &tree[open + 1..tree.rfind('}').unwrap_or(tree.len())];
        let (mut depth, mut start) = (0, 0);
        for (at, byte) in inner.bytes().enumerate() {
            match byte {
                b'{' => depth += 1,
                b'}' => depth -= 1,
                b',' if depth == 0 => {
                    expand(&prefix, &inner[start..at], found);
                    start = at + 1;
                }
                _ => {}
            }
        }
        return expand(&prefix, &inner[start..], found);
    }
    if tree.is_empty() {
        return;
    }
    let (path, name) = tree.split_once(" as ").unwrap_or((tree, ""));
    let mut full = prefix.to_vec();
    full.extend(path.split("::").map(|p| p.trim().to_string()));
    if full.last().is_some_and(|last| last == "self") {
        full.pop();
    }
    let last = full.last().cloned().unwrap_or_default();
    let name = if name.is_empty() {
        last
    } else {
        name.trim().to_string()
    };
    found.push((full, name));
}

/// The `use` items of a module: whether others may name what it brings in, path and name.
fn uses(text: &str) -> Vec<(bool, ModulePath, String)> {
    let mut all = Vec::new();
    for (at, word) in text.match_indices("use ") {
        let before = text[..at].trim_end();
        let starts = before.is_empty()
            || before.ends_with([';', '}', '{', ']', ')'])
            || before.ends_with("pub");
        let Some(end) = text[at..].find(';') else {
            continue;
        };
        if starts {
            let public = before.ends_with("pub") || before.ends_with(')');
            let mut found = Vec::new();
            expand(&[], &text[at + word.len()..at + end], &mut found);
            all.extend(found.into_iter().map(|(path, name)| (public, path, name)));
        }
    }
    all
}

/// The paths in the code that begin with `crate`, `super` or `self`.
fn inline_paths(text: &str) -> Vec<ModulePath> {
    let mut all = Vec::new();
    for head in ["crate::", "super::", "self::"] {
        for (at, _) in text.match_indices(head) {
            let before = text[..at].chars().next_back();
            if before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == ':' || c == '$') {
                continue;
            }
            let end = text[at..].find(|c: char| !c.is_alphanumeric() && c != '_' && c != ':');
            let path = &text[at..end.map_or(text.len(), |end| at + end)];
            all.push(
                path.trim_end_matches(':')
                    .split("::")
                    .map(String::from)
                    .collect(),
            );
        }
    }
    all
}

impl Crate {
    fn read(root: &Path) -> Self {
        let mut files = Vec::new();
        rust_files(root, &mut files);
        let mut this = Crate::default();
        for file in &files {
            let module = module_of(root, file);
            let text = std::fs::read_to_string(file).expect("a readable file");
            let code = code_of(&text);
            for (at, mark) in code.match_indices("#[cfg(test)]") {
                let item = code[at + mark.len()..].trim_start();
                if let Some(name) = item.strip_prefix("mod ") {
                    let mut test = module.clone();
                    test.push(
                        name.split(';')
                            .next()
                            .unwrap_or_default()
                            .trim()
                            .to_string(),
                    );
                    this.tests.insert(test);
                }
            }
            this.modules.insert(module.clone());
            this.texts.insert(module, code);
        }
        for (module, text) in &this.texts {
            let exports = uses(text).into_iter().filter(|(public, ..)| *public);
            let absolute = exports.map(|(_, path, name)| (name, this.absolute(module, &path)));
            let absolute = absolute.filter_map(|(name, path)| Some((name, path?)));
            this.exports.insert(module.clone(), absolute.collect());
        }
        this
    }

    /// The path from the crate's root; `None` if it leads out of the crate.
    fn absolute(&self, module: &ModulePath, path: &[String]) -> Option<ModulePath> {
        let mut at = match path.first()?.as_str() {
            "crate" => Vec::new(),
            "super" | "self" => module.clone(),
            name => {
                let mut child = module.clone();
                child.push(name.to_string());
                return self.modules.contains(&child).then(|| {
                    child.extend(path[1..].iter().cloned());
                    child
                });
            }
        };
        for part in path {
            match part.as_str() {
                "crate" | "self" => {}
                "super" => drop(at.pop()),
                name => at.push(name.to_string()),
            }
        }
        Some(at)
    }

    /// The module that holds what a path names, through `pub use` of modules on the way.
    fn holder(&self, path: &[String], depth: u32) -> ModulePath {
        let mut module = Vec::new();
        for (index, part) in path.iter().enumerate() {
            let mut child = module.clone();
            child.push(part.clone());
            if self.modules.contains(&child) {
                module = child;
                continue;
            }
            let known = self
                .exports
                .get(&module)
                .and_then(|exports| exports.get(part));
            return match known {
                Some(target) if depth < 8 && target[..] != path[..=index] => {
                    let mut target = target.clone();
                    target.extend(path[index + 1..].iter().cloned());
                    self.holder(&target, depth + 1)
                }
                _ => module,
            };
        }
        module
    }

    /// The modules that each module knows.
    fn edges(&self) -> BTreeSet<(ModulePath, ModulePath)> {
        let mut edges = BTreeSet::new();
        for (module, text) in self
            .texts
            .iter()
            .filter(|(module, _)| !self.is_test(module))
        {
            let paths = uses(text).into_iter().map(|(_, path, _)| path);
            for path in paths.chain(inline_paths(text)) {
                if let Some(path) = self.absolute(module, &path) {
                    let target = self.holder(&path, 0);
                    if target != *module {
                        edges.insert((module.clone(), target));
                    }
                }
            }
        }
        edges
    }

    fn is_test(&self, module: &ModulePath) -> bool {
        (0..=module.len()).any(|n| self.tests.contains(&module[..n]))
    }

    fn is_folder(&self, module: &ModulePath) -> bool {
        let mut others = self.modules.iter();
        others.any(|other| other.len() > module.len() && other.starts_with(module))
    }

    /// The circles among the children of each module.
    fn circles(&self) -> Vec<Circle> {
        let edges = self.edges();
        let mut circles = Vec::new();
        for parent in &self.modules {
            let mut knows: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
            for (from, to) in &edges {
                if let Some((from, to)) = between(parent, from, to) {
                    knows.entry(from).or_default().insert(to);
                }
            }
            let mut left: BTreeSet<&str> = knows.keys().copied().collect();
            while let Some(&one) = left.first() {
                let there = reach(&knows, one);
                let mut members: BTreeSet<String> = BTreeSet::from([one.to_string()]);
                let back = |other: &&&str| reach(&knows, other).contains(one);
                members.extend(there.iter().filter(back).map(|other| other.to_string()));
                left.retain(|name| !members.contains(*name));
                let is_folder = |child: &String| {
                    self.is_folder(&[&parent[..], std::slice::from_ref(child)].concat())
                };
                if members.len() > 1 && (parent.is_empty() || members.iter().any(is_folder)) {
                    let parent = parent.clone();
                    circles.push(Circle { parent, members });
                }
            }
        }
        circles
    }

    /// A circle with the imports that make it.
    fn describe(&self, circle: &Circle) -> String {
        let members: Vec<&str> = circle.members.iter().map(String::as_str).collect();
        let mut text = members.join(", ");
        for (from, to) in self.edges() {
            let pair = between(&circle.parent, &from, &to);
            if pair.is_some_and(|(a, b)| members.contains(&a) && members.contains(&b)) {
                text += &format!("\n    {} knows {}", from.join("::"), to.join("::"));
            }
        }
        text
    }
}

/// Children of one module that know each other in a circle.
struct Circle {
    parent: ModulePath,
    members: BTreeSet<String>,
}

/// The two children of a module that an import goes between.
fn between<'a>(
    parent: &ModulePath,
    from: &'a ModulePath,
    to: &'a ModulePath,
) -> Option<(&'a str, &'a str)> {
    let below = |path: &ModulePath| path.len() > parent.len() && path.starts_with(parent);
    let (a, b) = (
        below(from).then(|| &from[parent.len()])?,
        below(to).then(|| &to[parent.len()])?,
    );
    (a != b).then_some((a, b))
}

/// Everything that one child knows, directly or not.
fn reach<'a>(knows: &BTreeMap<&'a str, BTreeSet<&'a str>>, from: &str) -> BTreeSet<&'a str> {
    let mut seen = BTreeSet::new();
    let mut work: Vec<&str> = vec![from];
    while let Some(at) = work.pop() {
        for &next in knows.get(at).into_iter().flatten() {
            if seen.insert(next) {
                work.push(next);
            }
        }
    }
    seen
}

#[test]
fn no_circle_between_the_modules_of_a_crate() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut wrong = Vec::new();
    for name in CRATES {
        let source = Crate::read(&root.join(name));
        assert!(!source.edges().is_empty(), "{name}: no import was found");
        let circles = source.circles();
        let described = circles.iter().map(|circle| source.describe(circle));
        wrong.extend(described.map(|circle| format!("{name}: a circle of {circle}")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The statics of the compiler are tables that nothing changes: at most a first use fills them, the
/// same for everybody. It reads no file and no environment.
#[test]
fn the_compiler_has_no_state_and_starts_no_thread() {
    /// Counters of the calling thread: the budget of memory, and debug builds' effort. They start
    /// anew with each stage, and no output but an error depends on them.
    const METERS: &[(&str, &str)] = &[("compiler/budget/src", ""), ("compiler/ir/src", "effort")];
    const STATE: &[&str] = &[
        "thread_local!",
        "static mut",
        "std::thread",
        "Mutex",
        "RwLock",
        "AtomicBool",
        "AtomicU64",
        "AtomicUsize",
        "AtomicI64",
        "std::env",
        "std::fs",
    ];
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let compiler = (CRATES.iter()).filter(|name| name.starts_with("compiler/"));
    for name in compiler.chain(LEAVES) {
        let source = Crate::read(&root.join(name));
        for (module, text) in source
            .texts
            .iter()
            .filter(|(module, _)| !source.is_test(module))
        {
            let module_name = module.join("::");
            for word in STATE {
                let meter = METERS.contains(&(*name, &*module_name)) && *word == "thread_local!";
                assert!(
                    meter || !text.contains(word),
                    "{name}: {module_name}: {word}"
                );
            }
        }
    }
}

#[test]
fn imports_are_found_and_followed() {
    let text =
        "use crate::{a::{self, B}, c as d};\npub(super) use super::e::F;\nfn x() { self::g::h() }";
    let paths: Vec<String> = uses(text)
        .into_iter()
        .map(|(public, path, name)| format!("{public} {} {name}", path.join("::")))
        .collect();
    assert_eq!(
        paths,
        [
            "false crate::a a",
            "false crate::a::B B",
            "false crate::c d",
            "true super::e::F F"
        ]
    );
    assert_eq!(inline_paths("f(crate::a::b(), $crate::c)").len(), 1);
    let code = code_of(
        "let a = \"crate::x\"; // crate::y\nlet b = 'c';\n#[cfg(test)]\nmod tests { use crate::z; }",
    );
    assert!(!code.contains("crate::"), "{code}");
}
