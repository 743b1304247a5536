//! The result of a call from the rows that its transaction read, written as JSON at once: most results are only passed on. Nothing is
//! cut silently: values that are too long and rows that do not fit are said in `note`, and `more` is true if there are rows that are
//! not shown.

use std::{
    fmt::{Display, Write as _},
    sync::Arc,
};

use callgate_call::wording::database as wording;
use callgate_tool::{Answer, Content, Fault, Json, Outcome, write_string};

use crate::{
    catalog::{Column, ColumnKind},
    column,
    engine::Engine,
    page::{Pages, Place},
    row_buffer::{Row, RowBuffer},
    transaction::StepResult,
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
    pub(crate) named: Arc<[NamedColumn]>,
    pub(crate) engine: Engine,
    pub(crate) value_bytes: usize,
    pub(crate) result_bytes: usize,
}

/// A column of a result.
#[derive(Debug)]
pub(crate) struct NamedColumn {
    name: String,
    kind: ColumnKind,
    /// The beginning of its member in a row: the name as JSON, and a colon.
    json_name: String,
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

/// The members of a result, as far as they are written.
struct ResultText {
    json: String,
    cuts: Cuts,
}

impl ResultShape {
    /// The outcome, from what the last step came to.
    pub(crate) fn outcome(&self, came: &StepResult, entity: &str, pages: &Pages) -> Outcome {
        let written = match self {
            Self::Affected(columns) => Ok(columns.change_result(came)),
            Self::AffectedRows { columns, limit } => {
                let mut result = columns.page_of_rows(&came.rows, *limit, |_| None);
                result.add_member("affected", came.affected);
                Ok(result)
            }
            Self::Row(columns) => columns.single_row(&came.rows, entity),
            Self::Rows { columns, limit, further } => {
                Ok(columns.page_of_rows(&came.rows, *limit, |row| {
                    further.as_ref()?.next_page_token(row, columns, pages)
                }))
            }
        };
        written.map_or_else(Outcome::from, |result| {
            Answer::new(None, Content::Json(result.into_json())).into()
        })
    }
}

impl NamedColumn {
    pub(crate) fn new(name: String, kind: ColumnKind) -> Self {
        let mut json_name = String::with_capacity(name.len().saturating_add(3));
        write_string(&name, &mut json_name);
        json_name.push(':');
        Self { name, kind, json_name }
    }

    pub(crate) fn from_column(column: &Column) -> Self {
        Self::new(column.name.clone(), column.kind.clone())
    }
}

impl Columns {
    fn change_result(&self, came: &StepResult) -> ResultText {
        let mut result = ResultText::new();
        result.add_member("affected", came.affected);
        if came.rows.len() == 1
            && let Some(row) = came.rows.row(0)
            && !self.named.is_empty()
        {
            result.begin_member("row");
            self.write_row_cut_evenly(row, || "row".to_owned(), &mut result);
        }
        result.add_note(self, None);
        result
    }

    fn single_row(&self, rows: &RowBuffer, entity: &str) -> Result<ResultText, Box<Fault>> {
        let row = rows.row(0).ok_or_else(|| wording::not_found(entity))?;
        if rows.len() > 1 {
            return Err(wording::ambiguous_key(entity));
        }
        let mut result = ResultText::new();
        result.begin_member("row");
        self.write_row_cut_evenly(row, || "row".to_owned(), &mut result);
        result.add_note(self, None);
        Ok(result)
    }

