//! `cargo xtask tidy`: the habits of the code base that no compiler sees, each as one function.
//!
//! Every finding is `FILE:LINE: what is wrong`. What is left of old habits stands in
//! `xtask/tidy.txt` with its count, which must be lowered with every step and can never rise.

use crate::sh::{self, Result};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Most lines of a Rust file.
const LONGEST: usize = 600;

/// Words that begin a question; a doc line states a fact.
const QUESTIONS: &[&str] = &["What", "Where", "How", "Which", "Why", "When", "Whether"];

/// A text file of the checkout.
struct File {
    path: String,
    text: String,
}

impl File {
    /// The line numbers, from 1, with their lines.
    fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        (1..).zip(self.text.lines())
    }

    /// True if the file holds tests alone.
    fn is_test(&self) -> bool {
        self.path.contains("/tests/") || self.path.ends_with("/tests.rs")
    }

    /// The folder of the crate that the file belongs to.
    fn crate_folder(&self) -> &str {
        let parts = ["/src/", "/tests/", "/examples/", "/benches/", "/derive/"];
        let end = parts.iter().filter_map(|part| self.path.find(part)).min();
        let parent = self.path.rfind('/').unwrap_or(0);
        &self.path[..end.unwrap_or(parent)]
    }
}

/// Checks everything; an error that lists what was found.
pub fn run(args: &[String]) -> Result {
    if let Some(arg) = args.first() {
        return Err(format!("tidy takes no argument, got {arg:?}"));
    }
    let mut files = Vec::new();
    collect(&sh::root(), &mut files)?;
    files.sort_by(|a, b| a.path.cmp(&b.path));
    let rust = |file: &&File| file.path.ends_with(".rs");
    let sources: Vec<&File> = files.iter().filter(rust).collect();
    let list = sh::read(&sh::root().join("xtask/tidy.txt"))?;
    let mut found = Vec::new();
    found.extend(against(&list, "lines", long_files(&sources))?);
    found.extend(against(&list, "questions", questions(&sources))?);
    found.extend(unexplained_allows(&sources));
    found.extend(unfinished(&sources));
    found.extend(too_new(&sources));
    found.extend(lints(&files));
    found.extend(filetests(&files));
    found.extend(documents(&files)?);
    found.extend(dependencies()?);
    found.extend(extensions()?);
    match found.is_empty() {
        true => Ok(()),
        false => Err(found.join("\n")),
    }
}

/// The text files below a folder of the checkout, without build outputs and hidden folders.
fn collect(folder: &Path, files: &mut Vec<File>) -> Result {
    let complain = |error: std::io::Error| format!("{}: {error}", folder.display());
    for entry in std::fs::read_dir(folder).map_err(complain)? {
        let entry = entry.map_err(complain)?;
        let (name, path) = (entry.file_name(), entry.path());
        let name = name.to_string_lossy();
        if entry.file_type().map_err(complain)?.is_dir() {
            if name != "target" && !name.starts_with('.') {
                collect(&path, files)?;
            }
        } else if let Ok(text) = std::fs::read_to_string(&path) {
            // Others are no text.
            let below = path.strip_prefix(sh::root()).unwrap_or(&path);
            let path = below.display().to_string();
            files.push(File { path, text });
        }
    }
    Ok(())
}

/// Findings counted under a key: the place of the first, and how many.
type Counts = BTreeMap<String, (String, usize)>;

/// Files above the limit, with their lines.
fn long_files(sources: &[&File]) -> Counts {
    let mut counts = Counts::new();
    for file in sources {
        let lines = file.text.lines().count();
        if lines > LONGEST {
            counts.insert(
                file.path.clone(),
                (format!("{}:{}", file.path, LONGEST + 1), lines),
            );
        }
    }
    counts
}

