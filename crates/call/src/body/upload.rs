//! Reads bytes from an argument: base64 (standard or URL-safe, padded or not), a `data:` URL (RFC 2397), or an object with
//! `data`, `text` or the `handle` of an earlier result and, where they matter, `content_type` and `filename`. `openapi`
//! describes these forms in the tool's schema; a text in another form is refused, never guessed at.

use std::borrow::Cow;

use base64::{
    Engine as _,
    alphabet::{Alphabet, STANDARD, URL_SAFE},
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};
use bytes::Bytes;
use callgate_tool::{Fault, Object, StoredResult, Value};
use percent_encoding::percent_decode_str;

use super::media_type::{essence, is_valid_media_type};
use crate::{stored_results::StoredResults, wording};

#[derive(Debug, Eq, PartialEq)]
pub(super) struct Upload<'a> {
    pub(super) data: Bytes,
    pub(super) filename: Option<Cow<'a, str>>,
    pub(super) media_type: Option<Cow<'a, str>>,
}

/// The bytes that a value at `at` stands for. Fails if it has none of the forms, or names a result that is not stored.
pub(super) fn upload_from_value<'a>(
    at: &str,
    value: &'a Value,
    kept: StoredResults<'_>,
) -> Result<Upload<'a>, Box<Fault>> {
    let handle = value.get("handle").and_then(Value::as_str);
    let stored_result = handle.map(|handle| kept.find(handle));
    if let Some(None) = stored_result {
        return Err(wording::body::unknown_handle(at));
    }
    let upload = match value {
        Value::Object(members) => upload_from_object(members, stored_result.flatten()),
        Value::String(text) => upload_from_text(text),
        _ => Err(()),
    };
    upload.map_err(|()| wording::body::not_bytes(at, value))
}

/// The file that a value at a place stands for, in the forms of an argument that takes bytes: base64, a `data:` URL, or an
/// object with `data`, `text` or the `handle` of a stored result.
///
/// # Errors
/// The fault of a value in none of the forms, or with a handle that names nothing.
#[doc(hidden)]
pub fn file_from_value(
    at: &str,
    value: &Value,
    kept: StoredResults<'_>,
) -> Result<StoredResult, Box<Fault>> {
    let Upload { data, filename, media_type } = upload_from_value(at, value, kept)?;
    let file = StoredResult::new(media_type.unwrap_or_default(), data);
    Ok(file.with_filename(filename.map(Cow::into_owned)))
}

/// Returns true if a value may stand for bytes. An object must have a member with the bytes, or no other members than
/// `content_type` and `filename`.
pub(super) fn may_be_bytes(value: &Value) -> bool {
    let Value::Object(members) = value else { return true };
    let mut names = members.keys().map(String::as_str);
    members.keys().any(|name| SOURCES.contains(&name.as_str()))
        || names.all(|name| matches!(name, "content_type" | "filename"))
}

/// The media type that a value for bytes names itself, in an object or a `data:` URL.
pub(super) fn own_media_type(value: &Value) -> Option<Cow<'_, str>> {
    let members = value.as_object();
    let said = members.and_then(|members| members.get("content_type")?.as_str());
    if let Some(said) = said {
        return checked_media_type(said.into()).ok();
    }
    let text = members.and_then(|members| members.get("data")).unwrap_or(value).as_str()?;
    let head = text.split(',').next().filter(|head| head.len() < text.len())?;
    upload_from_text(&format!("{head},")).ok()?.media_type.map(|own| own.into_owned().into())
}

fn upload_from_object(
    members: &Object,
    stored_result: Option<StoredResult>,
) -> Result<Upload<'_>, ()> {
    let text = |name: &str| match members.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.as_str())),
        Some(_) => Err(()),
    };
    text("handle")?;
    let mut upload = match (text("data")?, text("text")?, stored_result) {
        (Some(data), None, None) => upload_from_text(data)?,
        (None, Some(text), None) => {
            let data = Bytes::copy_from_slice(text.as_bytes());
            Upload { data, filename: None, media_type: None }
        }
        (None, None, Some(result)) => upload_from_result(result),
        _ => return Err(()),
    };
    if let Some(media_type) = text("content_type")? {
        upload.media_type = Some(checked_media_type(media_type.into())?);
    }
    if let Some(filename) = text("filename")? {
        upload.filename = Some(filename.into());
    }
    Ok(upload)
}

