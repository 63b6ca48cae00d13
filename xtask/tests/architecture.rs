//! docs/architecture.svg is generated from the dependencies in the crates' Cargo.toml and the places below:
//! `PUMICE_BLESS=1` writes it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Height of a box, in units of the picture.
const HEIGHT: u32 = 46;

/// Distance of a row's upper edge from the last row's.
const ROW: u32 = 82;

/// A crate's box: its name, what it holds, its row from above, its middle and its width.
struct Place(&'static str, &'static str, u32, u32, u32);

/// Every crate of the driver above the bottom row, and the interpreter that its tests have.
const PLACES: &[Place] = &[
    Place("icd", "C ABI: libpumice.so", 0, 400, 150),
    Place("runtime", "objects, queues, builds", 1, 400, 160),
    Place("compiler", "compile, link, lower", 2, 240, 150),
    Place("gl-layer", "all calls of OpenGL", 2, 505, 140),
    Place("vulkan-layer", "all calls of Vulkan", 2, 670, 140),
    Place("frontend", "OpenCL C to Kernel SPIR-V", 3, 110, 180),
    Place("backend", "Kernel to Vulkan SPIR-V", 3, 345, 170),
    Place("interp", "interpreter (tests only)", 3, 535, 160),
    Place("builtins-lib", "math library, compiled", 4, 235, 150),
    Place("check", "check mode's reports", 4, 390, 140),
    Place("ir", "IR, verifier, analyses", 4, 545, 150),
    Place("reflection", "NonSemantic.ClspvReflection", 5, 380, 720),
];

/// Crates that know no other; arrows to them are left out.
const BOTTOM: &[&str] = &["spirv", "numerics", "printf", "budget", "target"];

/// Crates that are no part of the driver.
const TOOLS: &[&str] = &[
    "cts-harness",
    "filetests",
    "info",
    "test-support",
    "trace",
    "xtask",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The manifests of all crates, by the crates' names without `pumice-`.
fn manifests() -> BTreeMap<String, String> {
    let workspace = std::fs::read_to_string(root().join("Cargo.toml")).expect("the workspace");
    let (_, members) = workspace.split_once("members = [").expect("members");
    let (members, _) = members.split_once(']').expect("an end of the members");
    let folders = members.split('"').skip(1).step_by(2);
    let mut manifests = BTreeMap::new();
    for folder in folders {
        let path = root().join(folder).join("Cargo.toml");
        let text =
            std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path:?}: {error}"));
        let name = text
            .lines()
            .find_map(|line| line.strip_prefix("name = \""))
            .expect("a name");
        let name = name.trim_end_matches('"');
        let name = name.strip_prefix("pumice-").unwrap_or(name).to_string();
        manifests.insert(name, text);
    }
    manifests
}

/// The crates that each crate depends on, outside its tests.
fn dependencies(manifests: &BTreeMap<String, String>) -> BTreeMap<&str, BTreeSet<&str>> {
    let known = |text: &str| -> BTreeSet<&str> {
        let section = text
            .split("\n[")
            .find(|part| part.starts_with("dependencies]"));
        let lines = section.unwrap_or_default().lines();
        let names = lines.filter_map(|line| line.strip_prefix("pumice-")?.split(['.', ' ']).next());
        names
            .filter_map(|name| Some(manifests.get_key_value(name)?.0.as_str()))
            .collect()
    };
    manifests
        .iter()
        .map(|(name, text)| (name.as_str(), known(text)))
        .collect()
}

/// Returns whether one crate knows the other, directly or through others.
fn knows(all: &BTreeMap<&str, BTreeSet<&str>>, from: &str, to: &str) -> bool {
    all[from]
        .iter()
        .any(|next| *next == to || knows(all, next, to))
}

