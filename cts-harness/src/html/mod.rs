//! One self-contained HTML page of one run or several side by side.
//!
//! Everything is in the page as markup (suites are `<details>`, logs too), so that it can be read
//! without scripts; the script only filters.

use crate::apps::{APPS, SUITE};
use crate::expect::Deviation;
use crate::facts;
use crate::progress::span;
use crate::result::{Counts, Outcome, Run, Status};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

const STYLE: &str = include_str!("report.css");
const SCRIPT: &str = include_str!("report.js");

/// A run with what the page says about it.
#[derive(Clone, Debug)]
pub struct Column {
    /// Heading, e.g. `Pumice`.
    pub title: String,
    /// The run.
    pub run: Run,
    /// Differences from the expectations.
    pub deviations: Vec<Deviation>,
}

/// Text that is safe between tags and in attributes.
pub fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            // Drop control characters, which XML forbids: escapes, backspaces.
            c if c.is_control() && c != '\n' && c != '\t' => {}
            c => safe.push(c),
        }
    }
    safe
}

/// Suites in the order of the first run that has them, and each one's sub-tests likewise.
fn tree(columns: &[Column]) -> Vec<(&str, Vec<&str>)> {
    let mut suites: Vec<(&str, Vec<&str>)> = Vec::new();
    let mut at: BTreeMap<&str, usize> = BTreeMap::new();
    let mut seen: BTreeSet<(&str, &str)> = BTreeSet::new();
    for outcome in columns.iter().flat_map(|column| &column.run.outcomes) {
        let index = *at.entry(&outcome.suite).or_insert_with(|| {
            suites.push((&outcome.suite, Vec::new()));
            suites.len() - 1
        });
        if seen.insert((&outcome.suite, &outcome.test)) {
            suites[index].1.push(&outcome.test);
        }
    }
    suites
}

/// The page; `what` opens its heading, e.g. `OpenCL-CTS`.
pub fn page(what: &str, columns: &[Column]) -> String {
    let names: Vec<&str> = columns.iter().map(|c| c.title.as_str()).collect();
    let title = format!("{what}: {}", names.join(" · "));
    let mut html = format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n<meta name=\"viewport\" \
         content=\"width=device-width, initial-scale=1\">\n<title>{0}</title>\n<style>\n{STYLE}</style>\
         </head><body>\n<h1>{0}</h1>\n",
        escape(&title)
    );
    facts_table(&mut html, columns);
    html.push_str(
        "<h2>Suites</h2>\n<div class=\"filter\"><input id=\"words\" type=\"search\" \
         placeholder=\"suite or sub-test\"> <select id=\"rows\"><option value=\"all\">all\
         <option value=\"bad\">not passing<option value=\"differ\">runs differ\
         <option value=\"unexpected\">not as expected</select> <button id=\"unfold\">unfold</button> \
         <button id=\"fold\">fold</button> <span id=\"found\" class=\"s\"></span></div>\n",
    );
    let grid = format!(
        "grid-template-columns: 30% repeat({}, minmax(0, 1fr))",
        columns.len()
    );
    let _ = write!(
        html,
        "<div class=\"head\" style=\"{grid}\"><span>suite</span>"
    );
    for column in columns {
        let _ = write!(html, "<span>{}</span>", escape(&column.title));
    }
    html.push_str("</div>\n");
    let results: Vec<BTreeMap<(&str, &str), &Outcome>> =
        columns.iter().map(|column| column.run.by_name()).collect();
    let unexpected: Vec<BTreeMap<(&str, &str), &Deviation>> = columns
        .iter()
        .map(|column| {
            (column.deviations.iter())
                .map(|d| ((d.suite.as_str(), d.test.as_str()), d))
                .collect()
        })
        .collect();
    let counts: Vec<BTreeMap<String, Counts>> = columns
        .iter()
        .map(|column| column.run.counts().into_iter().collect())
        .collect();
    let suites = tree(columns);
    let _ = write!(
        html,
        "<div class=\"head\" style=\"{grid}\"><span>all</span>"
    );
    for counts in &counts {
        let mut total = Counts::new();
        for (status, count) in counts.values().flatten() {
            *total.entry(*status).or_default() += count;
        }
        let _ = write!(html, "<span>{}</span>", bar(Some(&total)));
    }
    html.push_str("</div>\n");
    let open = if suites.len() == 1 { " open" } else { "" };
    for (suite, tests) in &suites {
        let _ = write!(
            html,
            "<details class=\"suite\" data-name=\"{0}\"{open}><summary class=\"suite\" style=\"{grid}\">\
             <span>{0}</span>",
            escape(suite)
        );
        for counts in &counts {
            let _ = write!(html, "<span>{}</span>", bar(counts.get(*suite)));
        }
        html.push_str("</summary><table class=\"tests\">\n");
        for test in tests {
            let key = (*suite, *test);
            let row: Vec<Option<&Outcome>> =
                results.iter().map(|run| run.get(&key).copied()).collect();
            let odd: Vec<Option<&Deviation>> = unexpected
                .iter()
                .map(|list| list.get(&key).copied())
                .collect();
            let app = (APPS.iter()).find(|app| *suite == SUITE && app.name == *test);
            test_row(
                &mut html,
                test,
                app.map_or("", |app| app.exercises),
                &row,
                &odd,
            );
        }
        html.push_str("</table></details>\n");
    }
    let _ = write!(html, "<script>\n{SCRIPT}</script></body></html>\n");
    html
}

