//! What was measured: ratios of two drivers, as a table and as JSON.

use super::Clock;
use serde_json::{Value, json};
use std::fmt::Write;

/// A row's figures on each driver, one per round, or why there are none.
#[derive(Clone, Debug)]
pub(super) struct Figure {
    pub name: &'static str,
    pub unit: &'static str,
    /// Whether more is better.
    pub more: bool,
    /// Whether it counts in the kernels' mean.
    pub is_kernel: bool,
    pub values: Vec<std::result::Result<Vec<f64>, String>>,
}

impl Figure {
    /// How much better the first driver is than the second: median of the rounds, least, most.
    fn ratio(&self) -> Option<[f64; 3]> {
        let [Ok(first), Ok(second)] = &self.values[..] else {
            return None;
        };
        let ratios: Vec<f64> = (first.iter().zip(second))
            .map(|(a, b)| if self.more { a / b } else { b / a })
            .collect();
        Some([median(&ratios), least(&ratios), most(&ratios)])
    }
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN)
}

fn least(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::INFINITY, f64::min)
}

fn most(values: &[f64]) -> f64 {
    values.iter().copied().fold(0.0, f64::max)
}

/// A whole run.
#[derive(Clone, Debug)]
pub struct Report {
    pub(super) drivers: Vec<String>,
    pub(super) figures: Vec<Figure>,
    /// What the kernels were timed with.
    pub(super) clock: Clock,
}

impl Report {
    /// A Markdown table.
    pub fn table(&self) -> String {
        let mut text = String::new();
        for (index, driver) in self.drivers.iter().enumerate() {
            let _ = writeln!(text, "- driver {}: {driver}", index + 1);
        }
        if self.clock == Clock::Processor {
            text += "- kernels by the processor time of all threads, not by the wall's\n";
        }
        let two = self.drivers.len() == 2;
        text += "\n| figure | unit | driver 1 |";
        text += if two {
            " driver 2 | ratio (least–most) |\n"
        } else {
            "\n"
        };
        text += if two {
            "|---|---|---|---|---|\n"
        } else {
            "|---|---|---|\n"
        };
        for figure in &self.figures {
            let _ = write!(text, "| {} | {} |", figure.name, figure.unit);
            for values in &figure.values {
                let _ = match values {
                    Ok(values) => write!(text, " {} |", short(median(values))),
                    Err(why) => write!(text, " failed: {} |", why.replace('|', "/")),
                };
            }
            match figure.ratio() {
                Some([middle, least, most]) => {
                    let _ = write!(text, " {middle:.2} ({least:.2}–{most:.2}) |");
                }
                None if two => text += " – |",
                None => {}
            }
            text.push('\n');
        }
        if let Some(mean) = self.mean_of_kernels() {
            let _ = writeln!(text, "\nGeometric mean of the kernels' ratios: {mean:.2}");
        }
        text
    }

    /// The geometric mean of the ratios of the rows that are kernels.
    fn mean_of_kernels(&self) -> Option<f64> {
        let logs: Vec<f64> = (self.figures.iter())
            .filter(|figure| figure.is_kernel)
            .filter_map(|figure| Some(figure.ratio()?[0].ln()))
            .collect();
        (!logs.is_empty()).then(|| (logs.iter().sum::<f64>() / logs.len() as f64).exp())
    }

    /// Everything, every round.
    pub fn json(&self) -> Value {
        let figures: Vec<Value> = (self.figures.iter())
            .map(|figure| {
                let values: Vec<Value> = (figure.values.iter())
                    .map(|values| match values {
                        Ok(values) => json!(values),
                        Err(why) => json!({ "failed": why }),
                    })
                    .collect();
                json!({
                    "name": figure.name,
                    "unit": figure.unit,
                    "more_is_better": figure.more,
                    "rounds": values,
                    "ratio": figure.ratio(),
                })
            })
            .collect();
        json!({ "drivers": self.drivers, "processor_time": self.clock == Clock::Processor, "figures": figures, "kernels_mean": self.mean_of_kernels() })
    }
}

/// Three significant digits.
fn short(value: f64) -> String {
    let digits = if value == 0.0 {
        0.0
    } else {
        2.0 - value.abs().log10().floor()
    };
    format!("{value:.*}", digits.clamp(0.0, 6.0) as usize)
}

#[cfg(test)]
mod tests {
    use super::{Clock, Figure, Report, short};

    #[test]
    fn a_ratio_above_one_is_the_first_driver_s_favour() {
        let figure = |more, first: &[f64], second: &[f64]| Figure {
            name: "saxpy",
            unit: "",
            more,
            is_kernel: true,
            values: vec![Ok(first.to_vec()), Ok(second.to_vec())],
        };
        let faster = figure(true, &[4.0, 6.0, 2.0], &[2.0, 2.0, 2.0]);
        assert_eq!(faster.ratio(), Some([2.0, 1.0, 3.0]));
        let sooner = figure(false, &[1.0], &[4.0]);
        assert_eq!(sooner.ratio(), Some([4.0, 4.0, 4.0]));
        let failed = Figure {
            values: vec![Ok(vec![1.0]), Err("why".into())],
            ..sooner
        };
        assert_eq!(failed.ratio(), None);
        let report = Report {
            drivers: vec!["a".into(), "b".into()],
            figures: vec![faster, failed],
            clock: Clock::Wall,
        };
        assert_eq!(report.mean_of_kernels(), Some(2.0));
        assert!(report.table().contains("| 2.00 (1.00–3.00) |"));
        assert!(report.table().contains("failed: why"));
    }

    #[test]
    fn three_digits() {
        assert_eq!(short(1234.5), "1234");
        assert_eq!(short(12.345), "12.3");
        assert_eq!(short(0.012345), "0.0123");
        assert_eq!(short(0.0), "0");
    }
}
