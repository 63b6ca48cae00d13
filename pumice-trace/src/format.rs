//! Figures as people read them, and text in HTML.

/// Nanoseconds with three digits.
pub fn time(nanoseconds: u64) -> String {
    let value = nanoseconds as f64;
    let units = [("s", 1e9), ("ms", 1e6), ("µs", 1e3)];
    match units.iter().find(|(_, unit)| value >= 0.9995 * unit) {
        Some((name, unit)) => format!("{} {name}", digits(value / unit)),
        None => format!("{nanoseconds} ns"),
    }
}

/// Bytes with three digits, by powers of 1000.
pub fn bytes(bytes: u64) -> String {
    let value = bytes as f64;
    let units = [("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3)];
    match units.iter().find(|(_, unit)| value >= 0.9995 * unit) {
        Some((name, unit)) => format!("{} {name}", digits(value / unit)),
        None => format!("{bytes} B"),
    }
}

/// A number with three digits, or all before the point.
pub fn digits(value: f64) -> String {
    match value {
        _ if value < 9.995 => format!("{value:.2}"),
        _ if value < 99.95 => format!("{value:.1}"),
        _ => format!("{value:.0}"),
    }
}

/// A whole number, in groups of three digits.
pub fn number(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A part of a whole in percent.
pub fn percent(part: u64, whole: u64) -> String {
    match whole {
        0 => "–".to_string(),
        _ => format!("{:.1} %", part as f64 * 100.0 / whole as f64),
    }
}

/// Text that HTML shows as it is.
pub fn escape(text: &str) -> String {
    let mut html = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '"' => html.push_str("&quot;"),
            c => html.push(c),
        }
    }
    html
}

#[cfg(test)]
mod tests {
    use super::{bytes, escape, number, percent, time};

    #[test]
    fn figures_have_the_unit_that_fits() {
        assert_eq!(
            [0, 999, 1_000, 999_999].map(time),
            ["0 ns", "999 ns", "1.00 µs", "1.00 ms"]
        );
        assert_eq!(
            [12_345_678, 123_456_789_000].map(time),
            ["12.3 ms", "123 s"]
        );
        assert_eq!(
            [8, 65_536, 2_000_000_000].map(bytes),
            ["8 B", "65.5 kB", "2.00 GB"]
        );
        assert_eq!(
            [7, 1_000, 1_234_567].map(number),
            ["7", "1,000", "1,234,567"]
        );
        assert_eq!(percent(1, 3), "33.3 %");
        assert_eq!(percent(0, 0), "–");
    }

    #[test]
    fn names_are_no_markup() {
        assert_eq!(escape("<a href=\"&\">"), "&lt;a href=&quot;&amp;&quot;&gt;");
    }
}