/// A bar of the counts with the numbers beneath.
fn bar(counts: Option<&Counts>) -> String {
    let Some(counts) = counts else {
        return "<span class=\"counts\">not run</span>".to_string();
    };
    let total: usize = counts.values().sum();
    let mut html = String::from("<div class=\"bar\">");
    let mut words = Vec::new();
    for status in Status::ALL {
        let Some(&count) = counts.get(&status) else {
            continue;
        };
        let share = 100.0 * count as f64 / total.max(1) as f64;
        let word = status.word();
        let _ = write!(html, "<i class=\"{word}\" style=\"width:{share:.2}%\"></i>");
        // Lines break between the words, not inside one.
        words.push(format!("{count}&nbsp;{word}"));
    }
    let _ = write!(
        html,
        "</div><span class=\"counts\">{}</span>",
        words.join(" · ")
    );
    html
}

/// A sub-test's row with what it is about; its data attributes are what the filter asks.
fn test_row(
    html: &mut String,
    test: &str,
    about: &str,
    row: &[Option<&Outcome>],
    odd: &[Option<&Deviation>],
) {
    let bad = row
        .iter()
        .flatten()
        .any(|o| !matches!(o.status, Status::Pass | Status::Skip));
    let first = row.first().and_then(|o| o.map(|o| o.status));
    let differ = row.iter().any(|o| o.map(|o| o.status) != first);
    let flag = |yes: bool| if yes { "1" } else { "0" };
    let _ = write!(
        html,
        "<tr data-test=\"{0}\" data-bad=\"{1}\" data-differ=\"{2}\" data-unexpected=\"{3}\">\
         <td>{0}",
        escape(test),
        flag(bad),
        flag(differ),
        flag(odd.iter().any(Option::is_some)),
    );
    if !about.is_empty() {
        let _ = write!(html, "<br><span class=\"s\">{}</span>", escape(about));
    }
    html.push_str("</td>");
    for (outcome, odd) in row.iter().zip(odd) {
        html.push_str("<td>");
        let Some(outcome) = outcome else {
            html.push_str("<span class=\"none mark\">–</span></td>");
            continue;
        };
        let word = outcome.status.word();
        let processor = (outcome.processor_seconds)
            .map(|seconds| format!(", {seconds:.1} s of processors"))
            .unwrap_or_default();
        let head = format!(
            "<span class=\"{word} mark\">{word}</span> <span class=\"s\">{:.1} s{processor}</span>",
            outcome.seconds
        );
        let head = match odd {
            Some(odd) => {
                let words: Vec<&str> = odd.expected.iter().map(|s| s.word()).collect();
                format!(
                    "{head}<span class=\"unexpected\">expected {}</span>",
                    words.join(" or ")
                )
            }
            None => head,
        };
        if outcome.log.trim().is_empty() {
            html.push_str(&head);
        } else {
            let _ = write!(
                html,
                "<details><summary>{head}</summary><pre>{}</pre></details>",
                escape(outcome.log.trim())
            );
        }
        html.push_str("</td>");
    }
    html.push_str("</tr>\n");
}

