//! Writes `multipart/*` bodies (RFC 7578): one part per member, or per item of a list; text without a type of its own,
//! objects as JSON, files with a name. Names cannot end a header: quotes and line breaks are escaped like browsers do
//! (WHATWG HTML, "multipart form data"); other control characters and these escapes themselves are refused. Values come from `content`.

use std::borrow::Cow;

use bytes::Bytes;
use callgate_openapi::{BodyMedia, NamePattern, OpenFiles, PartHeader, PropertyEncoding, Style};
use callgate_tool::{Fault, Value};
use http::HeaderName;
use percent_encoding::percent_decode_str;

use super::{
    MAX_BODY,
    boundary::unused_boundary,
    content::{Content, Member},
    form,
    media_type::{allows_json, is_json, is_media_range, matches_type, with_charset},
    plain::text_or_json,
    upload::{ANY_BYTES, may_be_bytes, upload_from_value},
};
use crate::{
    check::{Budget, Pattern},
    lists::style_separator,
    stored_results::StoredResults,
    style::Unwritable,
    wording,
};

#[derive(Debug)]
struct Part<'a> {
    name: Option<Cow<'a, str>>,
    filename: Option<Cow<'a, str>>,
    media_type: Option<Cow<'a, str>>,
    headers: &'a [PartHeader],
    data: Bytes,
}

#[derive(Clone, Copy, Debug)]
enum PartEncoding<'a> {
    ByName(Option<&'a PropertyEncoding>),
    ByPosition(Option<&'a PropertyEncoding>),
}

/// The bytes of a body and its media type with the boundary. Without parts there are no bytes: a multipart body has at
/// least one part (RFC 2046 §5.1.1).
pub(super) fn multipart_body(
    content: &Content<'_>,
    media: &BodyMedia,
    kept: StoredResults<'_>,
) -> Result<(String, Bytes), Box<Fault>> {
    let mut chunks = Vec::new();
    let mut size = 0;
    for (member, encoding) in members_with_encodings(content, media)? {
        for part in member_parts(&member, encoding, kept)? {
            // A few short handles may stand for very many bytes: nothing is copied beyond the limit.
            size += part.data.len();
            if size > MAX_BODY {
                return Err(wording::too_long(&member.at, "a body", MAX_BODY));
            }
            let chunk =
                serialized_part(&part).map_err(|why| wording::unwritable(&member.at, why))?;
            chunks.push(chunk);
        }
    }
    if chunks.is_empty() {
        return Ok((media.media_type.to_string(), Bytes::new()));
    }
    let boundary = unused_boundary(&chunks);
    let mut out =
        Vec::with_capacity(chunks.iter().map(|chunk| chunk.len() + 64).sum::<usize>() + 64);
    for chunk in &chunks {
        push_texts(&mut out, &["--", &boundary, "\r\n"]);
        out.extend_from_slice(chunk);
        push_texts(&mut out, &["\r\n"]);
    }
    push_texts(&mut out, &["--", &boundary, "--\r\n"]);
    Ok((with_boundary(&media.media_type, &boundary), out.into()))
}

/// The members by name; if the body is not a form, the items of a list by position, without names.
fn members_with_encodings<'a>(
    content: &Content<'a>,
    media: &'a BodyMedia,
) -> Result<Vec<(Member<'a>, PartEncoding<'a>)>, Box<Fault>> {
    if let Some(members) = content.non_null_members() {
        let encoding = |name: &str| {
            let mut declared = media.encodings.iter();
            let declared = declared.find(|property_encoding| *property_encoding.name == *name);
            declared.or_else(|| file_encoding(media.open_files.as_ref()?, name))
        };
        let with_encoding = |member: Member<'a>| {
            let encoding = PartEncoding::ByName(encoding(member.name));
            (member, encoding)
        };
        return Ok(members.into_iter().map(with_encoding).collect());
    }
    let is_form = matches_type("multipart/form-data", &media.media_type);
    match content.whole_body_value() {
        Some((argument, Value::Array(items))) if !is_form => {
            let items = items.iter().enumerate().map(|(index, value)| {
                let at = format!("{argument}[{index}]").into();
                (
                    Member { at, name: "", value },
                    PartEncoding::ByPosition(media.positions.at(index)),
                )
            });
            Ok(items.collect())
        }
        whole => Err(wording::body::not_an_object(whole, &media.media_type)),
    }
}

/// The encoding of a member that is a file by a pattern of its name, or as one of any other name.
fn file_encoding<'a>(files: &'a OpenFiles, name: &str) -> Option<&'a PropertyEncoding> {
    let matches = |named: &&NamePattern| {
        let pattern = Pattern::new(&named.pattern);
        pattern.matches_or_too_large(name, &mut Budget::new(Budget::CALL)).unwrap_or(true)
    };
    let matching: Vec<_> = files.patterns.iter().filter(matches).collect();
    let is_file = if matching.is_empty() {
        files.is_rest_binary
    } else {
        matching.iter().any(|named| named.is_binary)
    };
    is_file.then_some(&files.encoding)
}

