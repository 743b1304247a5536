//! The result of a call from the rows that its transaction read. Nothing is cut silently: values that are too long and rows that
//! do not fit are said in `note`, and `more` is true if there are rows that are not shown.

use std::fmt::{self, Write as _};

use callgate_call::wording::database as wording;
use callgate_tool::{Fault, Object, Outcome, Value};

use crate::{
    catalog::ColumnKind,
    column,
    engine::Engine,
    page::{Pages, Place},
    transaction::{Rows, StepResult},
};

/// The form that the rows of a transaction get.
#[derive(Debug)]
pub(crate) enum ResultShape {
    /// `{affected, row?}`, of the last step.
    Affected(Columns),
    /// `{affected, rows, more}`, of a statement that returns what it changes.
    AffectedRows { columns: Columns, limit: u32 },
    /// `{row}`.
    Row(Columns),
    /// `{rows, more, next?}`.
    Rows { columns: Columns, limit: u32, further: Option<Further> },
}

/// The columns of a result: the first ones of the statement.
#[derive(Debug)]
pub(crate) struct Columns {
    pub(crate) named: Vec<(String, ColumnKind)>,
    pub(crate) engine: Engine,
    pub(crate) value_bytes: usize,
    pub(crate) result_bytes: usize,
}

/// The beginning of the next page.
#[derive(Debug)]
pub(crate) struct Further {
    /// The positions of the sort columns in a row.
    pub(crate) positions: Vec<usize>,
    pub(crate) place: Place,
}

/// The values of a result that are cut.
#[derive(Debug, Default)]
struct Cuts {
    places: Vec<String>,
    n_more: usize,
}

impl ResultShape {
    /// The outcome, from what the last step came to.
    pub(crate) fn outcome(&self, came: &StepResult, entity: &str, pages: &Pages) -> Outcome {
        let result = match self {
            Self::Affected(columns) => Ok(columns.change_result(came)),
            Self::AffectedRows { columns, limit } => {
                let mut result = columns.page_of_rows(&came.rows, *limit, |_| None);
                result.insert("affected", came.affected.into());
                Ok(result)
            }
            Self::Row(columns) => columns.single_row(&came.rows, entity),
            Self::Rows { columns, limit, further } => {
                Ok(columns.page_of_rows(&came.rows, *limit, |row| {
                    further.as_ref()?.token(row, columns, pages)
                }))
            }
        };
        result.map_or_else(Outcome::from, |result| Value::Object(result).into())
    }
}

impl Columns {
    fn change_result(&self, came: &StepResult) -> Object {
        let mut result = Object::new();
        result.insert("affected", came.affected.into());
        let mut cuts = Cuts::default();
        if let [row] = &*came.rows
            && !self.named.is_empty()
        {
            result.insert("row", self.row_within_budget(row, "row", &mut cuts).into());
        }
        add_note(&mut result, cuts.cut_note(self));
        result
    }

    fn single_row(&self, rows: &Rows, entity: &str) -> Result<Object, Box<Fault>> {
        let row = match &**rows {
            [] => return Err(wording::not_found(entity)),
            [row] => row,
            _ => return Err(wording::ambiguous_key(entity)),
        };
        let mut result = Object::new();
        let mut cuts = Cuts::default();
        result.insert("row", self.row_within_budget(row, "row", &mut cuts).into());
        add_note(&mut result, cuts.cut_note(self));
        Ok(result)
    }

