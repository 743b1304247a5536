//! Arrays and objects of JSON, built no longer than a value may be. The engine looks at the length of such a text only when it is
//! whole. Bytes are no members of them. The engine's functions that change JSON or take parts of it take few operands.

use std::collections::VecDeque;

use rusqlite::{
    Connection, Result,
    functions::{Aggregate, Context, FunctionFlags, SubType, WindowAggregate},
    limits::Limit,
    types::ValueRef,
};

use super::{
    error::{refused_operands_error, too_large},
    operand::{shortest_real_text, text_bytes},
};

/// Replaces the functions on a connection. A text has at most so many bytes.
pub(super) fn replace_json_functions(connection: &Connection, most: usize) -> Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8
        | FunctionFlags::SQLITE_DETERMINISTIC
        | FunctionFlags::SQLITE_INNOCUOUS
        | FunctionFlags::SQLITE_RESULT_SUBTYPE
        | FunctionFlags::SQLITE_SUBTYPE;
    let (array, object) =
        (Builder { kind: Kind::Array, most }, Builder { kind: Kind::Object, most });
    connection.create_scalar_function("json_array", -1, flags, move |cx| array.build(cx))?;
    connection.create_scalar_function("json_object", -1, flags, move |cx| object.build(cx))?;
    connection.create_window_function("json_group_array", 1, flags, array)?;
    connection.create_window_function("json_group_object", 2, flags, object)?;
    refuse_many_operands(connection)
}

/// Refuses operands beyond the first eight after the JSON: the text that the engine builds of them may be as long as all of them.
fn refuse_many_operands(connection: &Connection) -> Result<()> {
    let most = connection.limit(Limit::SQLITE_LIMIT_FUNCTION_ARG)?;
    for name in OF_MANY_OPERANDS {
        for n_operands in MOST_OPERANDS + 1..=most {
            let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_INNOCUOUS;
            let refuse = |_: &mut Context<'_>| Err::<i64, _>(refused_operands_error());
            connection.create_scalar_function(name, n_operands, flags, refuse)?;
        }
    }
    Ok(())
}

/// A text, and the engine's mark of JSON.
type Json = (String, SubType);

#[derive(Clone, Copy)]
struct Builder {
    kind: Kind,
    most: usize,
}

#[derive(Clone, Copy, Eq, PartialEq)]
enum Kind {
    Array,
    Object,
}

/// The members of an array or an object.
#[derive(Default)]
struct Members {
    /// Each with a comma after it.
    text: String,
    lengths: VecDeque<u32>,
}

impl Builder {
    /// The array or object of all operands.
    fn build(self, context: &Context<'_>) -> Result<Json> {
        let width = if self.kind == Kind::Array { 1 } else { 2 };
        let mut members = Members::default();
        for at in (0..context.len()).step_by(width) {
            let is_name = matches!(context.get_raw(at), ValueRef::Text(_));
            if self.kind == Kind::Object && (!is_name || at + 1 == context.len()) {
                return Err(refused_operands_error());
            }
            self.add(context, at, &mut members)?;
        }
        Ok(self.finished_json(&members))
    }

    /// Adds the member whose operands begin there.
    fn add(self, context: &Context<'_>, at: usize, members: &mut Members) -> Result<()> {
        let member = match self.kind {
            Kind::Array => value(context, at)? + ",",
            Kind::Object => match text_bytes(context.get_raw(at)) {
                Some(name) => format!("{}:{},", string(&name), value(context, at + 1)?),
                // The engine leaves out a member without a name.
                None => String::new(),
            },
        };
        members.lengths.push_back(u32::try_from(member.len()).map_err(|_| too_large())?);
        // A member without a name has no text.
        let lengths = members.lengths.len() * size_of::<u32>();
        if members.text.len() + member.len() + lengths > self.most {
            return Err(too_large());
        }
        members.text.push_str(&member);
        Ok(())
    }

    fn finished_json(self, members: &Members) -> Json {
        let text = members.text.strip_suffix(',').unwrap_or_default();
        let text = match self.kind {
            Kind::Array => format!("[{text}]"),
            Kind::Object => format!("{{{text}}}"),
        };
        (text, Some(JSON))
    }
}

impl Aggregate<Members, Json> for Builder {
    fn init(&self, _: &mut Context<'_>) -> Result<Members> {
        Ok(Members::default())
    }

    fn step(&self, context: &mut Context<'_>, members: &mut Members) -> Result<()> {
        self.add(context, 0, members)
    }

    fn finalize(&self, _: &mut Context<'_>, members: Option<Members>) -> Result<Json> {
        Ok(self.finished_json(&members.unwrap_or_default()))
    }
}

impl WindowAggregate<Members, Json> for Builder {
    fn value(&self, members: Option<&mut Members>) -> Result<Json> {
        Ok(members.map_or_else(
            || self.finished_json(&Members::default()),
            |members| self.finished_json(members),
        ))
    }

    fn inverse(&self, _: &mut Context<'_>, members: &mut Members) -> Result<()> {
        let length = members.lengths.pop_front().unwrap_or_default();
        let length = usize::try_from(length).unwrap_or_default();
        drop(members.text.drain(..length.min(members.text.len())));
        Ok(())
    }
}

fn value(context: &Context<'_>, at: usize) -> Result<String> {
    Ok(match context.get_raw(at) {
        ValueRef::Blob(_) => return Err(refused_operands_error()),
        ValueRef::Integer(number) => number.to_string(),
        ValueRef::Null => "null".to_owned(),
        ValueRef::Real(number) if number.is_infinite() => {
            if number > 0.0 { "9.0e+999" } else { "-9.0e+999" }.to_owned()
        }
        ValueRef::Real(number) => shortest_real_text(number),
        ValueRef::Text(text) if context.get_subtype(at) == JSON => {
            String::from_utf8_lossy(text).into_owned()
        }
        ValueRef::Text(text) => string(text),
    })
}

fn string(text: &[u8]) -> String {
    serde_json::Value::from(String::from_utf8_lossy(text)).to_string()
}

/// The functions of the engine that build one text of many operands.
const OF_MANY_OPERANDS: [&str; 10] = [
    "json_array_insert",
    "json_extract",
    "json_insert",
    "json_replace",
    "json_set",
    "jsonb_array_insert",
    "jsonb_extract",
    "jsonb_insert",
    "jsonb_replace",
    "jsonb_set",
];

/// The operands of one of them: the JSON, and four paths with values.
const MOST_OPERANDS: i32 = 9;

/// The engine's mark of a text that is JSON.
const JSON: u32 = b'J' as u32;
