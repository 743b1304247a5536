//! Functions of the engine that take the square of their operands' lengths, and that nothing interrupts, in time that grows with the
//! lengths alone; and those that build a text of JSON or of a group, which the engine measures only when it is whole, or not all of it. They replace those of the
//! engine on connections for SQL of a model.

mod concat;
mod error;
mod json;
mod operand;

use std::collections::BTreeSet;

use memchr::memmem::{Finder, find};
use rusqlite::{
    Connection, Result,
    functions::{Context, FunctionFlags},
    limits::Limit,
    types::{Value, ValueRef},
};

use self::{
    error::{refused_operands_error, too_large},
    operand::text_bytes,
};

/// Replaces the functions on a connection.
pub(super) fn replace_functions(connection: &Connection) -> Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8
        | FunctionFlags::SQLITE_DETERMINISTIC
        | FunctionFlags::SQLITE_INNOCUOUS;
    let most = usize::try_from(connection.limit(Limit::SQLITE_LIMIT_LENGTH)?).unwrap_or_default();
    connection
        .create_scalar_function("instr", 2, flags, |context| Ok(substring_position(context)))?;
    connection
        .create_scalar_function("replace", 3, flags, move |context| replaced_text(context, most))?;
    for (name, sides) in [("ltrim", Sides::Left), ("rtrim", Sides::Right), ("trim", Sides::Both)] {
        connection.create_scalar_function(name, 2, flags, move |context| {
            Ok(trimmed_text(context, sides))
        })?;
    }
    concat::replace_concat_functions(connection, most)?;
    json::replace_json_functions(connection, most)?;
    // Its signs to leave out are looked for one by one.
    connection
        .create_scalar_function("unhex", 2, flags, |_| Err::<Value, _>(refused_operands_error()))
}

/// The number of the first character, or byte, at which the second operand stands in the first one; 0 if it does not.
fn substring_position(context: &Context<'_>) -> Option<i64> {
    let (whole, part) = (context.get_raw(0), context.get_raw(1));
    let counts_bytes = matches!((whole, part), (ValueRef::Blob(_), ValueRef::Blob(_)));
    let (whole, part) = (text_bytes(whole)?, text_bytes(part)?);
    let Some(at) = find(&whole, &part) else { return Some(0) };
    let before = whole.get(..at).unwrap_or_default();
    let count = if counts_bytes { at } else { characters(before).count() };
    i64::try_from(count).ok()?.checked_add(1)
}

fn replaced_text(context: &Context<'_>, most: usize) -> Result<Option<Value>> {
    let Some(whole) = text_bytes(context.get_raw(0)) else { return Ok(None) };
    let Some(part) = text_bytes(context.get_raw(1)) else { return Ok(None) };
    if part.first().is_none_or(|first| *first == 0) {
        return Ok(Some(text(&whole)));
    }
    let Some(other) = text_bytes(context.get_raw(2)) else { return Ok(None) };
    let (mut made, mut end) = (Vec::new(), 0);
    for at in Finder::new(&part).find_iter(&whole) {
        made.extend_from_slice(whole.get(end..at).unwrap_or_default());
        made.extend_from_slice(&other);
        end = at.saturating_add(part.len());
        if made.len() > most {
            return Err(too_large());
        }
    }
    made.extend_from_slice(whole.get(end..).unwrap_or_default());
    Ok(Some(text(&made)))
}

#[derive(Clone, Copy, Eq, PartialEq)]
enum Sides {
    Both,
    Left,
    Right,
}

fn trimmed_text(context: &Context<'_>, sides: Sides) -> Option<Value> {
    let (whole, set) = (text_bytes(context.get_raw(0))?, text_bytes(context.get_raw(1))?);
    // The engine reads the set up to U+0000.
    let set = set.split(|byte| *byte == 0).next().unwrap_or_default();
    let set: BTreeSet<&[u8]> = characters(set).collect();
    let mut kept: Vec<&[u8]> = characters(&whole).collect();
    if sides != Sides::Left {
        while kept.pop_if(|last| set.contains(*last)).is_some() {}
    }
    if sides != Sides::Right {
        let n_left = kept.iter().take_while(|character| set.contains(**character)).count();
        kept.drain(..n_left);
    }
    Some(text(&kept.concat()))
}

