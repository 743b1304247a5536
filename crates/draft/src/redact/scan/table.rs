//! Finds the cells below a column with the name of a secret: tables of CSV, of tabs, and of Markdown.

use std::ops::Range;

use crate::redact::secret_name::is_secret_member;

const DELIMITERS: [char; 4] = [',', '\t', '|', ';'];

/// The cells of columns whose head is the name of a secret, to the first line with another number of cells.
pub(super) fn secret_cells(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut table: Option<Table> = None;
    line_ranges(text).flat_map(move |line| {
        if let Some(cells) = table.as_ref().and_then(|table| table.secret_cells(text, &line)) {
            return cells;
        }
        table = Table::from_secret_header(text, &line);
        Vec::new()
    })
}

struct Table {
    delimiter: char,
    n_columns: usize,
    /// The positions of columns with secrets.
    secret: Vec<usize>,
}

impl Table {
    fn from_secret_header(text: &str, line: &Range<usize>) -> Option<Self> {
        let head = text.get(line.clone())?;
        let delimiter = DELIMITERS.into_iter().find(|delimiter| head.contains(*delimiter))?;
        let cells = cells(text, line, delimiter);
        let names = cells.iter().map(|cell| text.get(cell.clone()).unwrap_or_default());
        let secret =
            names.enumerate().filter(|(_, name)| is_column_name(name) && is_secret_member(name));
        let secret: Vec<_> = secret.map(|(position, _)| position).collect();
        (!secret.is_empty()).then_some(Self { delimiter, n_columns: cells.len(), secret })
    }

    /// The secret cells of a line of the table; `None` behind its end.
    fn secret_cells(&self, text: &str, line: &Range<usize>) -> Option<Vec<Range<usize>>> {
        let cells = cells(text, line, self.delimiter);
        let secret = self.secret.iter().filter_map(|position| cells.get(*position).cloned());
        // A value may hold the delimiter.
        (cells.len() >= self.n_columns).then(|| secret.collect())
    }
}

fn line_ranges(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut start = 0_usize;
    text.split_inclusive('\n').map(move |line| {
        let range = start..start.saturating_add(line.trim_end().len());
        start = start.saturating_add(line.len());
        range
    })
}

/// The cells of a line without the blanks and quotes around them.
fn cells(text: &str, line: &Range<usize>, delimiter: char) -> Vec<Range<usize>> {
    let is_around = |c: char| c.is_whitespace() || "\"'`".contains(c);
    let mut start = line.start;
    let content = text.get(line.clone()).unwrap_or_default();
    let cells = content.split(delimiter).map(|cell| {
        let inner = cell.trim_start_matches(is_around);
        let from = start.saturating_add(cell.len().saturating_sub(inner.len()));
        start = start.saturating_add(cell.len()).saturating_add(delimiter.len_utf8());
        from..from.saturating_add(inner.trim_end_matches(is_around).len())
    });
    cells.collect()
}

fn is_column_name(cell: &str) -> bool {
    cell.len() <= LONGEST_NAME
        && cell.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | ' '))
}

/// The bytes of the longest head of a column.
const LONGEST_NAME: usize = 40;
