//! The user's guide, `docs/guide`: a book by mdBook, in `target/guide`; and the test of its commands.
//!
//! Each box of commands (a fence `sh`) of a page is run, in order, in a folder of the page's own, by a user
//! for whom Pumice is installed. A fence such as `sh,cluster` names the place where another command runs the box
//! ([`PLACES`]). A box that cannot be run has the fence `sh,norun` and begins with a comment that says why.

use crate::installation::User;
use crate::sh::{self, Result};
use crate::test::Report;
use std::path::PathBuf;
use std::process::Command;

/// The version of mdBook; it builds with the Rust that the README asks for.
const MDBOOK: &str = "0.4.52";

/// Places where boxes are run besides the test of the guide: `cargo xtask package try` in a Debian 12 and a
/// Debian 13, in both with the package and without it, and `cargo xtask test cluster`.
pub const PLACES: &[&str] = &["bookworm", "trixie", "debian", "tarball", "cluster"];

/// Beginning of a box that is not run.
const EXCUSE: &str = "# not run by the test: ";

const USAGE: &str = "\
cargo xtask guide

Writes the user's guide to target/guide/index.html, and fails on a warning or a link that leads nowhere.
mdBook is installed in target/tools unless it is on the PATH.
";

/// Runs the command.
pub fn run(args: &[String]) -> Result {
    match args {
        [] => build(),
        [arg] if arg == "--help" || arg == "-h" => {
            print!("{USAGE}");
            Ok(())
        }
        _ => Err(format!("guide takes no argument\n\n{USAGE}")),
    }
}

fn folder() -> PathBuf {
    sh::root().join("docs/guide")
}

/// The program mdbook; installed from crates.io where there is none.
fn mdbook() -> Result<PathBuf> {
    let tools = sh::target().join("tools");
    let program = tools.join("bin/mdbook");
    if program.is_file() {
        return Ok(program);
    }
    if sh::on_path("mdbook") {
        return Ok(PathBuf::from("mdbook"));
    }
    println!("installing mdBook {MDBOOK} in {}", tools.display());
    let mut install = Command::new(env!("CARGO"));
    install
        .args(["install", "mdbook", "--version", MDBOOK, "--locked"])
        // Neither a server nor a search: the book is read as files.
        .args(["--no-default-features", "--debug", "--root"])
        .arg(&tools)
        .current_dir(sh::root());
    sh::output(&mut install)?;
    Ok(program)
}

/// Builds the book without a warning, after a look at its links.
fn build() -> Result {
    let pages = pages()?;
    let wrong = broken_links(&pages)?;
    if !wrong.is_empty() {
        return Err(wrong.join("\n"));
    }
    let to = sh::target().join("guide");
    let mut command = Command::new(mdbook()?);
    command
        .arg("build")
        .arg(folder())
        .arg("--dest-dir")
        .arg(&to);
    let output = command
        .output()
        .map_err(|error| format!("mdbook: {error}"))?;
    let said = sh::both(&output);
    if !output.status.success() || said.contains("WARN") || said.contains("ERROR") {
        return Err(format!("mdbook: {}\n{said}", output.status));
    }
    println!("{}", to.join("index.html").display());
    Ok(())
}

/// A page: its file name and text.
struct Page {
    name: String,
    text: String,
}

/// The pages, all of which SUMMARY.md must list.
fn pages() -> Result<Vec<Page>> {
    let summary = sh::read(&folder().join("SUMMARY.md"))?;
    let mut pages = Vec::new();
    for path in sh::files_with(&folder(), &["md"])? {
        let name = sh::file_name(&path);
        if name == "SUMMARY.md" {
            continue;
        }
        if !summary.contains(&format!("({name})")) {
            return Err(format!("docs/guide/SUMMARY.md does not list {name}"));
        }
        let text = included(&sh::read(&path)?)?;
        pages.push(Page { name, text });
    }
    Ok(pages)
}

/// A page's text with the pages that it includes whole.
fn included(text: &str) -> Result<String> {
    let file = |line: &str| {
        let name = line
            .trim()
            .strip_prefix("{{#include ")?
            .strip_suffix("}}")?;
        Some(folder().join(name))
    };
    let mut whole = String::new();
    for line in text.lines() {
        match file(line) {
            Some(path) => whole += &sh::read(&path)?,
            None => whole = whole + line + "\n",
        }
    }
    Ok(whole)
}

/// The links to other pages that lead nowhere.
fn broken_links(pages: &[Page]) -> Result<Vec<String>> {
    let mut broken = Vec::new();
    for page in pages {
        for link in links(&page.text) {
            if link.contains("://") {
                continue;
            }
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let file = if file.is_empty() { &page.name } else { file };
            let target = pages.iter().find(|other| other.name == file);
            let there = match target {
                Some(other) => {
                    anchor.is_empty() || headings(&other.text).any(|slug| slug == anchor)
                }
                None => is_picture(file),
            };
            if !there {
                broken.push(format!("docs/guide/{}: no {link}", page.name));
            }
        }
    }
    Ok(broken)
}

/// Tells whether a link leads to a picture beside the pages.
fn is_picture(file: &str) -> bool {
    file.ends_with(".png") && !file.contains('/') && folder().join(file).is_file()
}

/// The targets of Markdown links outside boxes.
fn links(text: &str) -> Vec<&str> {
    let mut inside = false;
    let outside = text.lines().filter(|line| {
        let fence = line.trim_start().starts_with("```");
        inside ^= fence;
        !inside && !fence
    });
    outside
        .flat_map(|line| line.split("](").skip(1))
        .filter_map(|rest| rest.split(')').next())
        .collect()
}

