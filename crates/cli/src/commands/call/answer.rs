//! Reads the flags about a call's response: all of it unless a model's part is wanted, a selection, or its bytes; and
//! if the exchange is shown.

use std::sync::Arc;

use callgate::{Call, config::ResultSelection as Selection};

use super::request_printer::RequestPrinter;
use crate::{
    args::{AnswerArguments, AnswerFormat},
    exit::Failure,
};

/// The part of the response that is shown; `None` for a model's part.
pub(super) fn selection(wanted: &AnswerArguments) -> Result<Option<Selection>, Failure> {
    if wanted.as_model {
        return Ok(None);
    }
    if let Some(path) = &wanted.jsonpath {
        return Selection::json_path(path).map(Some).map_err(|error| {
            let message = format!("error: `--jsonpath`: `{path}` is no JSON path: {error}");
            Failure(format!("{message}\nhelp: for example `--jsonpath '$.items[*].id'`"))
        });
    }
    Ok(Some(match &*wanted.select {
        [] => Selection::All,
        fields => Selection::paths(fields.iter().map(|field| field.trim())),
    }))
}

pub(super) fn asked<'a>(
    call: Call<'a>,
    wanted: &AnswerArguments,
    selection: Option<&Selection>,
) -> Call<'a> {
    let mut call = shaped(call, selection);
    if is_raw(wanted) {
        call = call.as_bytes();
    }
    if wanted.verbose > 0 {
        call = call.with_watcher(Arc::new(RequestPrinter { has_bodies: wanted.verbose > 1 }));
    }
    call
}

pub(super) fn shaped<'a>(call: Call<'a>, selection: Option<&Selection>) -> Call<'a> {
    match selection {
        Some(selection) => call.with_whole(selection.clone()),
        None => call,
    }
}

/// True if the raw bytes are wanted.
pub(super) fn is_raw(wanted: &AnswerArguments) -> bool {
    wanted.output.is_some() || wanted.format == Some(AnswerFormat::Raw)
}