/// An upload of an earlier result. A result without a media type, or with `application/octet-stream`, may be anything, so
/// its upload names no type.
fn upload_from_result(result: StoredResult) -> Upload<'static> {
    let StoredResult { media_type, filename, bytes, .. } = result;
    let is_telling = is_valid_media_type(&media_type) && essence(&media_type) != ANY_BYTES;
    let media_type = is_telling.then(|| media_type.into());
    Upload { data: bytes, filename: filename.map(Cow::from), media_type }
}

fn upload_from_text(text: &str) -> Result<Upload<'_>, ()> {
    let is_url = text.get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case("data:"));
    if let Some(rest) = text.get(5..).filter(|_| is_url) {
        return upload_from_data_url(rest);
    }
    Ok(Upload { data: decode_base64(text)?.into(), filename: None, media_type: None })
}

fn upload_from_data_url(rest: &str) -> Result<Upload<'_>, ()> {
    let (head, data) = rest.split_once(',').ok_or(())?;
    let mut upload = Upload { data: Bytes::new(), filename: None, media_type: None };
    let mut is_base64 = false;
    let mut media_type = String::new();
    for (at, part) in head.split(';').enumerate() {
        let (name, value) = part.split_once('=').unwrap_or((part, ""));
        match name.trim().to_ascii_lowercase().as_str() {
            "base64" if at > 0 => is_base64 = true,
            "filename" | "name" if at > 0 => {
                upload.filename = Some(percent_decode_str(value).decode_utf8().map_err(drop)?);
            }
            _ if at == 0 => media_type.push_str(part.trim()),
            _ => {
                media_type.push(';');
                media_type.push_str(part.trim());
            }
        }
    }
    // RFC 2397 §3: the default is text/plain, which says nothing about the file.
    if !media_type.is_empty() && !media_type.starts_with(';') {
        upload.media_type = Some(checked_media_type(media_type.into())?);
    }
    let decoded: Cow<'_, [u8]> = percent_decode_str(data).into();
    upload.data = if is_base64 {
        decode_base64(std::str::from_utf8(&decoded).map_err(drop)?)?.into()
    } else {
        decoded.into_owned().into()
    };
    Ok(upload)
}

fn checked_media_type(media_type: Cow<'_, str>) -> Result<Cow<'_, str>, ()> {
    if is_valid_media_type(&media_type) { Ok(media_type) } else { Err(()) }
}

/// Base64 in either alphabet, padded or not, with or without line breaks.
fn decode_base64(text: &str) -> Result<Vec<u8>, ()> {
    let is_broken = text.bytes().any(|byte| byte.is_ascii_whitespace());
    let text: Cow<'_, str> = if is_broken {
        text.chars().filter(|c| !c.is_ascii_whitespace()).collect::<String>().into()
    } else {
        text.into()
    };
    let is_url_safe = text.bytes().any(|byte| byte == b'-' || byte == b'_');
    let engine = base64_engine(if is_url_safe { &URL_SAFE } else { &STANDARD });
    engine.decode(text.as_bytes()).map_err(drop)
}

fn base64_engine(alphabet: &Alphabet) -> GeneralPurpose {
    let config =
        GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
    GeneralPurpose::new(alphabet, config)
}

const SOURCES: [&str; 3] = ["data", "handle", "text"];

/// The media type for unknown bytes (RFC 2046 §4.5.1).
pub(super) const ANY_BYTES: &str = "application/octet-stream";

#[cfg(test)]
mod tests {
    use callgate_tool::{Handle, json};

    use super::*;

