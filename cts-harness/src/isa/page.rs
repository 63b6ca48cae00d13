//! The page of the documentation, made from summaries alone.

use super::clang::Compiled;
use super::summary::{Entry, Statistics, Summary, mean};
use std::fmt::Write as _;

/// Text before the tables.
const NOTES: &str = include_str!("../../isa/notes.md");

/// A device's summaries: its name on the page, the first that was ever taken, the latest, and what AMD's own
/// compiler makes for it.
pub struct Device {
    pub name: String,
    pub first: Summary,
    pub now: Summary,
    pub clang: Option<Compiled>,
}

/// Writes the page.
pub fn page(devices: &[Device]) -> String {
    let mut text = NOTES.to_string();
    text += "\n## Means\n\n";
    text +=
        "| device | statistic | group | kernels | at first | now |\n|---|---|---|---|---|---|\n";
    for pair in devices {
        for group in pair.now.groups() {
            let cost = pair.now.cost();
            let first = match pair.first.mean(group, cost) {
                (_, 0) => String::new(),
                (first, _) => format!("{first:.2}"),
            };
            let (now, count) = pair.now.mean(group, cost);
            let name = &pair.name;
            let _ = writeln!(
                text,
                "| {name} | {cost} | {group} | {count} | {first} | {now:.2} |"
            );
        }
        let all = |summary: &Summary| {
            let entries = summary.entries.iter();
            mean(entries.filter_map(|entry| entry.ratio("registers"))).0
        };
        let (first, now) = (all(&pair.first), all(&pair.now));
        let count = pair.now.entries.len();
        let _ = writeln!(
            text,
            "| {} | registers | all | {count} | {first:.2} | {now:.2} |",
            pair.name
        );
    }
    text += &means_beside_clang(devices);
    for pair in devices {
        text += &device(pair);
        if let Some(clang) = &pair.clang {
            text += &beside_clang(pair, clang);
        }
    }
    text
}

/// Statistics of clang's machine code that the page shows.
const CLANGS: &[&str] = &["VALU", "SALU", "VMEM", "SMEM", "registers", "scratch"];

/// A kernel, and what clang makes of it.
fn clangs<'a>(entry: &Entry, clang: &'a Compiled) -> Option<&'a Statistics> {
    let key = (entry.group.clone(), entry.kernel.clone());
    clang.kernels.get(&key)
}

/// A statistic of a kernel divided by clang's.
fn ratio_to_clang(entry: &Entry, clang: &Statistics, name: &str) -> Option<f64> {
    let (ours, theirs) = (entry.ours.get(name)?, clang.get(name)?);
    (ours > 0.0 && theirs > 0.0).then(|| ours / theirs)
}

/// The means of ratios to clang's machine code, of kernels in which it has no loop.
fn means_beside_clang(devices: &[Device]) -> String {
    let mut text = String::from(
        "\n## Means beside clang\n\n| device | statistic | group | kernels | ratio |\n|---|---|---|---|---|\n",
    );
    for device in devices {
        let Some(clang) = &device.clang else { continue };
        for group in device.now.groups() {
            for name in ["VALU", "registers"] {
                let entries = device.now.entries.iter();
                let straight = entries
                    .filter(|entry| entry.group == group)
                    .filter_map(|entry| {
                        let theirs = clangs(entry, clang)?;
                        let ratio = ratio_to_clang(entry, theirs, name);
                        ratio.filter(|_| theirs.get("loops").is_none())
                    });
                let (ratio, count) = mean(straight);
                let _ = writeln!(
                    text,
                    "| {} | {name} | {group} | {count} | {ratio:.2} |",
                    device.name
                );
            }
        }
    }
    text
}

/// Each kernel on a device beside clang's.
fn beside_clang(device: &Device, clang: &Compiled) -> String {
    let mut text = format!(
        "\n### {} beside clang\n\n{}\n\n| group | kernel | ratio | {} | loops |\n|---|---|---|{}---|\n",
        device.name,
        clang.compiler,
        CLANGS.join(" | "),
        "---|".repeat(CLANGS.len())
    );
    for entry in &device.now.entries {
        let Some(theirs) = clangs(entry, clang) else {
            continue;
        };
        let ratio = ratio_to_clang(entry, theirs, "VALU");
        let ratio = ratio.map_or_else(String::new, |ratio| format!("{ratio:.2}"));
        let _ = write!(text, "| {} | {} | {ratio} |", entry.group, entry.kernel);
        for name in CLANGS {
            let value = |of: &Statistics| of.get(name).unwrap_or(0.0);
            let _ = write!(text, " {}:{} |", value(&entry.ours), value(theirs));
        }
        let _ = writeln!(text, " {} |", theirs.get("loops").unwrap_or(0.0));
    }
    text
}

/// Each kernel on a device.
fn device(pair: &Device) -> String {
    let names = pair.now.names();
    let mut text = format!(
        "\n## {}\n\n{}\n\n| group | kernel | ratio at first | ratio |",
        pair.name, pair.now.device
    );
    for name in &names {
        let _ = write!(text, " {name} |");
    }
    text += "\n|---|---|---|---|";
    text += &"---|".repeat(names.len());
    text.push('\n');
    for entry in &pair.now.entries {
        let before = pair.first.entries.iter();
        let mut before = before
            .filter(|before| (&before.group, &before.kernel) == (&entry.group, &entry.kernel));
        let ratio =
            |ratio: Option<f64>| ratio.map_or_else(String::new, |ratio| format!("{ratio:.2}"));
        let first = before
            .next()
            .and_then(|before| before.ratio(pair.first.cost()));
        let now = entry.ratio(pair.now.cost());
        let _ = write!(
            text,
            "| {} | {} | {} | {} |",
            entry.group,
            entry.kernel,
            ratio(first),
            ratio(now)
        );
        for name in &names {
            let value =
                |value: Option<f64>| value.map_or_else(String::new, |value| format!("{value}"));
            let (ours, glsl) = (value(entry.ours.get(name)), value(entry.glsl.get(name)));
            let _ = write!(text, " {ours}:{glsl} |");
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::command::devices;
    use super::page;
    use std::path::Path;

    #[test]
    fn the_page_is_made_of_the_committed_summaries() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let path = root.join("../docs/gpu-code.md");
        let committed = std::fs::read_to_string(path).expect("the page");
        let headings = committed
            .lines()
            .filter_map(|line| line.strip_prefix("## "));
        let names: Vec<&str> = headings.filter(|name| !name.starts_with("Means")).collect();
        let files = std::fs::read_dir(root.join("isa/summary")).expect("summaries");
        assert_eq!(names.len(), files.count());
        let folder = root.join("isa").display().to_string();
        let made = page(&devices(&folder, &names).expect("summaries"));
        assert!(
            made == committed,
            "PUMICE_BLESS=1 cargo xtask test isa writes it"
        );
    }
}
