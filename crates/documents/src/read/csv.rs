//! CSV (RFC 4180) with a header: each row is a document. Fields are split at commas, or at semicolons or tabs if the header has
//! those and no comma. A column whose fields are all numbers is one of numbers for conditions.

use callgate_tool::{Number, Object, Value};

use super::{Document, Problem, ReadDocuments, row, row::RowSpan};

pub(super) fn read(text: &str) -> ReadDocuments<'_> {
    let mut read = ReadDocuments::default();
    let (separator, start) = (guess_separator(text), bom_length(text));
    let mut records = Records { text, at: start, separator };
    let Some(header) = records.next() else { return read };
    let mut rows = Vec::new();
    for (at, record) in records.enumerate() {
        if record.fields.iter().all(|field| field.trim().is_empty()) {
            continue;
        }
        if record.fields.len() > header.fields.len() || !record.is_closed {
            let got = record.fields.len();
            let message = if record.is_closed {
                format!("expected {} fields, got: {got}", header.fields.len())
            } else {
                "expected a `\"` that ends the field, got the end of the file".to_owned()
            };
            read.problems.push(Problem::new(at + 2, message, "correct the row"));
            continue;
        }
        rows.extend(RowSpan::new(record.from, record.to, at + 1).map(|span| (span, record.fields)));
    }
    let typed =
        Columns::infer_from_rows(header.fields.len(), rows.iter().map(|(_, fields)| &**fields));
    for (span, fields) in rows {
        let members = row_members(&header.fields, &fields, Some(&typed));
        let mut document = row::row_document(span, &members, &Object::default());
        // The text shows fields as they are written, which numbers keep too.
        document.row = Some(span);
        read.documents.push(document);
    }
    read
}

/// Reads one row again. Its metadata is not needed for that.
pub(super) fn read_row(text: &str, span: RowSpan) -> Option<Document<'_>> {
    let separator = guess_separator(text);
    let header = Records { text, at: bom_length(text), separator }.next()?;
    let record = Records { text: span.row_text(text)?, at: 0, separator }.next()?;
    let members = row_members(&header.fields, &record.fields, None);
    Some(row::row_document(span, &members, &Object::default()))
}

fn row_members(header: &[String], fields: &[String], columns: Option<&Columns>) -> Object {
    let named = header.iter().zip(fields).enumerate();
    let named = named.filter(|(_, (name, _))| !name.trim().is_empty());
    let typed = |(at, (name, field)): (usize, (&String, &String))| {
        let value = columns.and_then(|columns| columns.typed_value(at, field));
        (name.trim().to_owned(), value.unwrap_or_else(|| field.as_str().into()))
    };
    named.map(typed).collect()
}

/// The types of columns: true where all fields are numbers, or all are `true` or `false`.
struct Columns {
    numbers: Vec<bool>,
    booleans: Vec<bool>,
}

impl Columns {
    fn infer_from_rows<'f>(n_columns: usize, rows: impl Iterator<Item = &'f [String]>) -> Self {
        let (mut numbers, mut booleans) = (vec![true; n_columns], vec![true; n_columns]);
        for fields in rows {
            let all = fields.iter().zip(numbers.iter_mut().zip(&mut booleans));
            for (field, (number, boolean)) in all.filter(|(field, _)| !field.is_empty()) {
                *number &= Number::from_digits(field).is_some();
                *boolean &= matches!(field.as_str(), "true" | "false");
            }
        }
        Self { numbers, booleans }
    }

    /// The value of a field, if its column has a type.
    fn typed_value(&self, column: usize, field: &str) -> Option<Value> {
        let is = |columns: &[bool]| columns.get(column).copied().unwrap_or_default();
        if field.is_empty() {
            return None;
        }
        if is(&self.numbers) {
            return Number::from_digits(field).map(Value::Number);
        }
        is(&self.booleans).then_some(Value::Bool(field == "true"))
    }
}