    #[track_caller]
    #[expect(clippy::needless_pass_by_value, reason = "a row is a literal")]
    fn check(value: Value, expected: Option<(&[u8], Option<&str>, Option<&str>)>) {
        let find = |handle: &Handle| match handle.as_str() {
            "result:01" => Some(StoredResult::new("text/csv", "a,b".into())),
            "result:02" => Some(StoredResult::new("application/octet-stream", "?".into())),
            "result:03" => Some(StoredResult::new("a\r\nb", "!".into())),
            "result:04" => Some(
                StoredResult::new("application/pdf", "%PDF".into())
                    .with_filename(Some("report 7.pdf".to_owned())),
            ),
            _ => None,
        };
        let got = upload_from_value("x", &value, StoredResults::new(&find)).ok();
        let got = got.as_ref().map(|upload| {
            (&*upload.data, upload.filename.as_deref(), upload.media_type.as_deref())
        });
        assert_eq!(got, expected, "{value}");
    }

    #[test]
    fn base64_is_read_in_every_alphabet_and_padding() {
        for text in ["+/8AAQ==", "-_8AAQ==", "-_8AAQ", "+/8AAQ", "+/8A\r\nAQ=="] {
            check(json!(text), Some((b"\xfb\xff\0\x01", None, None)));
        }
        check(json!(""), Some((b"", None, None)));
        for text in ["hello world", "a", "+_8=", "aGk=x", "{}", "QQ=A"] {
            check(json!(text), None);
        }
    }

    #[test]
    fn a_data_url_gives_media_type_and_file_name() {
        let png = Some("image/png");
        check(json!("data:image/png;base64,aGk="), Some((b"hi", None, png)));
        check(
            json!("DATA:image/png;name=a%20b.png;base64,aGk"),
            Some((b"hi", Some("a b.png"), png)),
        );
        check(json!("data:,a%20b,c"), Some((b"a b,c", None, None)));
        check(
            json!("data:text/csv;charset=utf-8,a%2Cb"),
            Some((b"a,b", None, Some("text/csv;charset=utf-8"))),
        );
        for text in ["data:image/png", "data:image/png;base64,???", "data:a\r\nb/c,x"] {
            check(json!(text), None);
        }
    }

    #[test]
    fn a_handle_uploads_a_stored_result() {
        let csv = Some("text/csv");
        check(json!({"handle": "result:01"}), Some((b"a,b", None, csv)));
        check(
            json!({"handle": "result:01", "data": null, "filename": "x", "content_type": "a/b"}),
            Some((b"a,b", Some("x"), Some("a/b"))),
        );
        check(json!({"handle": "result:02"}), Some((b"?", None, None)));
        check(json!({"handle": "result:03"}), Some((b"!", None, None)));
        let pdf = Some("application/pdf");
        check(json!({"handle": "result:04"}), Some((b"%PDF", Some("report 7.pdf"), pdf)));
        check(
            json!({"handle": "result:04", "filename": "x.pdf"}),
            Some((b"%PDF", Some("x.pdf"), pdf)),
        );
        for value in [
            json!("result:01"),
            json!({"handle": "result:05"}),
            json!({"handle": "01"}),
            json!({"handle": 1}),
            json!({"handle": null}),
            json!({"handle": "result:01", "text": "x"}),
            json!({"handle": "result:01", "data": "aGk="}),
            json!({"handle": "result:01", "content_type": "a\r\nb"}),
        ] {
            check(value, None);
        }
    }

    #[test]
    fn an_upload_object_gives_content_file_name_and_media_type() {
        let csv = Some("text/csv");
        check(
            json!({"text": "a,ž", "filename": "x.csv", "content_type": "text/csv"}),
            Some(("a,ž".as_bytes(), Some("x.csv"), csv)),
        );
        check(json!({"data": "aGk=", "filename": null}), Some((b"hi", None, None)));
        check(json!({"data": "data:text/csv,1", "filename": "y"}), Some((b"1", Some("y"), csv)));
        for value in [
            json!({}),
            json!({"data": "aGk=", "text": "hi"}),
            json!({"data": 1}),
            json!({"text": "", "content_type": "text/plain\r\nX: y"}),
            json!(["aGk="]),
            json!(7),
        ] {
            check(value, None);
        }
    }
}