fn picture() -> String {
    let manifests = manifests();
    let all = dependencies(&manifests);
    let placed: BTreeSet<&str> = PLACES.iter().map(|place| place.0).collect();
    for name in all.keys() {
        let somewhere = placed.contains(name) || BOTTOM.contains(name) || TOOLS.contains(name);
        assert!(somewhere, "{name} has no place in the picture");
    }
    for name in BOTTOM {
        assert!(all[name].is_empty(), "{name} knows {:?}", all[name]);
    }
    let rows = PLACES.iter().map(|place| place.2).max().unwrap_or_default() + 1;
    let mut svg = String::new();
    let height = 20 + rows * ROW + HEIGHT + 20;
    writeln!(
        svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 760 {height}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <title>Crates of Pumice; an arrow points from a crate to one that it knows</title>\n\
         <style>text{{fill:#222;text-anchor:middle}}rect{{fill:#eef3fb;stroke:#456}}.tests{{fill:#f2f2f2}}.arrow{{stroke:#555}}.head{{fill:#555}}\
         @media(prefers-color-scheme:dark){{text{{fill:#ddd}}rect{{fill:#1d2633;stroke:#89a}}.tests{{fill:#2a2a2a}}.arrow{{stroke:#aaa}}.head{{fill:#aaa}}}}</style>\n\
         <defs><marker id=\"a\" markerWidth=\"9\" markerHeight=\"8\" refX=\"8\" refY=\"4\" orient=\"auto\"><path class=\"head\" d=\"M0,0 L9,4 L0,8 z\"/></marker></defs>"
    )
    .expect("text");
    for from in PLACES {
        for to in PLACES.iter().filter(|to| all[from.0].contains(to.0)) {
            // An arrow that two others make up is left out.
            if (all[from.0].iter()).any(|between| *between != to.0 && knows(&all, between, to.0)) {
                continue;
            }
            assert!(
                from.2 < to.2,
                "{} knows {}, which stands above it",
                from.0,
                to.0
            );
            // A wide box is met from straight above.
            let end = match (to.3 - to.4 / 2..to.3 + to.4 / 2).contains(&from.3) {
                true => from.3,
                false => to.3,
            };
            writeln!(
                svg,
                "<line class=\"arrow\" x1=\"{}\" y1=\"{}\" x2=\"{end}\" y2=\"{}\" marker-end=\"url(#a)\"/>",
                from.3,
                20 + from.2 * ROW + HEIGHT,
                20 + to.2 * ROW
            )
            .expect("text");
        }
    }
    for Place(name, what, row, middle, width) in PLACES {
        let (left, top) = (middle - width / 2, 20 + row * ROW);
        let class = match what.contains("tests only") {
            true => " class=\"tests\"",
            false => "",
        };
        writeln!(
            svg,
            "<rect{class} x=\"{left}\" y=\"{top}\" width=\"{width}\" height=\"{HEIGHT}\" rx=\"5\"/>\n\
             <text x=\"{middle}\" y=\"{}\" font-size=\"13\" font-weight=\"bold\">{name}</text>\
             <text x=\"{middle}\" y=\"{}\">{what}</text>",
            top + 19,
            top + 36
        )
        .expect("text");
    }
    let top = 20 + rows * ROW;
    writeln!(
        svg,
        "<rect x=\"20\" y=\"{top}\" width=\"720\" height=\"{HEIGHT}\" rx=\"5\"/>\n\
         <text x=\"380\" y=\"{}\" font-size=\"13\">{}: no knowledge of the others</text>\n</svg>",
        top + 28,
        BOTTOM.join(", ")
    )
    .expect("text");
    svg
}

#[test]
fn the_picture_shows_the_crates() {
    let path = root().join("docs/architecture.svg");
    let expected = picture();
    if std::env::var_os("PUMICE_BLESS").is_some() {
        std::fs::write(path, expected).expect("docs/architecture.svg can be written");
        return;
    }
    let found = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        found == expected,
        "docs/architecture.svg is not what the crates' dependencies say: cargo xtask bless"
    );
}
