//! A response of the service as the result of a tool: the chosen fields, in rows, within the bounds of a result.

use callgate_kind::ArgumentForm;
use callgate_tool::{Object, Value, json};

use crate::{description::Method, work::Work};

/// The result of a call; `None` if it is larger than `most_bytes`.
pub(crate) fn call_result_within_bytes(
    work: &Work,
    method: Method,
    response: &Value,
    limit: usize,
    most_bytes: usize,
) -> Option<Value> {
    let (form, fields) = match work {
        Work::Action(action) => (action.form, action.output_fields.as_deref()),
        Work::Entity(entity) => (entity.form, entity.output_fields.as_deref()),
        Work::Query(query) => (ArgumentForm::Own, query.output_fields.as_deref()),
        Work::Tool(_) => (ArgumentForm::Own, None),
    };
    let list = |name: &str| response.get(name).and_then(Value::as_array);
    let result = match method {
        Method::List => {
            let entities = list("entities").into_iter().flatten();
            let rows =
                entities.map(|entity| selected_fields(entity.get("fields"), fields)).collect();
            let next = response.get("nextPageToken").and_then(Value::as_str).unwrap_or_default();
            return Some(rows_page(form, rows, next, Most { rows: limit, bytes: most_bytes }));
        }
        Method::ExecuteAction | Method::ExecuteSql => {
            let results = list("results").into_iter().flatten();
            let rows = results.map(|row| selected_fields(Some(row), fields)).collect();
            return Some(rows_page(form, rows, "", Most { rows: limit, bytes: most_bytes }));
        }
        Method::Create | Method::Get | Method::Update => {
            let row = selected_fields(response.get("fields"), fields);
            match form {
                ArgumentForm::Google => json!({"connectorOutputPayload": row}),
                ArgumentForm::Own => json!({"row": row}),
            }
        }
        Method::Delete | Method::DeleteMany => json!({"deleted": true}),
        Method::UpdateMany => json!({"updated": true}),
        Method::ExecuteTool => response.get("result").cloned().unwrap_or_else(|| json!({})),
    };
    (result.to_string().len() <= most_bytes).then_some(result)
}

#[derive(Clone, Copy, Debug)]
struct Most {
    rows: usize,
    bytes: usize,
}

fn rows_page(form: ArgumentForm, mut rows: Vec<Value>, next: &str, most: Most) -> Value {
    let n_all = rows.len();
    rows.truncate(most.rows);
    let n_asked = rows.len();
    let mut n_bytes = 0_usize;
    let fitting = rows.iter().take_while(|row| {
        n_bytes = n_bytes.saturating_add(row.to_string().len());
        n_bytes <= most.bytes
    });
    let n_fitting = fitting.count();
    rows.truncate(n_fitting);
    // After a cut, the next page of the service would leave rows out.
    let next = Some(next).filter(|next| !next.is_empty() && n_fitting == n_all);
    let has_more = next.is_some() || n_fitting < n_all;
    let mut result = match form {
        ArgumentForm::Google => Object::from_iter([("connectorOutputPayload", Value::Array(rows))]),
        ArgumentForm::Own => {
            Object::from_iter([("rows", Value::Array(rows)), ("more", has_more.into())])
        }
    };
    if let Some(next) = next {
        let name = match form {
            ArgumentForm::Google => "nextPageToken",
            ArgumentForm::Own => "next",
        };
        result.insert(name, next.into());
    }
    if n_fitting < n_asked {
        let cut = format!(
            "{n_fitting} of {n_asked} rows fit into the result; ask for fewer rows at once, or for others by conditions"
        );
        result.insert("note", cut.into());
    }
    Value::Object(result)
}

/// The chosen fields of a row, in the order of the choice.
fn selected_fields(row: Option<&Value>, fields: Option<&[String]>) -> Value {
    let Some(row) = row.and_then(Value::as_object) else { return json!({}) };
    let Some(fields) = fields else { return Value::Object(row.clone()) };
    let kept = fields.iter().filter_map(|name| Some((name.clone(), row.get(name)?.clone())));
    Value::Object(kept.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(n_rows: usize) -> Vec<Value> {
        (0..n_rows).map(|at| json!({"Id": at})).collect()
    }

    #[track_caller]
    fn check(n_rows: usize, next: &str, most: (usize, usize), expected: &Value) {
        let (rows_most, bytes) = most;
        let mut found =
            rows_page(ArgumentForm::Own, rows(n_rows), next, Most { rows: rows_most, bytes });
        let n_shown = found["rows"].as_array().unwrap().len();
        found.as_object_mut().unwrap().insert("rows", n_shown.into());
        assert_eq!(&found, expected);
    }

    #[test]
    fn more_is_a_fact_and_the_next_page_begins_after_the_last_row() {
        check(2, "", (5, 1000), &json!({"rows": 2, "more": false}));
        check(2, "t", (2, 1000), &json!({"rows": 2, "more": true, "next": "t"}));
        check(3, "", (2, 1000), &json!({"rows": 2, "more": true}));
        check(3, "t", (2, 1000), &json!({"rows": 2, "more": true}));
        let cut = "2 of 3 rows fit into the result; ask for fewer rows at once, or for others by conditions";
        check(3, "t", (3, 17), &json!({"rows": 2, "more": true, "note": cut}));
    }

    #[test]
    fn only_chosen_fields_are_shown() {
        let row = json!({"a": 1, "b": 2, "c": 12_345_678_901_234_567_890_u64});
        let fields = ["c".to_owned(), "a".to_owned(), "x".to_owned()];
        let shown = selected_fields(Some(&row), Some(&fields)).to_string();
        assert_eq!(shown, r#"{"c":12345678901234567890,"a":1}"#);
    }
}
