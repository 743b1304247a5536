//! `JSONPath` expressions (RFC 9535): parses them within limits. `json_path` evaluates them.

use crate::json_path::{JsonPath, Letters};

/// The length of an expression in bytes: the longest in the wild have a few hundred.
const BYTES: usize = 4096;
/// The nesting depth of brackets and parentheses: the parser of expressions recurses at each of them.
const NESTING: usize = 12;
/// The number of segments that may select all descendants: each multiplies the visited nodes by the depth of the tree.
const DESCENTS: usize = 3;

#[derive(Debug)]
pub(super) struct ParsedPath {
    pub(super) path: JsonPath,
    /// The corrected text, if the expression was corrected.
    pub(super) read_as: Option<String>,
}

/// Parses an expression; the error is the expected value.
///
/// RFC 9535 §2.5.1.1 allows no `-` in a name after a dot, yet the Overlay Specification itself writes
/// `@.x-oai-traits.paged`: an expression that is valid only with such names in quotes is read that way.
pub(super) fn parse_expression(text: &str) -> Result<ParsedPath, String> {
    if text.len() > BYTES {
        return Err(format!("an expression of at most {BYTES} bytes"));
    }
    let shape = Shape::from_expression(text);
    if shape.nesting > NESTING {
        return Err(format!("brackets nested at most {NESTING} deep"));
    }
    if shape.descents > DESCENTS {
        return Err(format!("at most {DESCENTS} times `..` in an expression"));
    }
    let error = match JsonPath::parse(text) {
        Ok(path) => return Ok(ParsedPath { path, read_as: None }),
        Err(error) => error,
    };
    let quoted = quoted_expression(text);
    JsonPath::parse(&quoted)
        .map(|path| ParsedPath { path, read_as: Some(quoted) })
        .map_err(|_| format!("a JSONPath expression (RFC 9535: {})", error.message()))
}

/// The parts of an expression that cost time and stack, except quoted texts.
#[derive(Debug, Default)]
struct Shape {
    nesting: usize,
    descents: usize,
}

impl Shape {
    fn from_expression(text: &str) -> Self {
        let (mut shape, mut open, mut before) = (Self::default(), 0_usize, ' ');
        for (_, c, _) in Letters::new(text).filter(|(.., is_quoted)| !is_quoted) {
            match c {
                '[' | '(' => open += 1,
                ']' | ')' => open = open.saturating_sub(1),
                '.' if before == '.' => shape.descents += 1,
                _ => {}
            }
            shape.nesting = shape.nesting.max(open);
            before = c;
        }
        shape
    }
}

/// The expression with names that contain a `-` in brackets and quotes.
fn quoted_expression(text: &str) -> String {
    let mut written = String::with_capacity(text.len());
    let mut letters = Letters::new(text).peekable();
    while let Some((_, c, is_quoted)) = letters.next() {
        written.push(c);
        if is_quoted || c != '.' {
            continue;
        }
        let mut name = String::new();
        while let Some((_, c, _)) =
            letters.next_if(|(_, c, quoted)| !quoted && is_name_character(*c))
        {
            name.push(c);
        }
        if name.contains('-') {
            // `.name` is `['name']`, and `..name` is `..['name']`.
            if !written.ends_with("..") {
                written.pop();
            }
            written.push_str(&format!("['{name}']"));
        } else {
            written.push_str(&name);
        }
    }
    written
}

fn is_name_character(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '-' || !c.is_ascii()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Result<Option<&str>, &str>) {
        let got = parse_expression(text).map(|read| read.read_as);
        match (got, expected) {
            (Ok(got), Ok(expected)) => assert_eq!(got.as_deref(), expected, "{text}"),
            (Err(got), Err(expected)) => assert!(got.contains(expected), "{text}: {got}"),
            (got, expected) => panic!("{text}: {got:?} instead of {expected:?}"),
        }
    }

    #[test]
    fn a_legal_overlay_expression_is_used_unchanged() {
        for text in
            ["$", "$.paths['/a-b'].get", "$..[?@.type=='string']", "$.a[?@.b == 'x..y..z..']"]
        {
            check(text, Ok(None));
        }
    }

    #[test]
    fn a_name_with_a_dash_in_an_overlay_expression_is_quoted() {
        check("$.x-a.b", Ok(Some("$['x-a'].b")));
        check("$..x-a", Ok(Some("$..['x-a']")));
        check(
            "$.paths.*.get[?@.x-oai-traits.paged]",
            Ok(Some("$.paths.*.get[?@['x-oai-traits'].paged]")),
        );
    }

    #[test]
    fn a_malformed_or_costly_overlay_expression_is_refused() {
        check("info.title", Err("RFC 9535"));
        check("$.a[", Err("RFC 9535"));
        check("", Err("RFC 9535"));
        check("$..a..b..c..d", Err("at most 3"));
        check(&format!("$[?{}@.a{}]", "(".repeat(5000), ")".repeat(5000)), Err("4096 bytes"));
        check(&format!("$[?{}@.a{}]", "(".repeat(500), ")".repeat(500)), Err("nested at most"));
        check(&format!("$[?{}@.a", "!(".repeat(NESTING - 1)), Err("RFC 9535"));
    }
}