fn bom_length(text: &str) -> usize {
    text.len() - text.trim_start_matches('\u{feff}').len()
}

fn guess_separator(text: &str) -> char {
    let header = text.lines().next().unwrap_or_default();
    let header_separator =
        [',', ';', '\t'].into_iter().find(|separator| header.contains(*separator));
    header_separator.unwrap_or(',')
}

/// The records of a text, one after another.
struct Records<'t> {
    text: &'t str,
    at: usize,
    separator: char,
}

struct Record {
    from: usize,
    to: usize,
    fields: Vec<String>,
    /// False if a quoted field does not end.
    is_closed: bool,
}

impl Iterator for Records<'_> {
    type Item = Record;

    fn next(&mut self) -> Option<Record> {
        let from = self.at;
        let rest = self.text.get(from..).filter(|rest| !rest.is_empty())?;
        let mut record = Record { from, to: from, fields: Vec::new(), is_closed: true };
        let mut field = String::new();
        let mut is_quoted = false;
        let mut chars = rest.char_indices().peekable();
        while let Some((at, c)) = chars.next() {
            match c {
                '"' if is_quoted && chars.next_if(|(_, next)| *next == '"').is_some() => {
                    field.push('"');
                }
                '"' if is_quoted || field.is_empty() => is_quoted = !is_quoted,
                '\n' if !is_quoted => {
                    self.at = from + at + 1;
                    record.to = from + at;
                    record.fields.push(without_carriage_return(field));
                    return Some(record);
                }
                _ if c == self.separator && !is_quoted && record.fields.len() < MOST_FIELDS => {
                    record.fields.push(std::mem::take(&mut field));
                }
                _ => field.push(c),
            }
        }
        self.at = self.text.len();
        record.to = self.text.len();
        record.fields.push(without_carriage_return(field));
        record.is_closed = !is_quoted;
        Some(record)
    }
}

fn without_carriage_return(mut field: String) -> String {
    if field.ends_with('\r') {
        field.pop();
    }
    field
}

/// The most fields of a row; further ones belong to the last.
const MOST_FIELDS: usize = 256;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metadata::Scalar;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let read = read(text);
        let texts: Vec<&str> = read.documents.iter().map(|document| &*document.text).collect();
        assert_eq!(texts, expected);
        for document in &read.documents {
            let again = read_row(text, document.row.expect("a row")).expect("it is there");
            assert_eq!(
                (again.text, again.answer),
                (document.text.clone(), document.answer.clone())
            );
        }
    }

    #[test]
    fn a_row_is_a_question_with_its_answer_or_a_list_of_fields() {
        check(
            "question,answer\r\nHow?,\"So, \"\"thus\"\".\nEnd\"\r\n\r\nWhy?,Because\r\n",
            &["How?\n\nSo, \"thus\".\nEnd", "Why?\n\nBecause"],
        );
        check("\u{feff}name;size\nOak;3.50\n;\n", &["name: Oak\nsize: 3.50\n"]);
        check("a,b\n1", &["a: 1\n"]);
        check("", &[]);
    }

    #[test]
    fn a_row_with_too_many_fields_or_an_open_quote_is_reported() {
        let read = read("a,b\n1,2,3\n4,5\n\"6");
        assert_eq!(read.documents.len(), 1);
        let lines: Vec<_> = read.problems.iter().map(|problem| problem.line).collect();
        assert_eq!(lines, [Some(2), Some(4)]);
    }

    #[test]
    fn columns_have_types() {
        let read = read("name,price,sold,mixed\nOak,3.5,true,1\nElm,4,false,x\n");
        let metadata = &read.documents[0].metadata;
        let number = Number::from_digits("3.5").expect("a number");
        assert_eq!(metadata.values("price"), [Scalar::Number(number)]);
        assert_eq!(metadata.values("sold"), [Scalar::Boolean(true)]);
        assert_eq!(metadata.values("mixed"), [Scalar::Text("1".into())]);
    }
}
