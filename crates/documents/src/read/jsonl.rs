//! JSON lines: each line is an object and a document. Members may stand in `structData`, or as a text of JSON in `jsonData`, as
//! documents of Vertex AI Search do.

use std::borrow::Cow;

use callgate_tool::{Object, Value};

use super::{Document, Problem, ReadDocuments, row, row::RowSpan};

pub(super) fn read(text: &str) -> ReadDocuments<'_> {
    let mut read = ReadDocuments::default();
    let mut from = text.len() - text.trim_start_matches('\u{feff}').len();
    let lines = text.get(from..).unwrap_or_default().split_inclusive('\n');
    for (at, line) in lines.enumerate() {
        let span = RowSpan::new(from, from + line.len(), at + 1);
        from += line.len();
        if line.trim().is_empty() {
            continue;
        }
        if let Some(document) = span.and_then(|span| line_document(line, span)) {
            read.documents.push(document);
        } else {
            let message = "expected an object of JSON in the line, got other text";
            read.problems.push(Problem::new(at + 1, message, "correct the line"));
        }
    }
    read
}

pub(super) fn read_row(text: &str, span: RowSpan) -> Option<Document<'_>> {
    line_document(span.row_text(text)?, span)
}

fn line_document(line: &str, span: RowSpan) -> Option<Document<'static>> {
    let Ok(Value::Object(whole)) = Value::parse(line.trim()) else { return None };
    let members = document_members(&whole)?;
    let nothing = Object::default();
    let is_inside = ["structData", "jsonData"].iter().any(|name| whole.contains_key(name));
    let outer = if is_inside { &whole } else { &nothing };
    Some(row::row_document(span, &members, outer))
}

/// The members that describe the document: those of `structData` or `jsonData`, or all.
fn document_members(whole: &Object) -> Option<Cow<'_, Object>> {
    if let Some(Value::Object(members)) = whole.get("structData") {
        return Some(Cow::Borrowed(members));
    }
    match whole.get("jsonData").and_then(Value::as_str) {
        None => Some(Cow::Borrowed(whole)),
        Some(text) => match Value::parse(text) {
            Ok(Value::Object(members)) => Some(Cow::Owned(members)),
            _ => None,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, text: &str, title: Option<&str>, uri: Option<&str>) {
        let read = read(line);
        let [document] = read.documents.as_slice() else { panic!("{:?}", read.problems) };
        let found = (&*document.text, document.title.as_deref(), document.uri.as_deref());
        assert_eq!(found, (text, title, uri));
        let again = read_row(line, document.row.expect("a row")).expect("it is there");
        assert_eq!((&again.text, &again.metadata), (&document.text, &document.metadata));
    }

    #[test]
    fn a_line_is_a_document() {
        check(
            r#"{"question": "How?", "answer": "So", "url": "https://a.example"}"#,
            "How?\n\nSo",
            Some("How?"),
            Some("https://a.example"),
        );
        check(
            r#"{"id": "7", "structData": {"title": "Oak", "size": {"m": 3.50}}, "content": {"uri": "gs://b/oak.html"}}"#,
            "title: Oak\nsize.m: 3.50\n",
            Some("Oak"),
            Some("gs://b/oak.html"),
        );
        check(r#"{"jsonData": "{\"text\": \"A tree\", \"kind\": 1}"}"#, "A tree", None, None);
    }

    #[test]
    fn a_line_that_is_no_object_is_reported() {
        let read = read("{\"a\": 1}\n\n[1]\n{\"jsonData\": \"x\"}\n{");
        assert_eq!(read.documents.len(), 1);
        let lines: Vec<_> = read.problems.iter().map(|problem| problem.line).collect();
        assert_eq!(lines, [Some(3), Some(4), Some(5)]);
    }
}