fn member_parts<'a>(
    member: &Member<'a>,
    encoding: PartEncoding<'a>,
    kept: StoredResults<'_>,
) -> Result<Vec<Part<'a>>, Box<Fault>> {
    let encoding = match encoding {
        PartEncoding::ByName(encoding) => encoding,
        // By position, each item is one part (OpenAPI 3.2.0 §4.14.5); by name, each item of a member's list is one.
        PartEncoding::ByPosition(encoding) => {
            return Ok(vec![member_part(member, None, encoding, kept)?]);
        }
    };
    let name = Some(member.name);
    if let Some(PropertyEncoding { styled: Some(_), headers, .. }) = encoding {
        return styled_parts(member, encoding, headers);
    }
    match member.value {
        Value::Array(items) => {
            let numbered = items.iter().enumerate();
            let one = |(index, value)| {
                let at = format!("{}[{index}]", member.at).into();
                member_part(&Member { at, name: member.name, value }, name, encoding, kept)
            };
            numbered.map(one).collect()
        }
        _ => Ok(vec![member_part(member, name, encoding, kept)?]),
    }
}

/// A style writes names and texts like a query (OpenAPI 3.1.1 §4.8.15.1.2); each pair becomes a part.
fn styled_parts<'a>(
    member: &Member<'a>,
    encoding: Option<&'a PropertyEncoding>,
    headers: &'a [PartHeader],
) -> Result<Vec<Part<'a>>, Box<Fault>> {
    let mut pairs = String::new();
    form::write_encoded_member(&mut pairs, member, encoding)
        .and_then(|()| check_item_commas(&pairs, member.value, encoding))
        .map_err(|why| wording::unwritable(&member.at, why))?;
    let decoded = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
    let pairs = pairs.split('&').filter_map(|pair| pair.split_once('='));
    let parts = pairs.map(|(name, text)| Part {
        name: Some(decoded(name).into()),
        filename: None,
        media_type: None,
        headers,
        data: decoded(text).into_bytes().into(),
    });
    Ok(parts.collect())
}

/// Checks that a comma in an item cannot be taken for one between two items: a part has no escapes. Texts with another
/// delimiter are refused by their style.
fn check_item_commas(
    pairs: &str,
    value: &Value,
    encoding: Option<&PropertyEncoding>,
) -> Result<(), Unwritable> {
    let Some(styled) = encoding.and_then(|property_encoding| property_encoding.styled.as_ref())
    else {
        return Ok(());
    };
    let outer = (!styled.explode).then_some(styled.style);
    let is_comma = |style: &Style| style_separator(*style) == Some(',');
    let is_joined = outer.iter().chain(&styled.items).any(is_comma);
    let is_structure = matches!(value, Value::Array(_) | Value::Object(_));
    let texts = pairs.split('&').filter_map(|pair| pair.split_once('='));
    let is_escaped = texts.into_iter().any(|(_, text)| text.contains("%2C"));
    if is_joined && is_structure && is_escaped { Err(Unwritable::Delimiter(',')) } else { Ok(()) }
}

fn member_part<'a>(
    member: &Member<'a>,
    name: Option<&'a str>,
    encoding: Option<&'a PropertyEncoding>,
    kept: StoredResults<'_>,
) -> Result<Part<'a>, Box<Fault>> {
    let headers = encoding.map(|property_encoding| &*property_encoding.headers).unwrap_or_default();
    let declared =
        encoding.map(|property_encoding| &*property_encoding.content_types).unwrap_or_default();
    let name = name.map(Cow::from);
    // If a schema allows either bytes or an object, an object without bytes is the latter.
    if encoding.is_some_and(|property_encoding| property_encoding.is_binary)
        && may_be_bytes(member.value)
    {
        let given = upload_from_value(&member.at, member.value, kept)?;
        let media_type = file_media_type(&member.at, declared, given.media_type)?;
        // Most servers read a part without a file name as a text field (RFC 7578 §4.2).
        let filename = given.filename.or_else(|| name.clone());
        let media_type = Some(media_type);
        return Ok(Part { name, filename, media_type, headers, data: given.data });
    }
    let text = text_or_json(member.value);
    let media_type = value_media_type(member, declared, &text)?;
    let is_json = media_type.as_deref().is_some_and(is_json);
    // A text `null` would be read as the text.
    if member.value.is_null() && !is_json {
        return Err(wording::unwritable(&member.at, Unwritable::Null));
    }
    let text = if is_json { form::json_text(member.value) } else { text };
    Ok(Part { name, filename: None, media_type, headers, data: text.into_bytes().into() })
}

fn file_media_type<'a>(
    at: &str,
    declared: &'a [std::sync::Arc<str>],
    given: Option<Cow<'a, str>>,
) -> Result<Cow<'a, str>, Box<Fault>> {
    let is_declared =
        |given: &str| declared.iter().any(|declared_type| matches_type(declared_type, given));
    match given {
        Some(given) if declared.is_empty() || is_declared(&given) => Ok(given),
        Some(given) => Err(wording::body::media_type_mismatch(at, &declared.join(", "), &given)),
        None => match declared.iter().find(|declared_type| !is_media_range(declared_type)) {
            Some(declared_type) => Ok((&**declared_type).into()),
            None if declared.is_empty() || is_declared(ANY_BYTES) => Ok(ANY_BYTES.into()),
            None => {
                let got = "bytes without a media type";
                Err(wording::body::media_type_mismatch(at, &declared.join(", "), got))
            }
        },
    }
}

