//! Texts of a group put together with a separator of each row. The engine measures the text alone, and not the lengths of the
//! separators that it keeps beside it.

use std::collections::VecDeque;

use rusqlite::{
    Connection, Result,
    functions::{Aggregate, Context, FunctionFlags, WindowAggregate},
    types::Value,
};

use super::{error::too_large, operand::text_bytes, text};

/// Replaces the functions on a connection. What is kept of a group has at most so many bytes.
pub(super) fn replace_concat_functions(connection: &Connection, most: usize) -> Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8
        | FunctionFlags::SQLITE_DETERMINISTIC
        | FunctionFlags::SQLITE_INNOCUOUS;
    connection.create_window_function("group_concat", 2, flags, Concat { most })?;
    connection.create_window_function("string_agg", 2, flags, Concat { most })
}

struct Concat {
    most: usize,
}

/// The texts of a group that are no null.
#[derive(Default)]
struct Texts {
    whole: Vec<u8>,
    /// The length of the separator before each text but the first.
    separators: VecDeque<u32>,
    is_begun: bool,
}

impl Texts {
    fn value(&self) -> Option<Value> {
        self.is_begun.then(|| text(&self.whole))
    }
}

impl Aggregate<Texts, Option<Value>> for Concat {
    fn init(&self, _: &mut Context<'_>) -> Result<Texts> {
        Ok(Texts::default())
    }

    fn step(&self, context: &mut Context<'_>, texts: &mut Texts) -> Result<()> {
        let Some(next) = text_bytes(context.get_raw(0)) else { return Ok(()) };
        if texts.is_begun {
            let separator = text_bytes(context.get_raw(1)).unwrap_or_default();
            texts.whole.extend_from_slice(&separator);
            texts.separators.push_back(u32::try_from(separator.len()).map_err(|_| too_large())?);
        }
        texts.is_begun = true;
        texts.whole.extend_from_slice(&next);
        let kept = texts.whole.len() + texts.separators.len() * size_of::<u32>();
        if kept > self.most { Err(too_large()) } else { Ok(()) }
    }

    fn finalize(&self, _: &mut Context<'_>, texts: Option<Texts>) -> Result<Option<Value>> {
        Ok(texts.and_then(|texts| texts.value()))
    }
}

impl WindowAggregate<Texts, Option<Value>> for Concat {
    fn value(&self, texts: Option<&mut Texts>) -> Result<Option<Value>> {
        Ok(texts.and_then(|texts| texts.value()))
    }

    fn inverse(&self, context: &mut Context<'_>, texts: &mut Texts) -> Result<()> {
        let Some(first) = text_bytes(context.get_raw(0)) else { return Ok(()) };
        let separator = texts.separators.pop_front();
        texts.is_begun = separator.is_some();
        let length = first.len() + usize::try_from(separator.unwrap_or_default()).unwrap_or(0);
        drop(texts.whole.drain(..length.min(texts.whole.len())));
        Ok(())
    }
}