/// Doc lines that begin with a question word, by crate. The place is the last one's.
fn questions(sources: &[&File]) -> Counts {
    let mut counts = Counts::new();
    for file in sources {
        for (number, line) in file.lines() {
            let line = line.trim_start();
            let doc = line
                .strip_prefix("///")
                .or_else(|| line.strip_prefix("//!"));
            let first = doc.and_then(|doc| doc.split_whitespace().next());
            if first.is_some_and(|word| QUESTIONS.contains(&word)) {
                let count = counts.entry(file.crate_folder().to_string()).or_default();
                *count = (format!("{}:{number}", file.path), count.1 + 1);
            }
        }
    }
    counts
}

/// Compares counts with the rows `KIND KEY COUNT` of the list of what is left.
fn against(list: &str, kind: &str, counts: Counts) -> Result<Vec<String>> {
    let mut left = BTreeMap::new();
    for (number, line) in (1..).zip(list.lines()) {
        let words: Vec<&str> = line.split_whitespace().collect();
        if let [of, key, count] = words[..] {
            let count = count
                .parse::<usize>()
                .map_err(|error| format!("xtask/tidy.txt:{number}: {error}"))?;
            if of == kind {
                left.insert(key.to_string(), count);
            }
        }
    }
    let mut found = Vec::new();
    for (key, (place, count)) in &counts {
        let most = left.remove(key).unwrap_or_default();
        if *count > most {
            found.push(format!("{place}: {kind} of {key}: {count}, at most {most}"));
        } else if *count < most {
            found.push(format!(
                "xtask/tidy.txt: {kind} of {key} are {count} by now: lower {most}"
            ));
        }
    }
    let gone = left.keys();
    found.extend(gone.map(|key| format!("xtask/tidy.txt: {kind} of {key} are none: take it out")));
    Ok(found)
}

/// `allow` attributes that give no reason.
fn unexplained_allows(sources: &[&File]) -> Vec<String> {
    let mut found = Vec::new();
    for file in sources {
        for (number, line) in file.lines() {
            let start = line.trim_start();
            if !(start.starts_with("#[allow(") || start.starts_with("#![allow(")) {
                continue;
            }
            let rest = file.text.lines().skip(number - 1);
            let attribute: Vec<&str> = rest.scan(false, until_end).collect();
            if !attribute.concat().contains("reason = ") {
                found.push(format!("{}:{number}: an allow without reason", file.path));
            }
        }
    }
    found
}

/// Takes the lines of an attribute.
fn until_end<'a>(ended: &mut bool, line: &'a str) -> Option<&'a str> {
    let last = line.contains(")]");
    (!std::mem::replace(ended, last || *ended)).then_some(line)
}

/// `todo!` and `unimplemented!` outside tests.
fn unfinished(sources: &[&File]) -> Vec<String> {
    let mut found = Vec::new();
    for file in sources.iter().filter(|file| !file.is_test()) {
        for (number, line) in file.lines() {
            let code = line.split("//").next().unwrap_or_default();
            for name in ["todo", "unimplemented"] {
                if code.contains(&format!("{name}!(")) {
                    found.push(format!("{}:{number}: {name}!", file.path));
                }
            }
        }
    }
    found
}

/// Code that `rust-version` in `Cargo.toml` does not take, and newer compilers take without a word: let chains, and
/// `format_args!` in a binding.
fn too_new(sources: &[&File]) -> Vec<String> {
    let mut found = Vec::new();
    for file in sources {
        let mut before = "";
        for (number, line) in file.lines() {
            let code = line.split("//").next().unwrap_or_default().trim();
            // As rustfmt breaks lines.
            let goes_on = before.contains("if let ") || before.starts_with("while let ");
            if code.starts_with("&& let ") || (goes_on && code.starts_with("&& ")) {
                found.push(format!("{}:{number}: a let chain", file.path));
            }
            if code.starts_with("let ") && code.contains(" = format_args!(") {
                found.push(format!("{}:{number}: format_args! in a binding", file.path));
            }
            before = code;
        }
    }
    found
}

