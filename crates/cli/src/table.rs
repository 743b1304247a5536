//! Tables with headings, as wide as the terminal: columns that do not fit are cut, the widest first.

use std::fmt::Write as _;

pub(crate) struct Table {
    headings: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(crate) fn new<'a>(headings: impl IntoIterator<Item = &'a str>) -> Self {
        let headings = headings.into_iter().map(str::to_uppercase).collect();
        Self { headings, rows: Vec::new() }
    }

    pub(crate) fn push_row(&mut self, row: impl IntoIterator<Item = String>) {
        // A line break would end the row.
        let row = row.into_iter().map(|text| text.split_whitespace().collect::<Vec<_>>().join(" "));
        self.rows.push(row.collect());
    }

    /// The headings and rows, each line of at most `width` columns if a width is given.
    pub(crate) fn text(&self, width: Option<usize>) -> String {
        let widths = self.column_widths(width);
        let mut text = row_line(&self.headings, &widths);
        for row in &self.rows {
            text.push_str(&row_line(row, &widths));
        }
        text
    }

    fn column_widths(&self, width: Option<usize>) -> Vec<usize> {
        let widest = |column: usize| {
            let rows = std::iter::once(&self.headings).chain(&self.rows);
            rows.filter_map(|row| row.get(column)).map(|text| column_count(text)).max()
        };
        let mut widths: Vec<usize> =
            (0..self.headings.len()).map(|column| widest(column).unwrap_or_default()).collect();
        let Some(width) = width else { return widths };
        let gaps = GAP.len() * widths.len().saturating_sub(1);
        while widths.iter().sum::<usize>() + gaps > width {
            let Some(widest) = widths.iter_mut().max().filter(|most| **most > NARROWEST) else {
                break;
            };
            *widest -= 1;
        }
        widths
    }
}

fn row_line(row: &[String], widths: &[usize]) -> String {
    let mut text = String::new();
    for (cell, width) in row.iter().zip(widths) {
        let cell = cut_to_width(cell, *width);
        let missing = width.saturating_sub(column_count(&cell));
        let _infallible = write!(text, "{cell}{}{GAP}", " ".repeat(missing));
    }
    format!("{}\n", text.trim_end())
}

/// The text cut to this many columns; `…` replaces the rest.
fn cut_to_width(text: &str, width: usize) -> String {
    if column_count(text) <= width {
        return text.to_owned();
    }
    text.chars().take(width.saturating_sub(1)).chain(['…']).collect()
}

fn column_count(text: &str) -> usize {
    text.chars().count()
}

const GAP: &str = "  ";
const NARROWEST: usize = 6;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_widest_column_is_cut_to_the_terminal() {
        let mut table = Table::new(["name", "what"]);
        table.push_row(["a".to_owned(), "a long\nsummary of it".to_owned()]);
        table.push_row(["bcd".to_owned(), "short".to_owned()]);
        assert_eq!(table.text(None), "NAME  WHAT\na     a long summary of it\nbcd   short\n");
        assert_eq!(table.text(Some(16)), "NAME  WHAT\na     a long su…\nbcd   short\n");
    }
}
