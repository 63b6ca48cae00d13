//! Ratios as a picture: one bar a figure on a logarithmic axis around 1, with the spread.

use super::report::{Figure, Report, short};
use crate::html::escape;
use std::fmt::Write;

const WIDTH: f64 = 420.0;
/// The width of a character of the text, at most on average.
const CHARACTER: f64 = 6.2;
/// Space between texts and bars, and around the picture.
const GAP: f64 = 8.0;
const ROW: f64 = 18.0;
const TOP: f64 = 44.0;

/// Colours on light and dark pages; the ground is the page's own.
const STYLE: &str = "<style>\
    text{fill:#222}.mark{fill:#666}.one{stroke:#444}.grid{stroke:#ddd}.spread{stroke:#222}\
    .good{fill:#2e9e5b}.bad{fill:#d98a1f}\
    @media(prefers-color-scheme:dark){text{fill:#ddd}.mark{fill:#999}.one{stroke:#aaa}\
    .grid{stroke:#444}.spread{stroke:#eee}}</style>\n";

/// The width that the longest of some texts needs.
fn widest<'a>(texts: impl Iterator<Item = &'a str>) -> f64 {
    let longest = texts.map(|text| text.chars().count()).max();
    CHARACTER * longest.unwrap_or(0) as f64 + 2.0 * GAP
}

/// Round numbers that an axis from `least` to `most` is marked with, 1 among them.
fn marks(least: f64, most: f64) -> Vec<f64> {
    let (from, to) = (least.log10().floor() as i32, most.log10().ceil() as i32);
    let decades = (from..=to).map(|decade| 10f64.powi(decade));
    let fine = if to - from <= 2 {
        &[1.0, 2.0, 5.0][..]
    } else {
        &[1.0][..]
    };
    decades
        .flat_map(|decade| fine.iter().map(move |step| decade * step))
        .filter(|mark| (least..=most).contains(mark))
        .collect()
}

impl Report {
    /// An SVG of the ratios of the rows that are kernels, or of the others; `None` when there is
    /// nothing to compare.
    pub fn plot(&self, kernels: bool) -> Option<String> {
        let rows: Vec<(&Figure, [f64; 3])> = (self.figures.iter())
            .filter(|figure| figure.is_kernel == kernels)
            .filter_map(|figure| {
                let ratio = figure.ratio()?;
                let all = [ratio.median, ratio.least, ratio.most];
                all.iter().all(|x| *x > 0.0).then_some((figure, all))
            })
            .collect();
        if rows.is_empty() {
            return None;
        }
        let all = || rows.iter().flat_map(|(_, ratio)| ratio.iter().copied());
        let least = all().fold(0.5, f64::min) * 0.9;
        let most = all().fold(2.0, f64::max) * 1.1;
        let values: Vec<String> = rows
            .iter()
            .map(|(_, [middle, least, most])| {
                format!("{} ({}–{})", short(*middle), short(*least), short(*most))
            })
            .collect();
        let labels = widest(rows.iter().map(|(figure, _)| figure.name.as_str()));
        let x = |value: f64| labels + WIDTH * (value / least).ln() / (most / least).ln();
        let (width, height) = (
            labels + WIDTH + widest(values.iter().map(String::as_str)),
            TOP + ROW * rows.len() as f64 + 12.0,
        );
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" \
             font-family=\"sans-serif\" font-size=\"11\">\n{STYLE}\
             <text x=\"8\" y=\"16\" font-size=\"13\" font-weight=\"bold\">How many times as good is \
             {} as {}</text>\n",
            escape(self.short_name(0)),
            escape(self.short_name(1))
        );
        for mark in marks(least, most) {
            let at = x(mark);
            let class = if mark == 1.0 { "one" } else { "grid" };
            let _ = writeln!(
                svg,
                "<line x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"{:.1}\" y2=\"{:.1}\" class=\"{class}\"/>\
                 <text x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\" class=\"mark\">{}</text>",
                TOP - 6.0,
                height - 6.0,
                TOP - 10.0,
                mark
            );
        }
        for (index, (figure, [middle, least, most])) in rows.iter().enumerate() {
            let y = TOP + ROW * index as f64;
            let (from, to) = (x(middle.min(1.0)), x(middle.max(1.0)));
            let class = if *middle >= 1.0 { "good" } else { "bad" };
            let _ = writeln!(
                svg,
                "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>\
                 <rect x=\"{from:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"10\" class=\"{class}\"/>\
                 <line x1=\"{:.1}\" x2=\"{:.1}\" y1=\"{1:.1}\" y2=\"{1:.1}\" class=\"spread\" \
                 transform=\"translate(0 -3.5)\"/>\
                 <text x=\"{:.1}\" y=\"{1:.1}\">{}</text>",
                labels - GAP,
                y + 11.5,
                escape(&figure.name),
                y + 3.0,
                (to - from).max(1.0),
                x(*least),
                x(*most),
                labels + WIDTH + GAP,
                values[index],
            );
        }
        svg.push_str("</svg>\n");
        Some(svg)
    }

    /// A driver's platform, without the device.
    fn short_name(&self, index: usize) -> &str {
        let whole = self.drivers.get(index).map_or("", String::as_str);
        whole.split(" (").next().unwrap_or(whole)
    }
}

#[cfg(test)]
mod tests {
    use super::{CHARACTER, marks};
    use crate::bench::report::tests::{figure, report};

    #[test]
    fn a_bar_for_each_comparison() {
        let good = figure(true, vec![Ok(vec![4.0, 6.0]), Ok(vec![2.0, 2.0])]);
        let failed = figure(true, vec![Ok(vec![4.0]), Err("why".into())]);
        let report = report(vec![good, failed]);
        let svg = report.plot(true).unwrap();
        // One bar, on the page's own ground.
        assert_eq!(svg.matches("<rect").count(), 1, "{svg}");
        assert!(svg.contains("3.00 (2.00–3.00)"), "{svg}");
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
        assert_eq!(report.plot(false), None);
    }

    #[test]
    fn long_labels_are_not_cut() {
        let mut long = figure(true, vec![Ok(vec![4.0]), Ok(vec![2.0])]);
        long.name = "x".repeat(90);
        let svg = report(vec![long]).plot(true).unwrap();
        let end: f64 = svg
            .split("text-anchor=\"end\"")
            .next()
            .and_then(|before| before.rsplit("<text x=\"").next())
            .and_then(|place| place.split('"').next())
            .and_then(|place| place.parse().ok())
            .unwrap();
        assert!(end >= 90.0 * CHARACTER, "{svg}");
    }

    #[test]
    fn the_axis_has_round_marks() {
        assert_eq!(marks(0.4, 3.0), [0.5, 1.0, 2.0]);
        assert_eq!(marks(0.009, 900.0), [0.01, 0.1, 1.0, 10.0, 100.0]);
    }
}
