//! The rows that a step reads, in one text: a text of its own for each value costs more than most values are worth.

use std::ops::Range;

/// Rows of values as texts, `None` for null, in the order of the statement's columns.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(crate) struct RowBuffer {
    text: String,
    /// The places of the values in the text.
    values: Vec<Option<Range<usize>>>,
    ends: Vec<RowEnd>,
}

/// The end of a row: the number of values and of bytes of text up to it.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
struct RowEnd {
    values: usize,
    text: usize,
}

/// One row of a buffer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row<'a> {
    text: &'a str,
    values: &'a [Option<Range<usize>>],
    n_bytes: usize,
}

impl RowBuffer {
    /// Room for so many rows of so many values, or for the first of them.
    pub(crate) fn with_capacity(n_rows: usize, n_columns: usize) -> Self {
        let n_values = n_rows.saturating_mul(n_columns).min(MOST_VALUES);
        Self {
            text: String::with_capacity(n_values.saturating_mul(VALUE_BYTES)),
            values: Vec::with_capacity(n_values),
            ends: Vec::with_capacity(n_rows.min(MOST_VALUES)),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The bytes of the texts.
    pub(crate) fn n_bytes(&self) -> usize {
        self.text.len()
    }

    /// Adds a null to the row that is being written.
    pub(crate) fn push_null(&mut self) {
        self.values.push(None);
    }

    /// Adds a text or a null to the row that is being written.
    pub(crate) fn push_value(&mut self, value: Option<&str>) {
        match value {
            Some(text) => self.push_text(text),
            None => self.push_null(),
        }
    }

    /// Adds a text to the row that is being written.
    pub(crate) fn push_text(&mut self, text: &str) {
        let start = self.text.len();
        self.text.push_str(text);
        self.values.push(Some(start..self.text.len()));
    }

    /// Ends the row that is being written.
    pub(crate) fn end_row(&mut self) {
        self.ends.push(RowEnd { values: self.values.len(), text: self.text.len() });
    }

    pub(crate) fn row(&self, at: usize) -> Option<Row<'_>> {
        let end = *self.ends.get(at)?;
        let start = at.checked_sub(1).and_then(|before| self.ends.get(before)).copied();
        let start = start.unwrap_or_default();
        let values = self.values.get(start.values..end.values)?;
        Some(Row { text: &self.text, values, n_bytes: end.text.saturating_sub(start.text) })
    }

    pub(crate) fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        (0..self.len()).filter_map(|at| self.row(at))
    }

    /// The rows with a text for each value.
    pub(crate) fn to_texts(&self) -> Vec<Vec<Option<String>>> {
        let texts = |row: Row<'_>| row.values().map(|value| value.map(str::to_owned)).collect();
        self.rows().map(texts).collect()
    }
}

impl<'a> Row<'a> {
    pub(crate) fn len(self) -> usize {
        self.values.len()
    }

    /// The bytes of its texts.
    pub(crate) fn n_bytes(self) -> usize {
        self.n_bytes
    }

    /// The value in this column; `None` if there is no such column.
    #[expect(clippy::option_option, reason = "a value may be null, and a column may be absent")]
    pub(crate) fn value(self, at: usize) -> Option<Option<&'a str>> {
        self.values.get(at).map(|place| self.text_at(place.as_ref()))
    }

    pub(crate) fn values(self) -> impl Iterator<Item = Option<&'a str>> {
        self.values.iter().map(move |place| self.text_at(place.as_ref()))
    }

    fn text_at(self, place: Option<&Range<usize>>) -> Option<&'a str> {
        self.text.get(place?.clone())
    }
}

impl From<Vec<Vec<Option<String>>>> for RowBuffer {
    fn from(rows: Vec<Vec<Option<String>>>) -> Self {
        let mut buffer = Self::default();
        for row in rows {
            for value in row {
                buffer.push_value(value.as_deref());
            }
            buffer.end_row();
        }
        buffer
    }
}

/// The room for a value, which grows where values take more.
const VALUE_BYTES: usize = 16;
/// The values for which there is room at first.
const MOST_VALUES: usize = 1024;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn rows_are_read_as_they_were_written(
            rows in prop::collection::vec(
                prop::collection::vec(prop::option::of(".{0,6}"), 0..5), 0..6),
        ) {
            let buffer = RowBuffer::from(rows.clone());
            prop_assert_eq!(buffer.len(), rows.len());
            prop_assert_eq!(buffer.to_texts(), rows.clone());
            for (at, row) in rows.iter().enumerate() {
                let read = buffer.row(at).unwrap();
                prop_assert_eq!(read.len(), row.len());
                prop_assert_eq!(read.n_bytes(), row.iter().flatten().map(String::len).sum::<usize>());
                prop_assert_eq!(read.value(row.len()), None);
                for (column, value) in row.iter().enumerate() {
                    prop_assert_eq!(read.value(column), Some(value.as_deref()));
                }
            }
        }
    }
}
