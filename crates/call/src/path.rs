//! Writes the path: literals from the description, variables in style `simple`, `label` or `matrix`. A value can never
//! leave its segment: empty values, dot segments and control characters are refused. Values come from `inputs`.

use std::borrow::Cow;

use callgate_openapi::{PathPart, Style, Styled};
use callgate_tool::Value;
use percent_encoding::percent_decode_str;

use crate::{
    lists::write_nested_lists,
    style::{
        COMMA, DOT, Escape, Explode, Unwritable, has_control_in_value, is_empty_or_null,
        unwritable_reason, write_escaped, write_exploded_members, write_list, write_members,
        write_value,
    },
};

#[derive(Clone, Debug)]
pub(crate) struct Variable<'a> {
    pub(crate) name: &'a str,
    pub(crate) value: Cow<'a, Value>,
    /// The style; `None` writes the value unstyled (`content`).
    pub(crate) styled: Option<&'a Styled>,
}

/// Writes one segment; `find` has the values of its variables. Fails with the name of a variable and the reason.
pub(crate) fn write_segment<'a>(
    out: &mut String,
    parts: &'a [PathPart],
    find: impl Fn(&str) -> Option<Variable<'a>>,
) -> Result<(), (&'a str, Unwritable)> {
    let start = out.len();
    let mut last_variable = None;
    for part in parts {
        let name = match part {
            PathPart::Literal(text) => {
                out.push_str(text);
                continue;
            }
            PathPart::Variable(name) => name,
        };
        last_variable = Some(&**name);
        let variable = find(name).ok_or((&**name, Unwritable::Empty))?;
        write_variable(out, &variable).map_err(|why| (&**name, why))?;
    }
    let Some(name) = last_variable else { return Ok(()) };
    let written = out.get(start..).unwrap_or_default();
    // Two variables may join to a dot segment, so the whole segment is checked.
    if has_decoded_dot_segment(written) { Err((name, Unwritable::DotSegment)) } else { Ok(()) }
}

fn write_variable(out: &mut String, variable: &Variable<'_>) -> Result<(), Unwritable> {
    let Variable { name, value, styled } = variable;
    let value = &**value;
    if is_empty_or_null(value) {
        return Err(unwritable_reason(value));
    }
    if has_control_in_value(value) {
        return Err(Unwritable::Control);
    }
    let start = out.len();
    match styled.map(|styled| (styled, styled.style, styled.explode.into())) {
        Some((_, Style::Label, explode)) => write_label(out, value, explode)?,
        Some((_, Style::Matrix, explode)) => write_matrix(out, name, value, explode)?,
        Some((styled, Style::Simple, _)) if styled.allow_reserved && is_scalar(value) => {
            let is_dots = matches!(value.as_str(), Some("." | ".."));
            let escape = if is_dots { Escape::Dots } else { Escape::ReservedSegment };
            write_value(out, value, escape)?;
        }
        Some((styled, style, explode)) => {
            write_simple(out, value, style, &styled.items, explode)?;
        }
        None => write_value(out, value, Escape::Unreserved)?,
    }
    if out.len() == start { Err(Unwritable::Empty) } else { Ok(()) }
}

/// True for a value without items: reserved characters in items could not be told from those between them.
fn is_scalar(value: &Value) -> bool {
    !matches!(value, Value::Array(_) | Value::Object(_))
}

fn write_simple(
    out: &mut String,
    value: &Value,
    style: Style,
    lists: &[Style],
    explode: Explode,
) -> Result<(), Unwritable> {
    match (value, explode) {
        (Value::Array(items), _) => {
            write_nested_lists(out, items, style, lists, Escape::Unreserved)
        }
        (Value::Object(members), Explode::No) => {
            write_members(out, members, COMMA, Escape::Unreserved)
        }
        (Value::Object(members), Explode::Yes) => {
            write_exploded_members(out, members, COMMA, Escape::Unreserved)
        }
        // Beside a literal they are not a dot segment, but a reader that splits the address may see one.
        (Value::String(text), _) if matches!(text.as_str(), "." | "..") => {
            write_value(out, value, Escape::Dots)
        }
        _ => write_value(out, value, Escape::Unreserved),
    }
}

fn write_label(out: &mut String, value: &Value, explode: Explode) -> Result<(), Unwritable> {
    out.push('.');
    match (value, explode) {
        // RFC 6570 §3.2.5 and OpenAPI 3.0.4: a comma. The tables up to 3.0.3 show a dot, which cannot be decoded.
        (Value::Array(items), Explode::No) => write_list(out, items, COMMA, Escape::Unreserved),
        (Value::Object(members), Explode::No) => {
            write_members(out, members, COMMA, Escape::Unreserved)
        }
        (Value::Array(items), Explode::Yes) => write_list(out, items, DOT, Escape::Dots),
        (Value::Object(members), Explode::Yes) => {
            write_exploded_members(out, members, DOT, Escape::Dots)
        }
        _ => write_value(out, value, Escape::Unreserved),
    }
}

fn write_matrix(
    out: &mut String,
    name: &str,
    value: &Value,
    explode: Explode,
) -> Result<(), Unwritable> {
    match (value, explode) {
        (Value::Array(items), Explode::Yes) => {
            items.iter().try_for_each(|item| write_matrix_pair(out, name, item))
        }
        (Value::Object(members), Explode::Yes) => members
            .iter()
            .filter(|(_, member)| !member.is_null())
            .try_for_each(|(member_name, member)| write_matrix_pair(out, member_name, member)),
        (Value::Array(items), Explode::No) => write_matrix_joined(out, name, |text| {
            write_list(text, items, COMMA, Escape::Unreserved)
        }),
        (Value::Object(members), Explode::No) => write_matrix_joined(out, name, |text| {
            write_members(text, members, COMMA, Escape::Unreserved)
        }),
        _ => write_matrix_pair(out, name, value),
    }
}

