//! Tables of the page.

use crate::format::{escape, percent};

/// A cell.
pub struct Cell {
    text: String,
    class: &'static str,
    /// The value that the column is sorted by.
    value: Option<f64>,
    /// The part of the cell that is filled, in percent.
    filled: Option<f64>,
}

impl Cell {
    fn of(text: &str, class: &'static str) -> Self {
        Self {
            text: text.to_string(),
            class,
            value: None,
            filled: None,
        }
    }

    /// The name of the row.
    pub fn name(text: &str) -> Self {
        Self::of(text, "name")
    }

    /// Text.
    pub fn text(text: &str) -> Self {
        Self::of(text, "")
    }

    /// A figure with the value that it shows.
    pub fn number(value: f64, text: String) -> Self {
        Self {
            value: Some(value),
            ..Self::of(&text, "n")
        }
    }

    /// A part of a whole, with a bar.
    pub fn share(part: u64, whole: u64) -> Self {
        let filled = part as f64 * 100.0 / whole.max(1) as f64;
        Self {
            value: Some(part as f64),
            filled: Some(filled),
            ..Self::of(&percent(part, whole), "n share")
        }
    }

    fn html(&self) -> String {
        let class = match self.class {
            "" => String::new(),
            class => format!(" class=\"{class}\""),
        };
        let value = self
            .value
            .map_or(String::new(), |value| format!(" data-v=\"{value}\""));
        let filled = self.filled.map_or(String::new(), |part| {
            format!(" style=\"--share:{part:.1}%\"")
        });
        format!("<td{class}{value}{filled}>{}</td>", escape(&self.text))
    }
}

/// A table under construction.
pub struct Table {
    headings: &'static [&'static str],
    /// Each row with true for one that belongs to the row before it.
    rows: Vec<(Vec<Cell>, bool)>,
}

impl Table {
    /// A table without rows; headings of columns of figures begin with `#`.
    pub fn new(headings: &'static [&'static str]) -> Self {
        Self {
            headings,
            rows: Vec::new(),
        }
    }

    /// Tells whether it has no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Adds a row.
    pub fn row(&mut self, cells: Vec<Cell>) {
        self.rows.push((cells, false));
    }

    /// Adds a row that belongs to the one before.
    pub fn child(&mut self, cells: Vec<Cell>) {
        self.rows.push((cells, true));
    }

    /// The table.
    pub fn html(&self) -> String {
        let mut html = String::from("<div class=\"scroll\"><table class=\"sorts\">\n<thead><tr>");
        for heading in self.headings {
            html += &match heading.strip_prefix('#') {
                Some(figure) => format!("<th class=\"n\">{}</th>", escape(figure)),
                None => format!("<th>{}</th>", escape(heading)),
            };
        }
        html += "</tr></thead>\n<tbody>\n";
        for (cells, child) in &self.rows {
            html += if *child {
                "<tr class=\"child\">"
            } else {
                "<tr>"
            };
            html.extend(cells.iter().map(Cell::html));
            let missing = self.headings.len().saturating_sub(cells.len());
            html += &"<td></td>".repeat(missing);
            html += "</tr>\n";
        }
        html + "</tbody>\n</table></div>\n"
    }
}

#[cfg(test)]
mod tests {
    use super::{Cell, Table};

    #[test]
    fn rows_have_all_cells_and_names_are_escaped() {
        let mut table = Table::new(&["name", "#figure", "#share"]);
        assert!(table.is_empty());
        let cells = [
            Cell::name("a<b"),
            Cell::number(2.5, "2.5 ms".to_string()),
            Cell::share(1, 4),
        ];
        table.row(cells.into());
        table.child(vec![Cell::text("x")]);
        let html = table.html();
        let wanted = "<tr><td class=\"name\">a&lt;b</td><td class=\"n\" data-v=\"2.5\">2.5 ms</td>\
                      <td class=\"n share\" data-v=\"1\" style=\"--share:25.0%\">25.0 %</td></tr>\n\
                      <tr class=\"child\"><td>x</td><td></td><td></td></tr>\n";
        assert!(html.contains(wanted), "{html}");
        assert!(
            html.contains("<th>name</th><th class=\"n\">figure</th>"),
            "{html}"
        );
    }
}