/// Facts of all runs, one column each.
fn facts_table(html: &mut String, columns: &[Column]) {
    // Facts that identify a run come first, the rest in alphabetical order.
    const FIRST: [&str; 6] = [
        facts::PLATFORM,
        facts::DEVICE,
        "device version",
        "driver version",
        facts::VULKAN_DRIVER,
        "tier",
    ];
    let keys: BTreeSet<&str> = columns
        .iter()
        .flat_map(|column| column.run.facts.keys().map(String::as_str))
        .collect();
    html.push_str("<table class=\"facts\"><tr><th></th>");
    for column in columns {
        let _ = write!(html, "<th class=\"run\">{}</th>", escape(&column.title));
    }
    html.push_str("</tr>\n");
    let fact = |key: &str| -> Vec<String> {
        (columns.iter())
            .map(|c| c.run.facts.get(key).cloned().unwrap_or_default())
            .collect()
    };
    for key in FIRST.into_iter().filter(|key| keys.contains(key)) {
        facts_row(html, key, &fact(key));
    }
    let time = |c: &Column| span(c.run.outcomes.iter().map(|o| o.seconds).sum());
    let times: Vec<String> = columns.iter().map(time).collect();
    facts_row(html, "sub-tests' time", &times);
    let left_out = |c: &Column| {
        let list: Vec<String> = (c.run.left_out.iter())
            .map(|(suite, why)| format!("{suite}: {why}"))
            .collect();
        list.join("; ")
    };
    let left_out: Vec<String> = columns.iter().map(left_out).collect();
    if left_out.iter().any(|list| !list.is_empty()) {
        facts_row(html, "not run", &left_out);
    }
    html.push_str("</table>\n<details><summary>more facts</summary><table class=\"facts\">\n");
    for key in keys.iter().filter(|key| !FIRST.contains(key)) {
        facts_row(html, key, &fact(key));
    }
    html.push_str("</table></details>\n");
}

fn facts_row(html: &mut String, name: &str, cells: &[String]) {
    let _ = write!(html, "<tr><td>{}</td>", escape(name));
    for cell in cells {
        let text = escape(cell);
        let _ = if cell.len() > 300 {
            let words = cell.split_whitespace().count();
            write!(
                html,
                "<td><details><summary>{words} words</summary>{text}</details></td>"
            )
        } else {
            write!(html, "<td>{text}</td>")
        };
    }
    html.push_str("</tr>\n");
}

#[cfg(test)]
mod tests {
    use super::{APPS, Column, SUITE, escape, page};
    use crate::result::{Outcome, Run, Status};

    fn column(title: &str, status: Status) -> Column {
        let outcome = Outcome {
            suite: "basic".to_string(),
            test: "a<b".to_string(),
            status,
            seconds: 1.5,
            processor_seconds: Some(2.2),
            log: "x < \"y\" & \u{1b}[0m\n".to_string(),
        };
        Column {
            title: title.to_string(),
            run: Run {
                outcomes: vec![outcome],
                ..Run::default()
            },
            deviations: Vec::new(),
        }
    }

    #[test]
    fn a_page_shows_runs_side_by_side_and_escapes_what_tests_print() {
        let html = page(
            "OpenCL-CTS",
            &[column("one", Status::Pass), column("two", Status::Crash)],
        );
        assert!(html.contains("data-test=\"a&lt;b\" data-bad=\"1\" data-differ=\"1\""));
        assert!(html.contains("x &lt; &quot;y&quot; &amp; [0m"));
        assert!(!html.contains('\u{1b}'));
        // Nothing is fetched from elsewhere.
        assert!(!html.contains("http") && !html.contains("src="));
        for (open, close) in [
            ("<table", "</table>"),
            ("<details", "</details>"),
            ("<tr", "</tr>"),
        ] {
            assert_eq!(
                html.matches(open).count(),
                html.matches(close).count(),
                "{open}"
            );
        }
    }

    #[test]
    fn an_application_says_what_it_exercises_and_its_times() {
        let mut column = column("one", Status::Pass);
        column.run.outcomes[0].suite = SUITE.to_string();
        column.run.outcomes[0].test = APPS[0].name.to_string();
        let html = page("Applications", &[column]);
        // The only suite is unfolded.
        assert!(html.contains(&format!("data-name=\"{SUITE}\" open>")));
        assert!(html.contains(APPS[0].exercises));
        assert!(html.contains("1.5 s, 2.2 s of processors"));
    }

    #[test]
    fn control_characters_are_dropped() {
        assert_eq!(escape("a\u{8}b\n"), "ab\n");
    }
}