/// Crates without the workspace's lints, which among others deny unsafe blocks without SAFETY.
fn lints(files: &[File]) -> Vec<String> {
    let manifests = files.iter().filter(|file| {
        file.path.ends_with("/Cargo.toml") && file.text.lines().any(|line| line == "[package]")
    });
    let mut found = Vec::new();
    for file in manifests {
        if !file.text.contains("[lints]\nworkspace = true") {
            found.push(format!("{}:1: without the workspace's lints", file.path));
        }
    }
    let lint = "undocumented_unsafe_blocks = \"deny\"";
    let root = files.iter().find(|file| file.path == "Cargo.toml");
    if !root.is_some_and(|file| file.text.contains(lint)) {
        found.push(format!("Cargo.toml:1: without {lint}"));
    }
    found
}

/// Folders of test files that no test names. Those below `ir` are no finding: `passes.rs` runs each
/// as the pass of its name, and fails where there is none.
fn filetests(files: &[File]) -> Vec<String> {
    let home = "compiler/filetests/";
    let mut folders = BTreeSet::new();
    for file in files {
        let Some(below) = file.path.strip_prefix(home) else {
            continue;
        };
        let folder = below.rsplit_once('/').map_or("", |(folder, _)| folder);
        if !folder.is_empty() && !folder.starts_with("src") {
            folders.insert(folder);
        }
    }
    let tests: Vec<&File> = files
        .iter()
        .filter(|file| file.path.starts_with("compiler/tests/"))
        .collect();
    let named = |folder: &&str| {
        let name = format!("\"{folder}\"");
        folder.starts_with("ir/") || tests.iter().any(|test| test.text.contains(&name))
    };
    let lost = folders.into_iter().filter(|folder| !named(folder));
    lost.map(|folder| format!("{home}{folder}:1: belongs to no test of compiler/tests"))
        .collect()
}

/// Pages that the README's list lacks, those that only include another excepted, and links of it that lead nowhere.
fn documents(files: &[File]) -> Result<Vec<String>> {
    let readme = sh::read(&sh::root().join("README.md"))?;
    let mut found = Vec::new();
    for file in files {
        let page = file.path.starts_with("docs/") && file.path.ends_with(".md");
        let page = page && !file.text.starts_with("{{#include ");
        if page && !readme.contains(&format!("({})", file.path)) {
            found.push(format!("{}:1: the README's list lacks it", file.path));
        }
    }
    for (number, line) in (1..).zip(readme.lines()) {
        for link in line.split("](").skip(1) {
            let target = link.split(')').next().unwrap_or_default();
            if !target.contains("://") && !Path::exists(&sh::root().join(target)) {
                found.push(format!("README.md:{number}: no {target}"));
            }
        }
    }
    Ok(found)
}

/// Crates of others that `docs/dependencies.md` lacks, and its rows for crates that are gone.
fn dependencies() -> Result<Vec<String>> {
    let manifest = sh::read(&sh::root().join("Cargo.toml"))?;
    let page = sh::read(&sh::root().join("docs/dependencies.md"))?;
    let table = manifest.split("[workspace.dependencies]\n").nth(1);
    let table = table.and_then(|rest| rest.split("\n[").next());
    let ours = |line: &&str| !line.contains("path = ");
    let wanted: BTreeSet<&str> = table
        .unwrap_or_default()
        .lines()
        .filter(ours)
        .filter_map(|line| Some(line.split_once(" = ")?.0))
        .collect();
    let mut listed = BTreeSet::new();
    let mut found = Vec::new();
    for (number, line) in (1..).zip(page.lines()) {
        let name = line
            .strip_prefix("| ")
            .and_then(|row| row.split(' ').next());
        let Some(name) = name.filter(|name| *name != "crate") else {
            continue;
        };
        listed.insert(name);
        if !wanted.contains(name) {
            found.push(format!("docs/dependencies.md:{number}: no crate {name}"));
        }
    }
    let missing = wanted.difference(&listed);
    found.extend(missing.map(|name| format!("docs/dependencies.md:1: lacks {name}")));
    Ok(found)
}

/// Extensions of the code's list that docs/extensions.md lacks as built, and names that the page shows twice.
/// The test `extensions_page` compares the whole page.
fn extensions() -> Result<Vec<String>> {
    let list = sh::read(&sh::root().join("runtime/src/device/extensions.rs"))?;
    let page = sh::read(&sh::root().join("docs/extensions.md"))?;
    Ok(extensions_against(&list, &page))
}

