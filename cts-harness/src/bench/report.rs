//! Results: ratios of two drivers and to Vulkan alone, as a table and as JSON.

use super::Clock;
use serde_json::{Value, json};
use std::fmt::Write;

/// Figures of the rounds, or why there are none.
pub(super) type Values = std::result::Result<Vec<f64>, String>;

/// A row's figures on each driver.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Figure {
    pub name: String,
    pub unit: String,
    /// True if a larger figure is better.
    pub more: bool,
    /// True if the row counts in the kernels' mean.
    pub is_kernel: bool,
    /// One per driver.
    pub values: Vec<Values>,
    /// Figures of Vulkan alone, if they can be measured.
    pub floor: Option<Values>,
}

/// A ratio over the rounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Ratio {
    pub median: f64,
    pub least: f64,
    pub most: f64,
}

/// The median of the rounds, or why there is none.
fn shown(values: &Values) -> String {
    match values {
        Ok(values) => short(median(values)),
        Err(why) => format!("failed: {}", reason(why)),
    }
}

impl Figure {
    /// The medians in a line: `saxpy: 2000, 1900 GB/s; Vulkan alone 2100`.
    pub(super) fn line(&self) -> String {
        let values: Vec<String> = self.values.iter().map(shown).collect();
        let floor = self.floor.as_ref().map(shown);
        let floor = floor.map_or(String::new(), |floor| format!("; Vulkan alone {floor}"));
        format!("{}: {} {}{floor}", self.name, values.join(", "), self.unit)
    }

    /// Returns the ratio of the first driver to the second; above 1 is better.
    pub(super) fn ratio(&self) -> Option<Ratio> {
        let [first, second] = &self.values[..] else {
            return None;
        };
        self.better(first, second)
    }

    /// Returns the ratio of the first driver to Vulkan alone; at most about 1.
    pub(super) fn floor_ratio(&self) -> Option<Ratio> {
        self.better(self.values.first()?, self.floor.as_ref()?)
    }

    fn better(&self, first: &Values, second: &Values) -> Option<Ratio> {
        let (Ok(first), Ok(second)) = (first, second) else {
            return None;
        };
        let ratios: Vec<f64> = (first.iter().zip(second))
            .map(|(a, b)| if self.more { a / b } else { b / a })
            .filter(|ratio| ratio.is_finite())
            .collect();
        (!ratios.is_empty()).then(|| Ratio {
            median: median(&ratios),
            least: ratios.iter().copied().fold(f64::INFINITY, f64::min),
            most: ratios.iter().copied().fold(0.0, f64::max),
        })
    }
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN)
}

/// A whole run.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    pub(super) drivers: Vec<String>,
    /// The device that Vulkan alone was measured on.
    pub(super) twin: Option<String>,
    pub(super) figures: Vec<Figure>,
    /// Clock that timed the kernels.
    pub(super) clock: Clock,
}

impl Report {
    /// A Markdown table.
    pub fn table(&self) -> String {
        let mut text = String::new();
        for (index, driver) in self.drivers.iter().enumerate() {
            let _ = writeln!(text, "- driver {}: {driver}", index + 1);
        }
        if let Some(twin) = &self.twin {
            let _ = writeln!(text, "- Vulkan alone: {twin}");
        }
        if self.clock == Clock::Processor {
            text += "- kernels by the processor time of all threads, not by the wall's\n";
        }
        let two = self.drivers.len() == 2;
        let floors = self.figures.iter().any(|figure| figure.floor.is_some());
        let mut heads = vec!["figure", "unit", "driver 1"];
        if two {
            heads.extend(["driver 2", "driver 1 against 2 (least–most)"]);
        }
        if floors {
            heads.extend(["Vulkan alone", "driver 1 against that"]);
        }
        let _ = writeln!(text, "\n| {} |", heads.join(" | "));
        let _ = writeln!(text, "|{}", "---|".repeat(heads.len()));
        let ratio = |ratio: Option<Ratio>| match ratio {
            Some(r) => format!("{:.2} ({:.2}–{:.2})", r.median, r.least, r.most),
            None => "–".to_string(),
        };
        for figure in &self.figures {
            let mut cells = vec![figure.name.clone(), figure.unit.clone()];
            cells.extend(figure.values.iter().map(shown));
            if two {
                cells.push(ratio(figure.ratio()));
            }
            if floors {
                cells.push(figure.floor.as_ref().map_or("–".to_string(), shown));
                cells.push(ratio(figure.floor_ratio()));
            }
            let _ = writeln!(text, "| {} |", cells.join(" | "));
        }
        if let Some(mean) = self.mean_of_kernels() {
            let _ = writeln!(text, "\nGeometric mean of the kernels' ratios: {mean:.2}");
        }
        if let Some(mean) = self.mean_of(|figure| figure.name.starts_with(super::math::PREFIX)) {
            let _ = writeln!(
                text,
                "\nGeometric mean of the math functions' ratios: {mean:.2}"
            );
        }
        text
    }

    /// The geometric mean of the ratios of the rows that are kernels.
    fn mean_of_kernels(&self) -> Option<f64> {
        self.mean_of(|figure| figure.is_kernel)
    }

    fn mean_of(&self, wanted: impl Fn(&Figure) -> bool) -> Option<f64> {
        let logs: Vec<f64> = (self.figures.iter())
            .filter(|figure| wanted(figure))
            .filter_map(|figure| Some(figure.ratio()?.median.ln()))
            .collect();
        (!logs.is_empty()).then(|| (logs.iter().sum::<f64>() / logs.len() as f64).exp())
    }

