//! Values of the session that decide whose rows a call is about: scalars, never null and never empty. They are checked
//! against the type of their column before they are bound. The settings say where each comes from.

use callgate_call::wording::{database as wording, unknown_session};
use callgate_tool::{Fault, Number, Session, SessionSource, Value};

use crate::{
    catalog::{Column, ColumnKind},
    column,
    engine::Engine,
};

pub(crate) fn scalar(source: &SessionSource, session: &Session) -> Result<Value, Box<Fault>> {
    let Some(value) = source.value_in_session(session) else {
        if !source.is_fixed() && session.is_unknown() {
            return Err(unknown_session());
        }
        return Err(missing_value_fault(source, "nothing"));
    };
    match &value {
        Value::Array(_) | Value::Object(_) | Value::Null => {
            Err(missing_value_fault(source, value.kind()))
        }
        Value::String(text) if text.is_empty() => Err(missing_value_fault(source, "an empty text")),
        Value::String(text) if text.len() > MOST_BYTES => {
            Err(missing_value_fault(source, "a text of more than 4096 bytes"))
        }
        Value::String(text) if text.contains('\0') => {
            Err(missing_value_fault(source, "a text with U+0000"))
        }
        _ => Ok(value),
    }
}

/// The text of a scalar that has no column: a variable of the database session, a role, a value of a statement.
pub(crate) fn text(source: &SessionSource, session: &Session) -> Result<String, Box<Fault>> {
    Ok(match scalar(source, session)? {
        Value::String(text) => text,
        other => other.to_string(),
    })
}

/// The text that is bound for a column.
pub(crate) fn session_text_for_column(
    source: &SessionSource,
    session: &Session,
    column: &Column,
    engine: Engine,
) -> Result<String, Box<Fault>> {
    let value = scalar(source, session)?;
    let checked = column::bound_text(column, &value, engine);
    let checked = checked.or_else(|problem| match value_in_other_type(&value, &column.kind) {
        Some(other) => column::bound_text(column, &other, engine),
        None => Err(problem),
    });
    let is_number = matches!(column.kind, ColumnKind::Integer { .. } | ColumnKind::Numeric { .. });
    match checked {
        // A number that is written otherwise is none that the session's owner wrote.
        Ok(Some(text)) if is_number && value.as_str().is_some_and(|given| given != text) => {
            Err(other_spelling(source))
        }
        Ok(Some(text)) => Ok(text),
        Ok(None) => Err(missing_value_fault(source, "null")),
        Err(problem) => Err(wording::missing_session_value(
            &source.to_string(),
            &problem.expected,
            "a value of another type",
        )),
    }
}

/// A value of the other JSON type that stands for it exactly: headers and claims are texts, also those that are numbers.
fn value_in_other_type(value: &Value, kind: &ColumnKind) -> Option<Value> {
    match (value, kind) {
        (Value::String(text), ColumnKind::Integer { .. }) => {
            let number: i128 = text.parse().ok()?;
            (number.to_string() == *text).then(|| Number::from_digits(text).map(Value::Number))?
        }
        (Value::String(text), ColumnKind::Boolean | ColumnKind::Flag { .. }) => match text.as_str()
        {
            "false" => Some(Value::Bool(false)),
            "true" => Some(Value::Bool(true)),
            _ => None,
        },
        (Value::Number(number), ColumnKind::Text { .. }) => {
            let digits = number.digits().to_string();
            let is_whole = digits.parse::<i128>().is_ok_and(|whole| whole.to_string() == digits);
            is_whole.then_some(Value::String(digits))
        }
        _ => None,
    }
}

/// A text that the database would take for a number that is written otherwise.
pub(crate) fn other_spelling(source: &SessionSource) -> Box<Fault> {
    missing_value_fault(source, "a number that is written otherwise")
}

/// The bytes of a value that says whose rows a call is about: more than any name, address or token of a user has.
const MOST_BYTES: usize = 4096;

fn missing_value_fault(source: &SessionSource, got: &str) -> Box<Fault> {
    let expected = "a text, a number or a boolean that is not empty";
    wording::missing_session_value(&source.to_string(), expected, got)
}

#[cfg(test)]
mod tests {
    use callgate_tool::{FaultCode, Object, json};

    use super::*;

    fn column(kind: ColumnKind) -> Column {
        Column { sql_type: "text".to_owned(), ..Column::of_statement("owner", kind) }
    }

    #[track_caller]
    fn check(value: Value, kind: ColumnKind, expected: Option<&str>) {
        let session = Session::new("s").with_parameters(Object::from([("user", value)]));
        let source = SessionSource::Parameter("user".to_owned());
        match session_text_for_column(&source, &session, &column(kind), Engine::Postgres) {
            Ok(text) => assert_eq!(Some(text.as_str()), expected),
            Err(fault) => {
                assert_eq!((fault.code, None), (FaultCode::MissingSessionValue, expected));
                assert!(fault.message.contains("$session.params.user"), "{}", fault.message);
            }
        }
    }

    const TEXT: ColumnKind = ColumnKind::Text { most: None };
    const INTEGER: ColumnKind =
        ColumnKind::Integer { least: i64::MIN as i128, most: i64::MAX as i128 };

    #[test]
    fn a_session_value_is_a_scalar_that_is_neither_null_nor_empty() {
        check(json!("ann"), TEXT, Some("ann"));
        check(json!(7), TEXT, Some("7"));
        let longest = "a".repeat(4096);
        check(json!(longest.as_str()), TEXT, Some(&longest));
        for refused in [
            json!(null),
            json!(""),
            json!({}),
            json!([]),
            json!(["ann"]),
            json!("a\0"),
            json!("a".repeat(4097)),
            json!("a".repeat(1 << 20)),
        ] {
            check(refused, TEXT, None);
        }
    }

    #[test]
    fn a_session_value_is_checked_against_the_type_of_its_column() {
        check(json!(7), INTEGER, Some("7"));
        check(json!("7"), INTEGER, Some("7"));
        for refused in ["nobody", "7 or 1", " 7", "07", "+7", "7.0", "1e1", "99999999999999999999"]
        {
            check(json!(refused), INTEGER, None);
        }
        check(json!(true), TEXT, None);
        check(json!(7.5), TEXT, None);
    }

    #[test]
    fn an_absent_session_value_names_its_source() {
        let source = SessionSource::Payload("user.id".to_owned());
        let fault = scalar(&source, &Session::default()).unwrap_err();
        assert!(fault.message.contains("$request.payload.user.id"), "{}", fault.message);
        let unknown = Session::new("s").with_nothing_stored();
        assert_eq!(scalar(&source, &unknown).unwrap_err().code, FaultCode::UnknownSession);
    }
}
