//! The files of a call for a program of the machine's Python: each is the whole of an earlier result, or a file that the caller handed in,
//! by its handle.

use callgate_call::wording;
use callgate_executor::{Call, Executor};
use callgate_session::Owner;
use callgate_tool::{Fault, Handle, StoredResult, Value, json};

use crate::python::{InputFile, PythonLimits, is_plain_file_name};

/// The schema of the argument `files`.
pub(crate) fn files_schema() -> Value {
    json!({
        "type": "array", "maxItems": MOST_FILES,
        "description": "Files for the program's folder: whole results of earlier calls, by their handles",
        "items": {
            "type": "object",
            "properties": {
                "handle": {"type": "string", "description": "The handle of a result: `result:…`"},
                "name": {
                    "type": "string",
                    "description": "The name in the folder; unless given, that of the file itself",
                },
            },
            "required": ["handle"],
            "additionalProperties": false,
        },
    })
}

/// The files of a call, read by the rights of its caller.
///
/// # Errors
/// A handle leads to nothing that the caller may read, a name is not plain or there twice, or the files are too large together.
pub(crate) async fn load_input_files(
    call: &Call<'_>,
    limits: &PythonLimits,
) -> Result<Vec<InputFile>, Box<Fault>> {
    let asked = call.arguments().get("files").and_then(Value::as_array);
    let most = limits.files_in.min(limits.folder);
    let (mut files, mut n_left) = (Vec::<InputFile>::new(), most);
    for (at, file) in asked.into_iter().flatten().enumerate() {
        let stored = load_stored_file(call, &file["handle"]).await?;
        let stored = stored.ok_or_else(|| wording::code::unknown_file(at))?;
        let name = file_name(at, file["name"].as_str(), &stored);
        if !is_plain_file_name(&name) || files.iter().any(|file| file.name == name) {
            return Err(wording::code::wrong_file_name(at, &name));
        }
        let left = n_left.checked_sub(stored.bytes.len() as u64);
        n_left = left.ok_or_else(|| wording::code::files_too_large(most))?;
        files.push(InputFile { name, bytes: stored.bytes.to_vec() });
    }
    Ok(files)
}

async fn load_stored_file(
    call: &Call<'_>,
    handle: &Value,
) -> Result<Option<StoredResult>, Box<Fault>> {
    let Some(handle) = handle.as_str().and_then(Handle::new) else { return Ok(None) };
    let executor = call.extensions().get::<Executor>();
    let executor = executor.ok_or_else(wording::code::code_outside_executor)?;
    let owner = Owner::new(call.principal(), call.session());
    let stored = executor.readable_result(&handle, owner, call.rights()).await;
    stored.map_err(|error| {
        tracing::debug!(%error, "a file for a program cannot be looked up");
        wording::around::results_unavailable(error.retry_after().unwrap_or_default())
    })
}

/// The name that is given, or that of the file itself, or its number.
fn file_name(at: usize, given: Option<&str>, stored: &StoredResult) -> String {
    let own =
        || stored.filename.as_deref().filter(|name| is_plain_file_name(name)).map(str::to_owned);
    let numbered = || format!("file-{}", at.saturating_add(1));
    given.map(str::to_owned).or_else(own).unwrap_or_else(numbered)
}

const MOST_FILES: u32 = 64;