    /// Everything, every round.
    pub fn json(&self) -> Value {
        let rounds = |values: &Values| match values {
            Ok(values) => json!(values),
            Err(why) => json!({ "failed": why }),
        };
        let list = |ratio: Ratio| [ratio.median, ratio.least, ratio.most];
        let figures: Vec<Value> = (self.figures.iter())
            .map(|figure| {
                json!({
                    "name": figure.name,
                    "unit": figure.unit,
                    "more_is_better": figure.more,
                    "is_kernel": figure.is_kernel,
                    "rounds": figure.values.iter().map(rounds).collect::<Vec<_>>(),
                    "vulkan_alone": figure.floor.as_ref().map(rounds),
                    "ratio": figure.ratio().map(list),
                    "ratio_to_vulkan_alone": figure.floor_ratio().map(list),
                })
            })
            .collect();
        json!({
            "drivers": self.drivers,
            "vulkan_alone": self.twin,
            "processor_time": self.clock == Clock::Processor,
            "figures": figures,
            "kernels_mean": self.mean_of_kernels(),
        })
    }

    /// Reads the output of [`Report::json`].
    ///
    /// # Errors
    /// The name of the missing field.
    pub fn from_json(value: &Value) -> std::result::Result<Report, String> {
        let rounds = |value: &Value| match value.as_array() {
            Some(list) => Ok(list.iter().filter_map(Value::as_f64).collect()),
            None => Err(value["failed"].as_str().unwrap_or_default().to_string()),
        };
        let list = |value: &Value, key: &str| {
            let list = value[key].as_array().cloned();
            list.ok_or_else(|| format!("no list {key:?}"))
        };
        let text = |value: &Value, key: &str| {
            let text = value[key].as_str().map(String::from);
            text.ok_or_else(|| format!("no text {key:?}"))
        };
        let mut figures = Vec::new();
        for figure in list(value, "figures")? {
            let floor = &figure["vulkan_alone"];
            figures.push(Figure {
                name: text(&figure, "name")?,
                unit: text(&figure, "unit")?,
                more: figure["more_is_better"] == true,
                is_kernel: figure["is_kernel"] == true,
                values: list(&figure, "rounds")?.iter().map(rounds).collect(),
                floor: (!floor.is_null()).then(|| rounds(floor)),
            });
        }
        let drivers = list(value, "drivers")?;
        Ok(Report {
            drivers: (drivers.iter())
                .map(|driver| driver.as_str().unwrap_or_default().to_string())
                .collect(),
            twin: value["vulkan_alone"].as_str().map(String::from),
            figures,
            clock: if value["processor_time"] == true {
                Clock::Processor
            } else {
                Clock::Wall
            },
        })
    }
}

/// Three significant digits.
pub(super) fn short(value: f64) -> String {
    let digits = if value == 0.0 {
        0.0
    } else {
        2.0 - value.abs().log10().floor()
    };
    format!("{value:.*}", digits.clamp(0.0, 6.0) as usize)
}

/// Gives the reason why a row has no figure, for a cell of a table: the first line, without the paths that compilers write into it.
fn reason(why: &str) -> String {
    let words = why.lines().next().unwrap_or_default().split(' ');
    let words: Vec<&str> = words.filter(|word| !word.contains('/')).collect();
    words.join(" ").replace('|', "/")
}

#[cfg(test)]
pub(super) mod tests {
    use super::{Clock, Figure, Ratio, Report, Values, short};

    pub(in crate::bench) fn figure(more: bool, values: Vec<Values>) -> Figure {
        Figure {
            name: "saxpy".to_string(),
            unit: String::new(),
            more,
            is_kernel: true,
            values,
            floor: None,
        }
    }

    pub(in crate::bench) fn report(figures: Vec<Figure>) -> Report {
        Report {
            drivers: vec!["a".into(), "b".into()],
            twin: Some("c".into()),
            figures,
            clock: Clock::Wall,
        }
    }

    #[test]
    fn a_ratio_above_one_is_the_first_driver_s_favour() {
        let faster = figure(true, vec![Ok(vec![4.0, 6.0, 2.0]), Ok(vec![2.0, 2.0, 2.0])]);
        let ratio = |median, least, most| {
            Some(Ratio {
                median,
                least,
                most,
            })
        };
        assert_eq!(faster.ratio(), ratio(2.0, 1.0, 3.0));
        let mut sooner = figure(false, vec![Ok(vec![1.0]), Ok(vec![4.0])]);
        sooner.floor = Some(Ok(vec![0.5]));
        assert_eq!(sooner.ratio(), ratio(4.0, 4.0, 4.0));
        assert_eq!(sooner.floor_ratio(), ratio(0.5, 0.5, 0.5));
        let failed = figure(
            true,
            vec![Ok(vec![1.0]), Err("why: /tmp/file.cl:1 error\nmore".into())],
        );
        assert_eq!(failed.ratio(), None);
        let report = report(vec![faster, failed, sooner]);
        let mean = report.mean_of_kernels().unwrap();
        assert!((mean - 8f64.sqrt()).abs() < 1e-9, "{mean}");
        let table = report.table();
        assert!(table.contains("| 2.00 (1.00–3.00) | – | – |"), "{table}");
        assert!(table.contains("failed: why: error"), "{table}");
        assert!(table.contains("| 4.00 (4.00–4.00) | 0.500 | 0.50 (0.50–0.50) |"));
        let columns: Vec<usize> = (table.lines().filter(|line| line.starts_with('|')))
            .map(|line| line.matches('|').count())
            .collect();
        assert!(columns.iter().all(|count| *count == 8), "{table}");
        assert_eq!(Report::from_json(&report.json()), Ok(report));
    }

    #[test]
    fn three_digits() {
        assert_eq!(short(1234.5), "1234");
        assert_eq!(short(12.345), "12.3");
        assert_eq!(short(0.012345), "0.0123");
        assert_eq!(short(0.0), "0");
    }
}
