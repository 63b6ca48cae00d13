//! The report as a page and as JSON.

use std::fmt::Write as _;
use std::io::Write as _;

use serde_json::{Value, json};

use crate::facts::{Facts, name_and_devices};
use crate::findings::Finding;
use crate::probe::Outcome;

/// Longest line of a list, in characters.
const WIDTH: usize = 100;

/// Writes to standard output. A reader that went away wants no more.
pub fn print(text: &str) {
    let _ = std::io::stdout().write_all(text.as_bytes());
}

/// Everything, for bug reports and scripts.
pub fn json(facts: &Facts, findings: &[Finding]) -> String {
    let mut whole = facts.json();
    let findings = findings.iter().map(|finding| {
        json!({ "problem": finding.problem, "cause": finding.cause, "cure": finding.cure })
    });
    whole["findings"] = findings.collect();
    format!("{whole:#}\n")
}

/// One page: the verdict, what is to be done, the facts.
pub fn text(facts: &Facts, findings: &[Finding]) -> String {
    let mut page = Page::default();
    let devices: u64 = facts
        .platforms()
        .iter()
        .filter(|(name, _)| name == "Pumice")
        .map(|(_, n)| n)
        .sum();
    let verdict = match (facts.works(), devices) {
        (false, _) => "OpenCL programs find no device of Pumice here.".to_string(),
        (true, 1) => "OpenCL programs find one device of Pumice here.".to_string(),
        (true, count) => format!("OpenCL programs find {count} devices of Pumice here."),
    };
    page.heading(&format!("Pumice {}: {verdict}", env!("CARGO_PKG_VERSION")));
    for (title, problems) in [("Problems", true), ("Notes", false)] {
        let chosen: Vec<_> = findings
            .iter()
            .filter(|finding| finding.problem == problems)
            .collect();
        if !chosen.is_empty() {
            page.heading(title);
            for finding in chosen {
                page.line(&format!("{}; {}", finding.cause, finding.cure));
            }
        }
    }
    system(&mut page, facts);
    if let Some(report) = facts.report() {
        let devices = report["devices"].as_array();
        for (number, device) in devices.into_iter().flatten().enumerate() {
            page.heading(&format!("Device {number}: {}", string(&device["name"])));
            self::device(&mut page, device);
        }
        driver(&mut page, report);
    }
    page.0
}

/// Text of a page.
#[derive(Default)]
struct Page(String);

impl Page {
    fn heading(&mut self, text: &str) {
        let space = if self.0.is_empty() { "" } else { "\n" };
        let _ = writeln!(self.0, "{space}{text}");
    }

    fn line(&mut self, text: &str) {
        let _ = writeln!(self.0, "  {text}");
    }

    fn field(&mut self, name: &str, value: &str) {
        let _ = writeln!(self.0, "  {name:12} {value}");
    }

    /// Words, on as many lines as they need.
    fn words(&mut self, name: &str, words: &[String]) {
        let (mut name, mut line) = (name, String::new());
        for (index, word) in words.iter().enumerate() {
            if !line.is_empty() && line.len() + word.len() > WIDTH - 15 {
                self.field(name, line.trim_end());
                (name, line) = ("", String::new());
            }
            line += word;
            line += if index + 1 < words.len() { ", " } else { "" };
        }
        if !line.is_empty() {
            self.field(name, &line);
        }
    }
}