/// The anchors of a page's headings, as mdBook makes them.
fn headings(text: &str) -> impl Iterator<Item = String> + '_ {
    let headings = text.lines().filter_map(|line| {
        let title = line.trim_start_matches('#');
        (title.len() < line.len()).then_some(title.trim())
    });
    headings.map(|title| {
        let kept = title.to_lowercase().replace(' ', "-");
        kept.chars()
            .filter(|c| c.is_alphanumeric() || "-_".contains(*c))
            .collect()
    })
}

/// A box of commands.
#[derive(Debug, PartialEq, Eq)]
struct Commands {
    /// One of [`PLACES`], empty for the test of the guide.
    place: String,
    script: String,
}

/// The boxes of all pages that are run at one of [`PLACES`], in order.
///
/// # Errors
/// A page that cannot be read, a fence that is wrong, or no box for that place.
pub fn boxes_of(place: &str) -> Result<Vec<String>> {
    let mut scripts = Vec::new();
    for page in pages()? {
        let here = boxes(&page.text)?.into_iter();
        scripts.extend(
            here.filter(|found| found.place == place)
                .map(|found| found.script),
        );
    }
    match scripts.is_empty() {
        true => Err(format!("the guide has no box for {place}")),
        false => Ok(scripts),
    }
}

/// The boxes of commands of a page, those that are not run excepted.
///
/// # Errors
/// A box that is not run without a reason, or for a place that is none.
fn boxes(text: &str) -> Result<Vec<Commands>> {
    let mut boxes = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let Some(kind) = line.strip_prefix("```") else {
            continue;
        };
        let body: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
        let run = |place: &str| Commands {
            place: place.to_string(),
            script: body.join("\n"),
        };
        match kind.strip_prefix("sh,") {
            None if kind == "sh" => boxes.push(run("")),
            Some(place) if PLACES.contains(&place) => boxes.push(run(place)),
            Some("norun") if !body.first().is_some_and(|line| line.starts_with(EXCUSE)) => {
                return Err(format!(
                    "a box is not run for no reason:\n{}",
                    body.join("\n")
                ));
            }
            None if body.iter().any(|line| line.starts_with("$ ")) => {
                return Err(format!(
                    "a box has commands without the fence sh:\n{}",
                    body.join("\n")
                ));
            }
            Some("norun") | None => {}
            Some(place) => return Err(format!("no test runs boxes with the fence sh,{place}")),
        }
    }
    Ok(boxes)
}

/// The step of `cargo xtask test`: builds the book and runs its commands.
pub fn test(report: &mut Report) -> Result {
    report.record("the guide builds", build());
    let user = User::new("guide")?;
    user.xtask(&["install", "--user", "--debug"])?.verdict()?;
    for page in pages()? {
        if !page.name.contains(&report.filter) {
            continue;
        }
        let outcome = run_page(&user, &page);
        report.record(&format!("commands of {}", page.name), outcome);
    }
    Ok(())
}

/// Runs the boxes of a page in one shell each.
fn run_page(user: &User, page: &Page) -> Result {
    let scratch = user.home.join(page.name.trim_end_matches(".md"));
    sh::make_folder(&scratch)?;
    let boxes: Vec<Commands> = boxes(&page.text)?;
    let boxes: Vec<&Commands> = boxes
        .iter()
        .filter(|found| found.place.is_empty())
        .collect();
    for Commands { script, .. } in &boxes {
        let script = format!("cd '{}'\nset -e\n{script}", scratch.display());
        let done = user.shell(&script)?;
        let why = |why| format!("{script}\n{why}");
        done.verdict().map_err(why)?;
    }
    println!("  {:2} boxes of {}", boxes.len(), page.name);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{PLACES, boxes, boxes_of, broken_links, headings, is_picture, links, pages};

    #[test]
    fn the_guide_has_no_broken_link_and_gives_reasons() {
        let pages = pages().unwrap();
        assert_eq!(broken_links(&pages).unwrap(), Vec::<String>::new());
        let run: usize = pages
            .iter()
            .map(|page| boxes(&page.text).unwrap().len())
            .sum();
        assert!(run >= 20, "{run} boxes");
        for place in PLACES {
            assert!(!boxes_of(place).unwrap().is_empty(), "{place}");
        }
        assert!(is_picture("trace.png") && !is_picture("trace.md") && !is_picture("none.png"));
    }

    #[test]
    fn boxes_and_links_are_told_apart() {
        let page = "[a](b.md#c)\n```sh\nls [x](y)\npwd\n```\n```sh,norun\n# not run by the test: why\n```\n";
        assert_eq!(links(page), ["b.md#c"]);
        let found = boxes(page).unwrap();
        assert_eq!(found.len(), 1);
        assert_eq!(
            (&*found[0].place, &*found[0].script),
            ("", "ls [x](y)\npwd")
        );
        assert_eq!(boxes("```sh,cluster\nls\n```").unwrap()[0].place, "cluster");
        assert!(boxes("```sh,norun\nls\n```").is_err());
        assert!(boxes("```\n$ ls\n```").is_err());
        assert!(boxes("```sh,nowhere\nls\n```").is_err());
        let slugs: Vec<String> = headings("# CI without a GPU\ntext\n## Debian 12\n").collect();
        assert_eq!(slugs, ["ci-without-a-gpu", "debian-12"]);
    }
}