/// The characters of a text; a byte that begins none goes on with the one before.
fn characters(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.chunk_by(|_, next| next & 0xc0 == 0x80)
}

fn text(bytes: &[u8]) -> Value {
    Value::Text(String::from_utf8_lossy(bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn connections() -> [Connection; 2] {
        let own = Connection::open_in_memory().unwrap();
        replace_functions(&own).unwrap();
        [own, Connection::open_in_memory().unwrap()]
    }

    fn value() -> impl Strategy<Value = Value> {
        prop_oneof![
            Just(Value::Null),
            (-20_i64..200).prop_map(Value::Integer),
            any::<i16>().prop_map(|it| Value::Real(f64::from(it) / 8.0)),
            any::<i16>().prop_map(|it| Value::Real(f64::from(it) * 1e20)),
            "[ab1é.\u{1f600}]{0,6}".prop_map(Value::Text),
            proptest::collection::vec(prop::sample::select(b"ab1.".to_vec()), 0..5)
                .prop_map(Value::Blob),
        ]
    }

    fn member() -> impl Strategy<Value = Value> {
        value().prop_filter("bytes are no JSON", |value| !matches!(value, Value::Blob(_)))
    }

    proptest! {
        #[test]
        fn json_is_what_the_engine_builds(values in [member(), member(), member()]) {
            let texts = [
                "select json_array(?1, ?2, json_array(?3), json('{\"a\": 1}'))",
                "select json_object('a\"', ?1, 'b', json_object('c', ?2), 'd', ?3)",
                "with t (k, v) as (values (1, ?1), (?2, ?2), (null, 1), ('k', ?3)) select json_group_object(k, v) from t",
                "with t (k, v) as (values (1, ?1), (2, ?2), (3, ?3)) select json_group_array(v) from t",
                "with t (k, v) as (values (1, ?1), (2, ?2), (3, ?3))
                 select group_concat(j, ';') from (select json_group_array(v) over (order by k rows 1 preceding) as j from t)",
                "select json_group_array(?1) || json_group_object(?2, ?3) where 0",
                "with t (v, s) as (values (?1, ?2), (null, 'n'), (?2, ?3), (?3, null), ('', ';')) select group_concat(v, s) from t",
                "with t (k, v, s) as (values (1, ?1, ?2), (2, ?2, ?3), (3, ?3, ?1), (4, null, ''), (5, 'e', ';'))
                 select group_concat(j, '+') from (select string_agg('v' || v, s) over (order by k rows 1 preceding) as j from t)",
            ];
            let connections = connections();
            for text in texts {
                let text = format!("select (select * from ({text})), ?1, ?2, ?3");
                let came = connections.each_ref().map(|connection| {
                    let values = rusqlite::params![values[0], values[1], values[2]];
                    connection.query_one(&text, values, |row| row.get::<_, Value>(0)).unwrap()
                });
                prop_assert_eq!(&came[0], &came[1], "{} {:?}", text, values);
            }
        }

        #[test]
        fn a_function_returns_what_the_engine_returns(values in [value(), value(), value()]) {
            let connections = connections();
            for call in
                ["instr(?1, ?2)", "replace(?1, ?2, ?3)", "trim(?1, ?2)", "ltrim(?1, ?2)", "rtrim(?1, ?2)"]
            {
                let text = format!("select {call}, ?1, ?2, ?3");
                let came = connections.each_ref().map(|connection| {
                    let values = rusqlite::params![values[0], values[1], values[2]];
                    connection.query_one(&text, values, |row| row.get::<_, Value>(0)).unwrap()
                });
                prop_assert_eq!(&came[0], &came[1], "{} {:?}", call, values);
            }
        }
    }
}
