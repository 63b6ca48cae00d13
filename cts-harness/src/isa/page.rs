//! The page of the documentation, made from summaries alone.

use super::summary::{Summary, mean};
use std::fmt::Write as _;

/// Text before the tables.
const NOTES: &str = include_str!("../../isa/notes.md");

/// A device's summaries: its name on the page, the first that was ever taken, and the latest.
pub struct Pair {
    pub name: String,
    pub first: Summary,
    pub now: Summary,
}

/// Writes the page.
pub fn page(pairs: &[Pair]) -> String {
    let mut text = NOTES.to_string();
    text += "\n## Means\n\n";
    text +=
        "| device | statistic | group | kernels | at first | now |\n|---|---|---|---|---|---|\n";
    for pair in pairs {
        for group in pair.now.groups() {
            let cost = pair.now.cost();
            let (first, _) = pair.first.mean(group, cost);
            let (now, count) = pair.now.mean(group, cost);
            let name = &pair.name;
            let _ = writeln!(
                text,
                "| {name} | {cost} | {group} | {count} | {first:.2} | {now:.2} |"
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
    for pair in pairs {
        text += &device(pair);
    }
    text
}

/// Each kernel on a device.
fn device(pair: &Pair) -> String {
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
    use super::super::command::pairs;
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
        let names: Vec<&str> = headings.filter(|name| *name != "Means").collect();
        let files = std::fs::read_dir(root.join("isa/summary")).expect("summaries");
        assert_eq!(names.len(), files.count());
        let folder = root.join("isa").display().to_string();
        let made = page(&pairs(&folder, &names).expect("summaries"));
        assert!(
            made == committed,
            "PUMICE_BLESS=1 cargo xtask test isa writes it"
        );
    }
}
