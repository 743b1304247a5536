//! The rows that a step reads, in one text: a text of its own for each value costs more than most values are worth.

use std::{fmt::Display, fmt::Write as _, ops::Range};

/// Rows of values as texts, `None` for null, in the order of the statement's columns.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(crate) struct RowBuffer {
    text: String,
    /// The places of the values in the text.
    values: Vec<Option<Range<usize>>>,
    /// The end of each row among the values.
    ends: Vec<usize>,
}

/// One row of a buffer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row<'a> {
    text: &'a str,
    values: &'a [Option<Range<usize>>],
}

impl RowBuffer {
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

    /// Adds a value to the row that is being written.
    pub(crate) fn push_value(&mut self, value: Option<impl Display>) {
        let start = self.text.len();
        let place = value.map(|value| {
            // A text takes whatever is written to it.
            write!(self.text, "{value}").ok();
            start..self.text.len()
        });
        self.values.push(place);
    }

    /// Adds a text to the row that is being written.
    pub(crate) fn push_text(&mut self, text: &str) {
        let start = self.text.len();
        self.text.push_str(text);
        self.values.push(Some(start..self.text.len()));
    }

    /// Ends the row that is being written.
    pub(crate) fn end_row(&mut self) {
        self.ends.push(self.values.len());
    }

    pub(crate) fn row(&self, at: usize) -> Option<Row<'_>> {
        let end = *self.ends.get(at)?;
        let start = at.checked_sub(1).and_then(|before| self.ends.get(before)).copied();
        let values = self.values.get(start.unwrap_or_default()..end)?;
        Some(Row { text: &self.text, values })
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
                buffer.push_value(value);
            }
            buffer.end_row();
        }
        buffer
    }
}

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
                prop_assert_eq!(read.value(row.len()), None);
                for (column, value) in row.iter().enumerate() {
                    prop_assert_eq!(read.value(column), Some(value.as_deref()));
                }
            }
        }
    }
}
