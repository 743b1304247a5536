//! Reads the parts of a multipart body (RFC 2046 §5.1.1, RFC 7578 §4).

use crate::prelude::*;

use super::{
    case::Schema,
    decode::{Escaping, Reader, json, leaf},
};

/// A part.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) name: String,
    media_type: Option<String>,
    text: String,
}

/// The parts of a body.
pub(super) fn parts(request: &http::Request<Bytes>) -> Result<Vec<Part>, String> {
    if request.body().is_empty() {
        return Ok(Vec::new());
    }
    let media_type = request.headers().get("content-type").and_then(|value| value.to_str().ok());
    let boundary = media_type.and_then(|text| text.split_once("boundary=")).ok_or("no boundary")?.1;
    let body = std::str::from_utf8(request.body()).map_err(|error| error.to_string())?;
    let body = format!("\r\n{body}");
    let delimiter = format!("\r\n--{boundary}");
    let pieces: Vec<&str> = body.split(&delimiter).collect();
    let ["", pieces @ .., "--\r\n"] = pieces.as_slice() else { return Err("no whole body".into()) };
    pieces.iter().map(|piece| part(piece)).collect()
}

fn part(piece: &str) -> Result<Part, String> {
    let (head, text) = piece.split_once("\r\n\r\n").ok_or("no head")?;
    let mut part = Part { name: String::new(), media_type: None, text: text.to_owned() };
    for line in head.lines() {
        if let Some(rest) = line.strip_prefix("Content-Disposition: form-data; name=\"") {
            let name = rest.strip_suffix('"').ok_or("no name")?;
            part.name = name.replace("%22", "\"").replace("%0D", "\r").replace("%0A", "\n");
        }
        part.media_type =
            line.strip_prefix("Content-Type: ").map(str::to_owned).or(part.media_type);
    }
    Ok(part)
}

impl Reader {
    /// The value in parts: by its style, else by the media type of each part.
    pub(super) fn of_parts(
        &self,
        schema: &Schema,
        parts: &[Part],
    ) -> Result<Option<Value>, String> {
        if !self.style.is_empty() {
            let pairs = parts.iter().map(|part| (part.name.as_str(), part.text.as_str()));
            return self.of_pairs(schema, pairs.collect(), Escaping::None);
        }
        let own: Vec<&Part> = parts.iter().filter(|part| part.name == "color").collect();
        let Some(first) = own.first() else { return Ok(None) };
        if schema.item(0).is_none() {
            return first.value(schema).map(Some);
        }
        let one = |(at, part): (usize, &&Part)| part.value(&schema.item(at).ok_or("no list")?);
        own.iter()
            .enumerate()
            .map(one)
            .collect::<Result<_, _>>()
            .map(|items| Some(Value::Array(items)))
    }
}

impl Part {
    fn value(&self, schema: &Schema) -> Result<Value, String> {
        let is_json = self.media_type.as_deref() == Some("application/json");
        if is_json { json(&self.text) } else { Ok(leaf(schema, &self.text)) }
    }
}
