//! The tool that reads files and results that were cut: a client of MCP has no other way to the bytes behind a handle.

use std::ops::Range;

use base64::{Engine, engine::general_purpose::STANDARD};
use callgate_executor::Executor;
use callgate_session::Owner;
use callgate_tool::{
    Content, Handle, Object, Outcome, Session, StoredResult, ToolResult, Value, json,
};
use rmcp::model;
use serde::Deserialize;

use crate::{Attachment, host::Caller, shortlist};

/// The tool's name, unless another tool has it.
pub(crate) const NAME: &str = "read_result";

pub(crate) fn read_result_declaration(executor: &Executor, caller: &Caller) -> Option<model::Tool> {
    let has_tools = executor.entries().any(|entry| caller.can_use_toolset(entry.toolset()));
    if !has_tools || executor.find(NAME).is_some() {
        return None;
    }
    let offset = "The byte to begin with; the `nextOffset` of the part before";
    let declaration = json!({
        "name": NAME,
        "description": "Reads on in a result that was cut or saved, by the `handle` that came with it: texts in parts, images and sounds whole.",
        "inputSchema": {
            "type": "object",
            "properties": {
                "handle": {"type": "string", "description": "`result:…`, as a result named it"},
                "offset": {"type": "integer", "minimum": 0, "description": offset},
                "limit": {"type": "integer", "minimum": 1, "maximum": MOST, "description": "Bytes of a part; 16384 unless given"},
            },
            "required": ["handle"],
            "additionalProperties": false,
        },
        "annotations": {
            "readOnlyHint": true, "destructiveHint": false, "idempotentHint": true, "openWorldHint": false,
        },
    });
    serde_json::from_str(&declaration.to_string()).ok()
}

pub(crate) async fn read_stored_part(
    executor: &Executor,
    caller: &Caller,
    session: &Session,
    arguments: Option<&Object>,
) -> Value {
    let wanted = match RequestedPart::from_arguments(arguments) {
        Ok(wanted) => wanted,
        Err(wrong) => return shortlist::tool_result(Err(wrong)),
    };
    let owner = Owner::new(caller.principal.as_ref(), session);
    match executor.readable_result(&wanted.handle, owner, &caller.rights).await {
        Ok(Some(result)) => requested_part(&result, &wanted),
        Ok(None) => {
            let message = "no such result is kept for this caller and session; call the tool again";
            shortlist::tool_result(Err(message.to_owned()))
        }
        Err(_) => {
            shortlist::tool_result(Err("results cannot be read now; try again later".to_owned()))
        }
    }
}

/// The files behind a result's handles, as embedded resources; large files and files no longer kept are left out.
pub(crate) async fn result_resources(
    executor: &Executor,
    caller: &Caller,
    session: &Session,
    result: &ToolResult,
) -> Vec<Attachment> {
    let Outcome::Answered(answer) = &result.outcome else { return Vec::new() };
    let files = match &answer.content {
        Content::Parts(parts) => {
            parts.iter().map(|part| (&part.content, part.handle.as_ref())).collect()
        }
        content => vec![(content, answer.handle.as_ref())],
    };
    let (mut resources, mut room) = (Vec::new(), LARGEST_SEEN);
    for (content, handle) in files {
        let (Content::File { media_type, size, .. }, Some(handle)) = (content, handle) else {
            continue;
        };
        // All resources share one message.
        let Some(left) = room.checked_sub(*size) else { continue };
        let owner = Owner::new(caller.principal.as_ref(), session);
        let kept = executor.readable_result(handle, owner, &caller.rights).await;
        if let Ok(Some(kept)) = kept {
            let (handle, bytes) = (handle.as_str(), &kept.bytes);
            resources.push(Attachment::resource_of_bytes(handle, media_type, bytes));
            room = left;
        }
    }
    resources
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    handle: String,
    offset: Option<Value>,
    limit: Option<Value>,
}

struct RequestedPart {
    handle: Handle,
    offset: usize,
    limit: usize,
}

impl RequestedPart {
    fn from_arguments(arguments: Option<&Object>) -> Result<Self, String> {
        let Arguments { handle, offset, limit } = shortlist::parse_arguments(arguments)?;
        let handle = Handle::new(&handle);
        let handle = handle.ok_or("`handle`: expected `result:…`, as a result named it")?;
        let offset = number_in_range(offset, "offset", 0..usize::MAX)?.unwrap_or(0);
        let limit = number_in_range(limit, "limit", 1..MOST + 1)?.unwrap_or(USUAL);
        Ok(Self { handle, offset, limit })
    }
}

fn number_in_range(
    value: Option<Value>,
    name: &str,
    range: Range<usize>,
) -> Result<Option<usize>, String> {
    let Some(value) = value else { return Ok(None) };
    let number = value.as_u64().and_then(|number| usize::try_from(number).ok());
    let number = number.filter(|number| range.contains(number));
    let (least, most) = (range.start, range.end.saturating_sub(1));
    number.map(Some).ok_or_else(|| format!("`{name}`: expected {least} to {most}, got: {value}"))
}

/// Shows a part of a text, or the whole of an image or a sound; of other types it says what they are.
fn requested_part(result: &StoredResult, wanted: &RequestedPart) -> Value {
    let StoredResult { media_type, bytes, .. } = result;
    let kind = media_type.split('/').next().unwrap_or_default();
    let seen = ["image", "audio"]
        .into_iter()
        .find(|viewable_kind| viewable_kind.eq_ignore_ascii_case(kind));
    if let Some(kind) = seen.filter(|_| bytes.len() <= LARGEST_SEEN) {
        let block =
            json!({"type": kind, "data": (STANDARD.encode(bytes)), "mimeType": &**media_type});
        return json!({"content": [block], "isError": false});
    }
    let Ok(text) = str::from_utf8(bytes) else {
        let length = bytes.len();
        return shortlist::tool_result(Err(format!(
            "it is no text: {length} bytes of `{media_type}`; pass its handle where a tool takes a file"
        )));
    };
    let start = text.floor_char_boundary(wanted.offset);
    let least = text.ceil_char_boundary(start.saturating_add(1));
    let end = text.floor_char_boundary(start.saturating_add(wanted.limit)).max(least);
    let mut part = json!({
        "text": text.get(start..end).unwrap_or_default(), "offset": start, "length": text.len(),
    });
    if let Some(members) = part.as_object_mut().filter(|_| end < text.len()) {
        members.insert("nextOffset", Value::from(end));
    }
    shortlist::tool_result(Ok(part))
}

/// The bytes of a part by default; the next constant is the most.
const USUAL: usize = 16 << 10;
const MOST: usize = 64 << 10;
/// The most bytes of an image, a sound or a file that a client gets at once.
const LARGEST_SEEN: usize = 4 << 20;