fn string(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn strings(value: &Value) -> Vec<String> {
    let list = value.as_array().into_iter().flatten();
    list.map(|item| string(item).to_string()).collect()
}

/// Bytes in the unit that fits.
fn bytes(value: &Value) -> String {
    let bytes = value.as_u64().unwrap_or_default();
    let units = [("GiB", 30), ("MiB", 20), ("KiB", 10)];
    match units.iter().find(|(_, shift)| bytes >> shift > 0) {
        Some((unit, shift)) => {
            let tenths = ((bytes as f64) * 10.0 / ((1_u64 << shift) as f64)).round() / 10.0;
            format!("{tenths} {unit}")
        }
        None => format!("{bytes} bytes"),
    }
}

/// Loader, drivers, variables.
fn system(page: &mut Page, facts: &Facts) {
    page.heading("System");
    let driver = facts
        .library
        .as_ref()
        .map(|path| path.display().to_string());
    page.field("driver", &driver.unwrap_or("not found".to_string()));
    let platforms = facts.platforms().into_iter();
    let platforms: Vec<_> = platforms
        .map(|(name, count)| format!("{name} ({count})"))
        .collect();
    let loader = match &facts.loader {
        Outcome::Answer(answer, _) => {
            format!("{}: {}", string(&answer["library"]), platforms.join(", "))
        }
        outcome => outcome.trouble().unwrap_or_default(),
    };
    page.field("ICD loader", loader.trim_end_matches(": "));
    page.field("ICD files", &facts.place.path.display().to_string());
    for (vendor, outcome) in facts.vendors.iter().flatten() {
        let result = match outcome {
            Outcome::Answer(answer, _) => {
                let names = answer
                    .as_array()
                    .into_iter()
                    .flatten()
                    .map(name_and_devices);
                names.map(|(name, _)| name).collect::<Vec<_>>().join(", ")
            }
            outcome => outcome.trouble().unwrap_or_default(),
        };
        page.line(&format!(
            "  {}: {}: {result}",
            vendor.name(),
            vendor.library
        ));
    }
    let nodes: Vec<_> = facts
        .system
        .nodes
        .iter()
        .map(|(path, _)| path.display().to_string())
        .collect();
    page.words("GPU nodes", &nodes);
    if let Some(container) = facts.system.container {
        page.field("container", container);
    }
    let shown = facts
        .system
        .variables
        .iter()
        .filter(|(name, _)| *name != "HOME");
    for (name, value) in shown {
        page.line(&format!("{name}={value}"));
    }
}

fn device(page: &mut Page, device: &Value) {
    let limits = &device["limits"];
    let (opencl, vulkan) = (string(&device["opencl"]), string(&device["vulkan"]));
    page.field("versions", &format!("OpenCL {opencl} on Vulkan {vulkan}"));
    page.field("driver", string(&device["driver"]));
    let unified = if device["unified_memory"] == true {
        ", the host's"
    } else {
        ""
    };
    page.field(
        "memory",
        &format!(
            "{}{unified}; a buffer up to {}; local {}",
            bytes(&limits["global_memory"]),
            bytes(&limits["allocation"]),
            bytes(&limits["local_memory"])
        ),
    );
    let sizes = device["sub_group_sizes"].as_array().into_iter().flatten();
    let sizes: Vec<_> = sizes.map(Value::to_string).collect();
    page.field(
        "work-groups",
        &format!(
            "up to {} work-items, sub-groups of {}",
            limits["work_group"],
            sizes.join(" or ")
        ),
    );
    let offers = [
        ("doubles", "doubles"),
        ("images", "images"),
        ("shared_virtual_memory", "shared virtual memory"),
    ];
    let (mut has, mut lacks) = (Vec::new(), Vec::new());
    for (key, name) in offers {
        match device[key] == true {
            true => has.push(name.to_string()),
            false => lacks.push(name.to_string()),
        }
    }
    has.push(match string(&device["pointers"]) {
        "addresses" => "device addresses".to_string(),
        "mixed" => "device addresses, descriptors where they suffice".to_string(),
        _ => "descriptors in place of device addresses".to_string(),
    });
    page.words("offers", &has);
    lacks.extend(strings(&device["missing_features"]));
    page.words("lacks", &lacks);
    page.words("masked", &strings(&device["masked"]));
    let probes = device["probes"].as_object().into_iter().flatten();
    let inexact = probes
        .filter(|(_, value)| **value == false)
        .map(|(name, _)| name.replace('_', " "));
    page.words("probed: not", &inexact.collect::<Vec<_>>());
    let quirks = device["quirks"].as_array().into_iter().flatten();
    let quirks: Vec<_> = quirks
        .map(|quirk| string(&quirk["name"]).to_string())
        .collect();
    page.words("quirks", &quirks);
}

/// The part of the builds that the cache had, for behind other words; empty before the first build.
fn hit_rate(cache: &Value) -> String {
    let [hits, misses] = ["hits", "misses"].map(|name| cache[name].as_u64().unwrap_or(0));
    let all = hits.saturating_add(misses);
    match all {
        0 => String::new(),
        _ => {
            let percent = u128::from(hits) * 100 / u128::from(all);
            format!("; it had {percent} % of {all} builds")
        }
    }
}

/// Devices left out, cache and configuration.
fn driver(page: &mut Page, report: &Value) {
    let cache = &report["cache"];
    page.heading("Cache");
    match string(&cache["folder"]) {
        "" => page.line(if cache["fault"].is_null() {
            "off"
        } else {
            string(&cache["fault"])
        }),
        folder => page.line(&format!(
            "{folder}: {} entries, {} of {}{}",
            cache["entries"],
            bytes(&cache["bytes"]),
            bytes(&cache["limit"]),
            hit_rate(cache)
        )),
    }
    let configuration = &report["configuration"];
    let options = configuration["options"].as_array().into_iter().flatten();
    let options: Vec<_> = options.collect();
    let file = string(&configuration["file"]);
    if options.is_empty() && file.is_empty() {
        return;
    }
    page.heading("Configuration");
    if !file.is_empty() {
        page.field("file", file);
    }
    for option in options {
        let (name, value) = (string(&option["name"]), string(&option["value"]));
        page.line(&format!("{name}={value} ({})", string(&option["from"])));
    }
}

#[cfg(test)]
mod tests {
    use super::{Page, bytes, hit_rate};
    use serde_json::json;

    #[test]
    fn bytes_have_the_unit_that_fits() {
        assert_eq!(bytes(&json!(1536)), "1.5 KiB");
        assert_eq!(bytes(&json!(5_u64 << 30)), "5 GiB");
        assert_eq!(bytes(&json!(7)), "7 bytes");
    }

    #[test]
    fn the_hit_rate_needs_builds() {
        assert_eq!(hit_rate(&json!({})), "");
        assert_eq!(hit_rate(&json!({"hits": 0, "misses": 0})), "");
        let some = json!({"hits": 2, "misses": 1});
        assert_eq!(hit_rate(&some), "; it had 66 % of 3 builds");
    }

    #[test]
    fn long_lists_take_several_lines() {
        let mut page = Page::default();
        let words: Vec<String> = (0..40).map(|n| format!("word{n}")).collect();
        page.words("list", &words);
        assert!(page.0.lines().count() > 2 && page.0.lines().all(|line| line.len() <= 100));
        assert!(page.0.ends_with("word39\n"));
    }
}