    fn page_of_rows(
        &self,
        rows: &RowBuffer,
        limit: u32,
        token: impl Fn(Row<'_>) -> Option<String>,
    ) -> ResultText {
        let wanted = usize::try_from(limit).unwrap_or(usize::MAX).min(rows.len());
        let mut result = ResultText::new();
        let n_names: usize = self.named.iter().map(|column| column.json_name.len() + 3).sum();
        let n_bytes = rows.n_bytes().saturating_add(n_names.saturating_mul(rows.len()));
        result.json.reserve(n_bytes.min(self.result_bytes));
        result.begin_member("rows");
        result.json.push('[');
        let begin = result.json.len();
        let mut n_shown = 0;
        for (at, row) in rows.rows().take(wanted).enumerate() {
            let (end, n_cuts) = (result.json.len(), result.cuts.count());
            if at > 0 {
                result.json.push(',');
            }
            self.write_row_cut_evenly(row, || format!("rows[{at}]"), &mut result);
            // The commas between rows do not count.
            if result.json.len() - begin - at > self.result_bytes && at > 0 {
                result.json.truncate(end);
                result.cuts.truncate(n_cuts);
                break;
            }
            n_shown += 1;
        }
        result.json.push(']');
        let more = n_shown < rows.len();
        let next = n_shown.checked_sub(1).filter(|_| more).and_then(|last| rows.row(last));
        result.add_member("more", more);
        if let Some(next) = next.and_then(token) {
            result.add_text("next", &next);
        }
        let left_out = (n_shown < wanted)
            .then(|| wording::left_out_rows_note(n_shown, wanted, self.result_bytes));
        result.add_note(self, left_out);
        result
    }

    /// Writes a row, which alone fits a result: if it does not, its values are cut to equal parts.
    fn write_row_cut_evenly(&self, row: Row<'_>, at: impl Fn() -> String, result: &mut ResultText) {
        let most_bytes = if row.n_bytes() > self.result_bytes {
            let part = self.result_bytes / self.named.len().max(1);
            part.clamp(LEAST_BYTES, self.value_bytes.max(LEAST_BYTES))
        } else {
            self.value_bytes
        };
        result.json.push('{');
        for (index, (column, text)) in self.named.iter().zip(row.values()).enumerate() {
            if index > 0 {
                result.json.push(',');
            }
            let NamedColumn { name, kind, json_name } = column;
            result.json.push_str(json_name);
            if column::write_json_within_limit(
                kind,
                text,
                self.engine,
                most_bytes,
                &mut result.json,
            ) {
                result.cuts.add(format!("{}.{name}", at()));
            }
        }
        result.json.push('}');
    }
}

impl ResultText {
    fn new() -> Self {
        Self { json: "{".to_owned(), cuts: Cuts::default() }
    }

    /// Begins a member, whose value is written next.
    fn begin_member(&mut self, name: &str) {
        if self.json.len() > 1 {
            self.json.push(',');
        }
        write_string(name, &mut self.json);
        self.json.push(':');
    }

    /// Adds a number or a truth value.
    fn add_member(&mut self, name: &str, value: impl Display) {
        self.begin_member(name);
        // A text takes whatever is written to it.
        write!(self.json, "{value}").ok();
    }

    fn add_text(&mut self, name: &str, text: &str) {
        self.begin_member(name);
        write_string(text, &mut self.json);
    }

    /// Adds the note about values that are cut, and another one.
    fn add_note(&mut self, columns: &Columns, other: Option<String>) {
        let notes: Vec<_> = self.cuts.cut_note(columns).into_iter().chain(other).collect();
        if !notes.is_empty() {
            self.add_text("note", &notes.join("; "));
        }
    }

    fn into_json(mut self) -> Json {
        self.json.push('}');
        Json::from_unchecked_text(self.json)
    }
}

impl Further {
    /// The token of the rows after this one; `None` if a value of it is not whole.
    fn next_page_token(&self, row: Row<'_>, columns: &Columns, pages: &Pages) -> Option<String> {
        let value = |position: &usize| {
            let text = row.value(*position)?;
            let is_whole = text.is_none_or(|text| text.len() <= columns.value_bytes);
            is_whole.then(|| text.map(str::to_owned))
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

    fn count(&self) -> usize {
        self.places.len() + self.n_more
    }

    /// Leaves the first of them.
    fn truncate(&mut self, count: usize) {
        self.places.truncate(count);
        self.n_more = count - self.places.len();
    }

    fn cut_note(&self, columns: &Columns) -> Option<String> {
        let (of_value, of_result) = (columns.value_bytes, columns.result_bytes);
        let has_some = !self.places.is_empty();
        has_some.then(|| wording::cut_values_note(of_value, of_result, &self.places, self.n_more))
    }
}

/// The cut values that a note names.
const MOST_PLACES: usize = 5;
/// The bytes of a value that are shown of the widest row.
const LEAST_BYTES: usize = 16;