/// The media type of a value that is not a file; `None` for text, for which RFC 7578 §4.4 assumes `text/plain`.
fn value_media_type<'a>(
    member: &Member<'_>,
    declared: &'a [std::sync::Arc<str>],
    text: &str,
) -> Result<Option<Cow<'a, str>>, Box<Fault>> {
    let is_structure = matches!(member.value, Value::Array(_) | Value::Object(_));
    let mut concrete = declared.iter().filter(|media_type| !is_media_range(media_type));
    if is_structure {
        let json = concrete
            .find(|media_type| is_json(media_type))
            .map(|media_type| Cow::from(&**media_type));
        return match json {
            // Structured values are always written as JSON, so another type would be wrong.
            None if !allows_json(declared) => Err(wording::unwritable_body(&declared.join(", "))),
            None => Ok(Some("application/json".into())),
            json => Ok(json),
        };
    }
    match concrete.next() {
        Some(media_type) if media_type.starts_with("text/") => with_charset(media_type, text)
            .map(|media_type| Some(media_type.into()))
            .map_err(|charset| wording::body::unwritable_in_charset(&member.at, &charset)),
        Some(media_type) => Ok(Some((&**media_type).into())),
        None if text.is_ascii() => Ok(None),
        None => Ok(Some("text/plain; charset=utf-8".into())),
    }
}

fn serialized_part(part: &Part<'_>) -> Result<Vec<u8>, Unwritable> {
    let mut out = Vec::with_capacity(part.data.len() + 128);
    let is_disposed = |header: &PartHeader| header.name.eq_ignore_ascii_case(DISPOSITION);
    let is_disposed = part.name.is_none() && part.headers.iter().any(is_disposed);
    if let Some(name) = &part.name {
        let name = quoted_name(name)?;
        push_texts(&mut out, &["Content-Disposition: form-data; name=", &name]);
        if let Some(filename) = &part.filename {
            push_texts(&mut out, &["; filename=", &quoted_name(filename)?]);
        }
        push_texts(&mut out, &["\r\n"]);
    } else if let Some(filename) = part.filename.as_ref().filter(|_| !is_disposed) {
        let filename = quoted_name(filename)?;
        push_texts(&mut out, &["Content-Disposition: attachment; filename=", &filename, "\r\n"]);
    }
    if let Some(media_type) = &part.media_type {
        push_texts(&mut out, &["Content-Type: ", media_type, "\r\n"]);
    }
    for header in part.headers {
        let name = HeaderName::from_bytes(header.name.as_bytes());
        let is_ours = |name: &HeaderName| {
            OURS.contains(&name.as_str()) && !(is_disposed && name == DISPOSITION)
        };
        if name.is_ok_and(|name| !is_ours(&name)) && !header.value.contains(char::is_control) {
            push_texts(&mut out, &[&header.name, ": ", &header.value, "\r\n"]);
        }
    }
    push_texts(&mut out, &["\r\n"]);
    out.extend_from_slice(&part.data);
    Ok(out)
}

/// A name as a header holds it. The format escapes three characters and not `%`, so a name with such an escape of its own would be
/// read as another one.
fn quoted_name(name: &str) -> Result<String, Unwritable> {
    if ESCAPES.iter().any(|escape| name.contains(escape)) {
        return Err(Unwritable::NameEscape);
    }
    let mut out = String::with_capacity(name.len() + 2);
    out.push('"');
    for character in name.chars() {
        match character {
            '"' => out.push_str("%22"),
            '\r' => out.push_str("%0D"),
            '\n' => out.push_str("%0A"),
            other if other.is_control() => return Err(Unwritable::Control),
            other => out.push(other),
        }
    }
    out.push('"');
    Ok(out)
}

/// The declared media type with our boundary, in place of any other.
fn with_boundary(declared: &str, boundary: &str) -> String {
    let is_other = |part: &&str| !part.trim().to_ascii_lowercase().starts_with("boundary");
    let kept: Vec<&str> = declared.split(';').filter(is_other).map(str::trim).collect();
    let bare = kept.join("; ").replace("multipart/*", "multipart/form-data");
    format!("{bare}; boundary={boundary}")
}

fn push_texts(out: &mut Vec<u8>, texts: &[&str]) {
    for text in texts {
        out.extend_from_slice(text.as_bytes());
    }
}

const ESCAPES: [&str; 3] = ["%22", "%0D", "%0A"];
const DISPOSITION: &str = "content-disposition";
/// The headers of a part that its value determines.
const OURS: [&str; 4] =
    ["content-disposition", "content-length", "content-transfer-encoding", "content-type"];
