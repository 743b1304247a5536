//! Reads the parts of a multipart body (RFC 2046 §5.1.1, RFC 7578 §4).

use crate::prelude::*;

use super::{
    case::Schema,
    decode::{Escaping, Reader, json, leaf},
};

#[derive(Debug)]
pub(crate) struct Part {
    pub(crate) name: String,
    pub(crate) file_name: Option<String>,
    media_type: Option<String>,
    pub(crate) content: Vec<u8>,
}

/// The parts of a body.
pub(crate) fn parts(request: &http::Request<Bytes>) -> Result<Vec<Part>, String> {
    if request.body().is_empty() {
        // RFC 2046 §5.1.1: a multipart body has at least one part, so there is none.
        return Ok(Vec::new());
    }
    let media_type = request.headers().get("content-type").and_then(|value| value.to_str().ok());
    let boundary = media_type.and_then(|text| text.split_once("boundary=")).ok_or("no boundary")?.1;
    let body = [b"\r\n", &request.body()[..]].concat();
    let delimiter = format!("\r\n--{boundary}");
    let (mut pieces, mut rest) = (Vec::new(), &body[..]);
    while let Some((piece, after)) = split_at(rest, &delimiter) {
        pieces.push(piece);
        rest = after;
    }
    let ([b"", pieces @ ..], b"--\r\n") = (&*pieces, rest) else {
        return Err("no whole body".into());
    };
    pieces.iter().map(|piece| part(piece)).collect()
}

fn split_at<'a>(bytes: &'a [u8], delimiter: &str) -> Option<(&'a [u8], &'a [u8])> {
    let at = bytes.windows(delimiter.len()).position(|window| window == delimiter.as_bytes())?;
    Some((&bytes[..at], &bytes[at + delimiter.len()..]))
}

fn part(piece: &[u8]) -> Result<Part, String> {
    let (head, content) = split_at(piece, "\r\n\r\n").ok_or("no head")?;
    let head = std::str::from_utf8(head).map_err(|error| error.to_string())?;
    let header = |name: &str| head.lines().find_map(|line| line.strip_prefix(name));
    let disposition = header("Content-Disposition: form-data").ok_or("no name")?;
    let quoted = |name: &str| {
        let (text, _) = disposition.split_once(&format!("; {name}=\""))?.1.split_once('"')?;
        Some(text.replace("%22", "\"").replace("%0D", "\r").replace("%0A", "\n"))
    };
    Ok(Part {
        name: quoted("name").ok_or("no name")?,
        file_name: quoted("filename"),
        media_type: header("Content-Type: ").map(str::to_owned),
        content: content.to_vec(),
    })
}

impl Reader {
    /// The value in parts: by its style, else by the media type of each part.
    pub(super) fn of_parts(
        &self,
        schema: &Schema,
        parts: &[Part],
    ) -> Result<Option<Value>, String> {
        if !self.style.is_empty() {
            let pair = |part: &Part| Ok((part.name.clone(), part.text()?));
            let pairs = parts.iter().map(pair).collect::<Result<Vec<_>, String>>()?;
            let pairs = pairs.iter().map(|(name, text)| (&**name, &**text));
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
    pub(crate) fn text(&self) -> Result<String, String> {
        String::from_utf8(self.content.clone()).map_err(|error| error.to_string())
    }

    fn value(&self, schema: &Schema) -> Result<Value, String> {
        let (text, is_json) =
            (self.text()?, self.media_type.as_deref() == Some("application/json"));
        if is_json { json(&text) } else { Ok(leaf(schema, &text)) }
    }
}