    fn page_of_rows(
        &self,
        rows: &Rows,
        limit: u32,
        token: impl Fn(&[Option<String>]) -> Option<String>,
    ) -> Object {
        let wanted = usize::try_from(limit).unwrap_or(usize::MAX).min(rows.len());
        let mut shown = Vec::with_capacity(wanted);
        let (mut cuts, mut n_bytes) = (Cuts::default(), 0);
        for (at, row) in rows.iter().take(wanted).enumerate() {
            let mut of_row = Cuts::default();
            let value =
                Value::Object(self.row_within_budget(row, &format!("rows[{at}]"), &mut of_row));
            n_bytes += n_written(&value);
            if n_bytes > self.result_bytes && at > 0 {
                break;
            }
            cuts.append(of_row);
            shown.push(value);
        }
        let (n_shown, more) = (shown.len(), shown.len() < rows.len());
        let next = n_shown.checked_sub(1).filter(|_| more).and_then(|last| rows.get(last));
        let next = next.and_then(|row| token(row));
        let mut result = Object::new();
        result.insert("rows", Value::Array(shown));
        result.insert("more", more.into());
        let left_out =
            (n_shown < wanted).then(|| wording::left_out_rows(n_shown, wanted, self.result_bytes));
        if let Some(next) = next {
            result.insert("next", next.into());
        }
        let notes = cuts.cut_note(self).into_iter().chain(left_out);
        let notes = notes.collect::<Vec<_>>().join("; ");
        add_note(&mut result, Some(notes).filter(|notes| !notes.is_empty()));
        result
    }

    /// A row, which alone fits a result: if it does not, its values are cut to equal parts.
    fn row_within_budget(&self, row: &[Option<String>], at: &str, cuts: &mut Cuts) -> Object {
        let mut of_row = Cuts::default();
        let mut shown = self.row_object(row, self.value_bytes, at, &mut of_row);
        let n_bytes: usize = row.iter().flatten().map(String::len).sum();
        if n_bytes > self.result_bytes {
            let part = self.result_bytes / self.named.len().max(1);
            of_row = Cuts::default();
            shown = self.row_object(
                row,
                part.clamp(LEAST_BYTES, self.value_bytes.max(LEAST_BYTES)),
                at,
                &mut of_row,
            );
        }
        cuts.append(of_row);
        shown
    }

    fn row_object(
        &self,
        row: &[Option<String>],
        most_bytes: usize,
        at: &str,
        cuts: &mut Cuts,
    ) -> Object {
        let mut object = Object::with_capacity(self.named.len());
        for ((name, kind), text) in self.named.iter().zip(row) {
            let shown = column::shown_value(kind, text.as_deref(), self.engine, most_bytes);
            if shown.is_cut {
                cuts.add(format!("{at}.{name}"));
            }
            object.insert(name.as_str(), shown.value);
        }
        object
    }
}

/// The bytes of a value as JSON.
fn n_written(value: &Value) -> usize {
    struct Counter(usize);
    impl fmt::Write for Counter {
        fn write_str(&mut self, text: &str) -> fmt::Result {
            self.0 = self.0.saturating_add(text.len());
            Ok(())
        }
    }
    let mut counter = Counter(0);
    // A counter takes everything.
    write!(counter, "{value}").ok();
    counter.0
}

fn add_note(result: &mut Object, note: Option<String>) {
    if let Some(note) = note {
        result.insert("note", note.into());
    }
}

impl Further {
    /// The token of the rows after this one; `None` if a value of it is not whole.
    fn token(&self, row: &[Option<String>], columns: &Columns, pages: &Pages) -> Option<String> {
        let value = |position: &usize| {
            let text = row.get(*position)?;
            let is_whole = text.as_ref().is_none_or(|text| text.len() <= columns.value_bytes);
            is_whole.then(|| text.clone())
        };
        let after: Option<Vec<Option<String>>> = self.positions.iter().map(value).collect();
        pages.token(&after?, self.place)
    }
}

impl Cuts {
    fn add(&mut self, place: String) {
        if self.places.len() < MOST_PLACES {
            self.places.push(place);
        } else {
            self.n_more += 1;
        }
    }

    fn append(&mut self, other: Self) {
        other.places.into_iter().for_each(|place| self.add(place));
        self.n_more += other.n_more;
    }

    fn cut_note(&self, columns: &Columns) -> Option<String> {
        let (of_value, of_result) = (columns.value_bytes, columns.result_bytes);
        let has_some = !self.places.is_empty();
        has_some.then(|| wording::cut_values(of_value, of_result, &self.places, self.n_more))
    }
}

/// The cut values that a note names.
const MOST_PLACES: usize = 5;
/// The bytes of a value that are shown of the widest row.
const LEAST_BYTES: usize = 16;