fn write_matrix_pair(out: &mut String, name: &str, value: &Value) -> Result<(), Unwritable> {
    write_matrix_joined(out, name, |text| write_value(text, value, Escape::Unreserved))
}

fn write_matrix_joined(
    out: &mut String,
    name: &str,
    write: impl FnOnce(&mut String) -> Result<(), Unwritable>,
) -> Result<(), Unwritable> {
    out.push(';');
    write_escaped(out, name, Escape::Unreserved);
    out.push('=');
    let start = out.len();
    write(out)?;
    if out.len() == start {
        // RFC 6570 §3.2.7: an empty value has no `=`.
        out.pop();
    }
    Ok(())
}

/// Returns true if the segment, or a part of it between slashes, is `.` or `..` after up to three decodings.
fn has_decoded_dot_segment(segment: &str) -> bool {
    if !segment.bytes().any(|byte| matches!(byte, b'.' | b'%')) {
        return false;
    }
    let mut text = segment.to_owned();
    for _ in 0..=DECODINGS {
        if text.split(['/', '\\']).any(|part| matches!(part, "." | "..")) {
            return true;
        }
        let decoded = percent_decode_str(&text).decode_utf8_lossy().into_owned();
        if decoded == text {
            return false;
        }
        text = decoded;
    }
    false
}

/// The most decodings: a server, a proxy and a framework may each decode once.
const DECODINGS: usize = 3;

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use callgate_tool::json;

    use super::*;

    fn written(parts: &[PathPart], values: &[(&str, Value)]) -> Result<String, Unwritable> {
        let mut out = String::new();
        let styled = Styled::plain(Style::Simple);
        let find = |name: &str| {
            let (name, value) = values.iter().find(|(entry, _)| *entry == name)?;
            Some(Variable { name, value: Cow::Borrowed(value), styled: Some(&styled) })
        };
        write_segment(&mut out, parts, find).map_err(|(_, why)| why).map(|()| out)
    }

    #[test]
    fn reserved_characters_of_a_segment_stay_where_the_description_allows_them() {
        let styled = Styled { allow_reserved: true, ..Styled::plain(Style::Simple) };
        for (value, expected) in [
            (json!("a:b@c,d"), Ok("a:b@c,d")),
            (json!("!$&'()*+,=:@~"), Ok("!$&'()*+,=:@~")),
            (json!("a/b?c#d[e]%41;f"), Ok("a%2Fb%3Fc%23d%5Be%5D%2541%3Bf")),
            (json!(["a,b", "c"]), Ok("a%2Cb,c")),
            (json!(".."), Err(Unwritable::DotSegment)),
            (json!("..;x"), Ok("..%3Bx")),
            (json!("a\\..\\b"), Err(Unwritable::DotSegment)),
        ] {
            let mut out = String::new();
            let find = |_: &str| {
                Some(Variable { name: "id", value: Cow::Borrowed(&value), styled: Some(&styled) })
            };
            let got = write_segment(&mut out, &[variable("id")], find).map_err(|(_, why)| why);
            assert_eq!(got.map(|()| out), expected.map(str::to_owned), "{value}");
        }
    }

    fn variable(name: &str) -> PathPart {
        PathPart::Variable(Arc::from(name))
    }

    #[track_caller]
    fn check(value: Value, expected: Result<&str, Unwritable>) {
        let got = written(&[variable("id")], &[("id", value)]);
        assert_eq!(got, expected.map(str::to_owned));
    }

    #[test]
    fn a_path_value_cannot_leave_its_segment() {
        use Unwritable::{Control, DotSegment, Empty, Null};
        for dots in ["..", ".", "%2e%2e", "%252E.", "../../admin/delete?x=", "a/../b", "a\\..\\b"] {
            check(json!(dots), Err(DotSegment));
        }
        check(json!(""), Err(Empty));
        check(json!(null), Err(Null));
        check(json!([]), Err(Empty));
        check(json!({}), Err(Empty));
        for control in ["\t..", "..\n", "a\u{0}", "a\u{7f}", "a\u{85}b"] {
            check(json!(control), Err(Control));
        }
        check(json!("a/b"), Ok("a%2Fb"));
        check(json!("1?admin=true"), Ok("1%3Fadmin%3Dtrue"));
        check(json!("1#"), Ok("1%23"));
        check(json!("//127.0.0.2:p"), Ok("%2F%2F127.0.0.2%3Ap"));
        check(json!("a@b%"), Ok("a%40b%25"));
        check(json!("．．"), Ok("%EF%BC%8E%EF%BC%8E"));
        check(json!("..."), Ok("..."));
    }

    #[test]
    fn adjacent_path_variables_cannot_form_a_dot_segment() {
        let parts = [variable("a"), variable("b")];
        let got = written(&parts, &[("a", json!(".")), ("b", json!("."))]);
        assert_eq!(got, Err(Unwritable::DotSegment));
        let parts = [variable("a"), PathPart::Literal("-".into()), variable("b")];
        let got = written(&parts, &[("a", json!(".")), ("b", json!("."))]);
        assert_eq!(got, Ok("%2E-%2E".to_owned()));
        let parts = [variable("id"), PathPart::Literal(":revoke".into())];
        assert_eq!(written(&parts, &[("id", json!(".."))]), Ok("%2E%2E:revoke".to_owned()));
    }
}