/// Compares the texts of list and page.
fn extensions_against(list: &str, page: &str) -> Vec<String> {
    let rows = |text: &str| -> Vec<String> {
        let cells = text.lines().filter_map(|line| line.strip_prefix("| cl_"));
        let names = cells.filter_map(|cells| cells.split(' ').next());
        names.map(|name| format!("cl_{name}")).collect()
    };
    let (built, absent) = page.split_once("\n## Absent\n").unwrap_or((page, ""));
    let (built, absent) = (rows(built), rows(absent));
    let code = list.split("#[cfg(test)]").next().unwrap_or_default();
    let names = code.split('"').skip(1).step_by(2);
    let listed: BTreeSet<&str> = names.filter(|name| name.starts_with("cl_")).collect();
    let bless = "run `cargo xtask bless`";
    let mut found = Vec::new();
    for name in &listed {
        if !built.iter().any(|row| row == name) {
            found.push(format!("docs/extensions.md:1: lacks {name}: {bless}"));
        }
    }
    for row in &built {
        if !listed.contains(row.as_str()) || absent.contains(row) {
            found.push(format!("docs/extensions.md:1: {row} is not built: {bless}"));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{
        Counts, File, against, extensions_against, questions, too_new, unexplained_allows,
        unfinished,
    };

    fn file(text: &str) -> File {
        File {
            path: "a/src/b.rs".to_string(),
            text: text.to_string(),
        }
    }

    #[test]
    fn the_page_of_extensions_has_those_of_the_list() {
        let page = |built: &str| format!("| {built} | 1.0.0 |\n\n## Absent\n\n| cl_c | why |\n");
        let check = |list: &str, built: &str| extensions_against(list, &page(built)).len();
        assert_eq!(check("always(\"cl_a\")", "cl_a"), 0);
        assert_eq!(check("always(\"cl_a\")", "cl_b"), 2);
        assert_eq!(check("always(\"cl_c\")", "cl_c"), 1);
    }

    #[test]
    fn counts_can_only_shrink() {
        let counts = |n| Counts::from([("a".to_string(), ("a/src/b.rs:7".to_string(), n))]);
        let check = |n| against("questions a 2\nlines b 700\n", "questions", counts(n)).unwrap();
        assert!(check(2).is_empty());
        assert_eq!(check(3), ["a/src/b.rs:7: questions of a: 3, at most 2"]);
        assert_eq!(
            check(1),
            ["xtask/tidy.txt: questions of a are 1 by now: lower 2"]
        );
        let gone = against("lines b 700\n", "lines", Counts::new()).unwrap();
        assert_eq!(gone, ["xtask/tidy.txt: lines of b are none: take it out"]);
    }

    #[test]
    fn findings_name_file_and_line() {
        let allow = file("fn a() {}\n#[allow(dead_code)]\n#[allow(\n x,\n reason = \"y\"\n)]\n");
        assert_eq!(
            unexplained_allows(&[&allow]),
            ["a/src/b.rs:2: an allow without reason"]
        );
        let unfinished_file = file("// todo!()\nfn a() { todo!() }\n");
        assert_eq!(unfinished(&[&unfinished_file]), ["a/src/b.rs:2: todo!"]);
        let chains = "if let Some(x) = y\n    && x\n{}\nif y\n    && let Some(z) = x\n{}\n";
        let newer = file(&format!("{chains}let a = {}!(b);\n", "format_args"));
        let kinds = [
            "2: a let chain",
            "5: a let chain",
            "7: format_args! in a binding",
        ];
        assert_eq!(
            too_new(&[&newer]),
            kinds.map(|kind| format!("a/src/b.rs:{kind}"))
        );
        let doc = file("/// States.\n/// Where it is.\n//! How.\n//! How many.\n");
        assert_eq!(questions(&[&doc])["a"], ("a/src/b.rs:4".to_string(), 2));
    }
}
