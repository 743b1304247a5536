//! The path of an argument within the arguments of a call: names and indices, as RFC 9535 writes a path to one value
//! (`$.foo.bar[0]['baz']`).

use std::{ops::Range, str::Chars};

use callgate_tool::{DEPTH, Object, Value};

#[derive(Debug, Eq, PartialEq)]
pub(super) struct ArgumentPath(Vec<Step>);

#[derive(Debug, Eq, PartialEq)]
enum Step {
    Index(usize),
    Name(String),
}

impl ArgumentPath {
    /// Reads a path; `None` if it is none to one value, or one deeper than values of JSON are.
    pub(super) fn read(text: &str) -> Option<Self> {
        let mut rest = text.trim().strip_prefix('$')?;
        let mut steps = Vec::new();
        while !rest.is_empty() {
            let (step, after) = next_step(rest)?;
            steps.push(step);
            rest = after;
        }
        (1..DEPTH).contains(&steps.len()).then_some(Self(steps))
    }

    /// The place in a value, which is made if it is missing. `None` if another value is in the way, or for an index behind the next
    /// one of a list: nobody may make a list long by a number.
    pub(super) fn place_or_insert<'v>(&self, whole: &'v mut Value) -> Option<&'v mut Value> {
        let mut place = whole;
        for step in &self.0 {
            place = step.place_or_insert(place)?;
        }
        Some(place)
    }
}

impl Step {
    fn place_or_insert<'v>(&self, whole: &'v mut Value) -> Option<&'v mut Value> {
        let is_new = whole.is_null();
        match self {
            Self::Index(at) => {
                if is_new {
                    *whole = Value::Array(Vec::new());
                }
                let items = whole.as_array_mut()?;
                if *at == items.len() {
                    items.push(Value::Null);
                }
                items.get_mut(*at)
            }
            Self::Name(name) => {
                if is_new {
                    *whole = Value::Object(Object::new());
                }
                Some(whole.as_object_mut()?.entry(name.as_str()).or_insert(Value::Null))
            }
        }
    }
}

fn next_step(path: &str) -> Option<(Step, &str)> {
    if let Some(path) = path.strip_prefix('.') {
        let end = path.find(['.', '[']).unwrap_or(path.len());
        let (name, rest) = path.split_at_checked(end)?;
        return (!name.is_empty()).then(|| (Step::Name(name.to_owned()), rest));
    }
    let path = path.strip_prefix('[')?.trim_start();
    if path.starts_with(['"', '\'']) {
        return quoted_name(path);
    }
    let (index, rest) = path.split_once(']')?;
    Some((Step::Index(index.trim().parse().ok()?), rest))
}

/// A name in quotes, and the path behind its bracket.
fn quoted_name(path: &str) -> Option<(Step, &str)> {
    let mut characters = path.chars();
    let quote = characters.next()?;
    let mut name = String::new();
    loop {
        match characters.next()? {
            '\\' => name.push(escaped_character(&mut characters)?),
            character if character == quote => break,
            character => name.push(character),
        }
    }
    Some((Step::Name(name), characters.as_str().trim_start().strip_prefix(']')?))
}

/// The character behind a backslash.
fn escaped_character(characters: &mut Chars<'_>) -> Option<char> {
    match characters.next()? {
        'b' => Some('\u{8}'),
        'f' => Some('\u{c}'),
        'n' => Some('\n'),
        'r' => Some('\r'),
        't' => Some('\t'),
        'u' => unicode_character(characters),
        character => Some(character),
    }
}

/// The character of four hexadecimal digits, or of two such escapes that are a pair.
fn unicode_character(characters: &mut Chars<'_>) -> Option<char> {
    let first = code_unit(characters)?;
    let mut units = vec![first];
    if FIRST_OF_PAIRS.contains(&first) {
        *characters = characters.as_str().strip_prefix("\\u")?.chars();
        units.push(code_unit(characters)?);
    }
    char::decode_utf16(units).next()?.ok()
}

fn code_unit(characters: &mut Chars<'_>) -> Option<u16> {
    let digits: String = characters.by_ref().take(4).collect();
    let is_number = digits.len() == 4 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    u16::from_str_radix(&digits, 16).ok().filter(|_| is_number)
}

/// The code units that stand first in a pair.
const FIRST_OF_PAIRS: Range<u16> = 0xd800..0xdc00;

#[cfg(test)]
mod tests {
    use callgate_tool::json;

    use super::*;

    #[test]
    fn a_path_makes_the_place_that_it_names() {
        for (path, expected) in [
            ("$.a", json!({"a": 7})),
            ("$.a.b[0]", json!({"a": {"b": [7]}})),
            ("$['a']['b c'][0].d", json!({"a": {"b c": [{"d": 7}]}})),
            (r#"$["a.b"]"#, json!({"a.b": 7})),
            (r"$['it\'s \u00fc\n']", json!({"it's ü\n": 7})),
            (r#"$['\ud83c\udf55']["\u00e4"]"#, json!({"🍕": {"ä": 7}})),
            ("$[ 'a' ][ 0 ]", json!({"a": [7]})),
            ("$.a-b", json!({"a-b": 7})),
            (" $.ä ", json!({"ä": 7})),
        ] {
            let mut whole = json!({});
            *ArgumentPath::read(path).unwrap().place_or_insert(&mut whole).unwrap() = json!(7);
            assert_eq!(whole, expected, "{path}");
        }
    }

    #[test]
    fn other_paths_have_no_place() {
        let deep = format!("${}", ".a".repeat(DEPTH));
        for path in [
            "",
            "$",
            "a",
            "$a",
            "$.",
            "$..a",
            "$.a[",
            "$.a[]",
            "$.a[-1]",
            "$.a[*]",
            "$['a",
            "$['a'",
            r"$['a\",
            r"$['\ud83d']",
            r"$['\ud83d\u0041']",
            r"$['\udf55']",
            r"$['\u+041']",
            "$.a[99999999999999999999999]",
            deep.as_str(),
        ] {
            assert_eq!(ArgumentPath::read(path), None, "{path}");
        }
        let mut whole = json!({"a": [1], "b": "x"});
        for path in ["$[0]", "$.a[2]", "$.a[18446744073709551615]", "$.a.c", "$.b.c", "$.b[0]"] {
            let read = ArgumentPath::read(path).unwrap();
            assert_eq!(read.place_or_insert(&mut whole), None, "{path}");
        }
        assert_eq!(whole, json!({"a": [1], "b": "x"}));
    }
}
