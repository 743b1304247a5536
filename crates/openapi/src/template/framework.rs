//! Reads path keys that are written as frameworks write routes: `{id:[0-9]+}`, `:id`, `<int:id>`, `{id?}`, `{*rest}`.
//! A key is rewritten where its variables are clear, else refused. A variable whose whole text is declared stays as it is.

#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Plain {
    pub(crate) key: String,
    /// The first piece of another notation, as written, and its form in OpenAPI.
    pub(crate) first: (String, String),
}

/// Returns true if a key may have other notations than `{name}`.
pub(crate) fn has_framework_notation(key: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
    let has_odd_name = || {
        key.split('{')
            .skip(1)
            .any(|piece| piece.split_once('}').is_none_or(|(name, _)| !name.chars().all(is_plain)))
    };
    key.contains("/:")
        || key.contains(['<', '[', '$', '*'])
        || key.contains("%7")
        || key.contains("(?P")
        || has_odd_name()
}

/// Rewrites a key; `None` if it has no other notation. The error is the form of a key whose variables are not clear.
/// `is_declared` knows the names of path parameters, `is_query` those of the query.
pub(crate) fn rewrite_framework_key(
    key: &str,
    is_declared: &dyn Fn(&str) -> bool,
    is_query: &dyn Fn(&str) -> bool,
) -> Result<Option<Plain>, &'static str> {
    let mut reader =
        PathKeyReader { rest: key, key: String::new(), first: None, is_declared, is_query };
    while let Some(c) = reader.rest.chars().next() {
        reader.read_character(c)?;
    }
    let PathKeyReader { key, first, .. } = reader;
    Ok(first.map(|first| Plain { key, first }))
}

struct PathKeyReader<'a> {
    rest: &'a str,
    key: String,
    first: Option<(String, String)>,
    is_declared: &'a dyn Fn(&str) -> bool,
    is_query: &'a dyn Fn(&str) -> bool,
}

impl PathKeyReader<'_> {
    fn read_character(&mut self, c: char) -> Result<(), &'static str> {
        let rest = self.rest;
        let begins = self.key.ends_with('/');
        if let Some(after) = rest.strip_prefix("{{")
            && let Some((inner, _)) = after.split_once("}}")
            && !inner.contains('{')
        {
            return self.write_variable(inner, inner.len() + 4);
        }
        let written = rest.strip_prefix("${").map(|_| 1).or_else(|| (c == '{').then_some(0));
        if let Some(skipped) = written {
            let text = rest.get(skipped..).unwrap_or_default();
            let Some(end) = closing_bracket(text, "{}") else {
                self.copy_character(c);
                return Ok(());
            };
            let inner = text.get(1..end).unwrap_or_default();
            return self.write_variable(inner, skipped + end + 1);
        }
        if let Some(after) = rest.strip_prefix("%7B").or_else(|| rest.strip_prefix("%7b")) {
            let end = after.find("%7D").or_else(|| after.find("%7d"));
            let Some(inner) = end.and_then(|end| after.get(..end)) else { return Err(EXPECTED) };
            return self.write_variable(inner, inner.len() + 6);
        }
        if let Some(after) = rest.strip_prefix("(?P<")
            && let (Some(end), Some((name, _))) =
                (closing_bracket(rest, "()"), after.split_once('>'))
        {
            return self.write_variable(name, end + 1);
        }
        match c {
            // The query and the fragment of a key have no routes.
            '?' | '#' => {
                self.key.push_str(rest);
                self.rest = "";
                Ok(())
            }
            ':' if begins => self.read_colon_variable(),
            '<' => {
                let end = closing_bracket(rest, "<>").ok_or(EXPECTED)?;
                self.write_variable(rest.get(1..end).unwrap_or_default(), end + 1)
            }
            '[' if begins => {
                let end = closing_bracket(rest, "[]").ok_or(EXPECTED)?;
                let inner = rest.get(1..end).unwrap_or_default();
                self.write_variable(inner.strip_prefix("...").unwrap_or(inner), end + 1)
            }
            '*' if begins => {
                let segment = rest.split(['/', '?']).next().unwrap_or_default();
                let name = segment.trim_start_matches('*');
                if name.is_empty() || !is_variable_name(name) {
                    Err(WILDCARD)
                } else {
                    self.write_variable(name, segment.len())
                }
            }
            _ => {
                self.copy_character(c);
                Ok(())
            }
        }
    }

    /// `:id`, perhaps with a pattern in parentheses and a mark of repetition.
    fn read_colon_variable(&mut self) -> Result<(), &'static str> {
        let after = self.rest.get(1..).unwrap_or_default();
        let is_end = |c: char| !(c.is_ascii_alphanumeric() || c == '_');
        let name = after.get(..after.find(is_end).unwrap_or(after.len())).unwrap_or_default();
        if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
            self.copy_character(':');
            return Ok(());
        }
        let mut length = 1 + name.len();
        let tail = after.get(name.len()..).unwrap_or_default();
        if tail.starts_with('(') {
            length += closing_bracket(tail, "()").ok_or(EXPECTED)? + 1;
        }
        let tail = self.rest.get(length..).unwrap_or_default();
        if tail.starts_with(['*', '+']) || tail.starts_with('?') && !tail.contains('=') {
            length += 1;
        }
        self.write_variable(name, length)
    }

    /// Writes the variable of a piece with `length` bytes.
    fn write_variable(&mut self, inner: &str, length: usize) -> Result<(), &'static str> {
        let (written, rest) = self.rest.split_at_checked(length).ok_or(EXPECTED)?;
        let whole = format!("{{{inner}}}");
        let is_operator = inner.strip_prefix('+').is_some_and(is_variable_name);
        let is_whole = (self.is_declared)(inner) && !inner.contains(['{', '}', '/', '#']);
        let is_known = is_whole || is_operator && written == whole;
        let name = if is_known { Some(inner) } else { bare_variable_name(inner, self.is_declared) };
        let queries = inner.strip_prefix(['?', '&']);
        let is_expansion = || {
            queries.is_some_and(|names| {
                names.split(',').all(|name| (self.is_query)(name.trim_end_matches('*')))
            })
        };
        let plain = match name {
            _ if !is_known && is_expansion() => String::new(),
            Some(name) => format!("{{{name}}}"),
            // An empty name, and braces in a name, are refused where the key is split.
            None if inner.is_empty() && written == whole => whole,
            None => return Err(EXPECTED),
        };
        if plain != written {
            self.first.get_or_insert_with(|| (written.to_owned(), plain.clone()));
        }
        self.key.push_str(&plain);
        self.rest = rest;
        Ok(())
    }

    fn copy_character(&mut self, c: char) {
        self.key.push(c);
        self.rest = self.rest.get(c.len_utf8()..).unwrap_or_default();
    }
}

/// The name of a variable without its operator, constraint, default and repetition; `None` if it is not clear.
fn bare_variable_name<'t>(inner: &'t str, is_declared: &dyn Fn(&str) -> bool) -> Option<&'t str> {
    let bare = inner.trim().trim_start_matches(['*', '+', ':', '!']);
    let mut parts = bare.splitn(3, ':').map(str::trim);
    let first = parts.next().unwrap_or_default();
    let first = first.split(['=', '<', '(']).next().unwrap_or_default();
    let first = first.trim().trim_end_matches(['?', '*', '+']);
    let second = parts.next().filter(|second| is_variable_name(second));
    let name = match second {
        // Converters stand before the name in Flask and Django, constraints behind it in others.
        Some(second)
            if !is_declared(first) && (is_declared(second) || is_route_converter(first)) =>
        {
            second
        }
        _ => first,
    };
    (is_variable_name(name) || is_declared(name) && !name.is_empty()).then_some(name)
}

fn is_variable_name(text: &str) -> bool {
    !text.is_empty()
        && text.chars().all(|c| c.is_alphanumeric() || "_-.$@ ".contains(c))
        && !text.starts_with('.')
}

fn is_route_converter(text: &str) -> bool {
    ["any", "float", "int", "path", "slug", "str", "string", "uuid"].contains(&text)
}

/// The offset of the bracket that closes the first one; brackets after `\` do not count. `brackets` are both.
fn closing_bracket(text: &str, brackets: &str) -> Option<usize> {
    let (open, close) = (brackets.chars().next()?, brackets.chars().next_back()?);
    let mut depth = 0_usize;
    let mut is_escaped = false;
    for (at, c) in text.char_indices() {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            _ if c == open => depth += 1,
            _ if c == close => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}

const EXPECTED: &str = "a path whose variables are names in `{` and `}`";
const WILDCARD: &str = "a path without wildcards";

#[cfg(test)]
mod tests {
    use proptest::{prelude::*, sample::select};

    use super::*;
    use crate::template::Template;

    /// Rewrites a key whose operation declares `id` and `rest`, and `q` for the query.
    fn read(key: &str) -> Result<Option<Plain>, &'static str> {
        rewrite_framework_key(key, &|name| name == "id" || name == "rest", &|name| name == "q")
    }

    #[test]
    fn notations_of_frameworks_are_read_as_variables() {
        for (key, expected) in [
            ("/a/{id}", None),
            ("/a/{other.x}", None),
            ("/a/{id}:verb", None),
            ("/a:verb", None),
            ("/a/:8080", None),
            ("/a('{id}')", None),
            ("/a/{id:[0-9]+}", Some("/a/{id}")),
            ("/a/{id:[0-9]{4}}/b", Some("/a/{id}/b")),
            (r"/a/{id:\d{1,3}}.json", Some("/a/{id}.json")),
            ("/a/{id : [^/?#]+}", Some("/a/{id}")),
            ("/a/{id:int}", Some("/a/{id}")),
            ("/a/{int:id}", Some("/a/{id}")),
            ("/a/{uuid:other}", Some("/a/{other}")),
            ("/a/{id:min(1)}", Some("/a/{id}")),
            ("/a/{id?}", Some("/a/{id}")),
            ("/a/{id=5}", Some("/a/{id}")),
            (r"/a/{id<\d+>}", Some("/a/{id}")),
            ("/a/{id=projects/*/b}", Some("/a/{id}")),
            ("/a/{*rest}", Some("/a/{rest}")),
            ("/a/{**rest}", Some("/a/{rest}")),
            ("/a/{rest+}", Some("/a/{rest}")),
            ("/a/{rest*}", Some("/a/{rest}")),
            ("/a/{rest:path}", Some("/a/{rest}")),
            ("/a/{{id}}", Some("/a/{id}")),
            ("/a/${id}", Some("/a/{id}")),
            ("/a/%7Bid%7D", Some("/a/{id}")),
            ("/a/:id/x", Some("/a/{id}/x")),
            (r"/a/:id(\d+)/x", Some("/a/{id}/x")),
            ("/a/:id?/x", Some("/a/{id}/x")),
            ("/a/:id.json", Some("/a/{id}.json")),
            ("/a/:other", Some("/a/{other}")),
            ("/a/<int:id>/x", Some("/a/{id}/x")),
            ("/a/<id>", Some("/a/{id}")),
            ("/a/[id]", Some("/a/{id}")),
            ("/a/[...rest]", Some("/a/{rest}")),
            ("/a/*rest", Some("/a/{rest}")),
            ("/a/(?P<id>[0-9]+)/", Some("/a/{id}/")),
            ("/a{?q}", Some("/a")),
        ] {
            let got = read(key).map(|plain| plain.map(|plain| plain.key));
            assert_eq!(got, Ok(expected.map(str::to_owned)), "{key}");
            assert!(expected.is_none() || has_framework_notation(key), "{key}");
        }
    }

    #[test]
    fn a_declared_variable_name_is_not_read_as_a_notation() {
        for name in ["name?", "+x", ":id", "a:b", "x*"] {
            let key = format!("/a/{{{name}}}");
            assert_eq!(
                rewrite_framework_key(&key, &|known| known == name, &|_| false),
                Ok(None),
                "{key}"
            );
        }
    }

    #[test]
    fn ambiguous_path_keys_are_refused() {
        let texts = "/a/* /a/**/b /a/{id,rest} /a/{.id} /a/< /a/%7Bid /a/{?other} /a/[ /a/:id(";
        for key in texts.split_whitespace() {
            assert!(read(key).is_err(), "{key}");
        }
    }

    /// A notation of the variable `id` with a pattern that has no unpaired brackets.
    fn notation() -> impl Strategy<Value = String> {
        let pattern =
            select(vec!["[0-9]+", r"\d{4}", "[^/?#]+", r"[a-z]{1,3}\{", ".*", "(a|b)", "int"]);
        let texts = "{id:P} {id} {id?} {*id} {**id} {id*} {id+} {id=x} {{id}} ${id} %7Bid%7D :id
            <id> <int:id> [id] [...id] *id (?P<id>[0-9]+)";
        let kind = select(texts.split_whitespace().chain(["{id: P}"]).collect::<Vec<_>>());
        (kind, pattern).prop_map(|(kind, pattern)| {
            kind.replace("id:P", &format!("id:{pattern}")).replace(": P", &format!(": {pattern}"))
        })
    }

    proptest! {
        #[test]
        fn a_declared_variable_is_filled_in_whatever_its_notation(notation in notation()) {
            let key = format!("/items/{notation}/parts");
            let read = read(&key).unwrap().map_or_else(|| key.clone(), |plain| plain.key);
            prop_assert_eq!(&read, "/items/{id}/parts", "{}", key);
            prop_assert!(Template::parse(&read).is_ok());
        }

        #[test]
        fn every_key_is_read_without_a_panic(key in "/[/a:*?{}<>()%7BD$.=+\\[\\]]{0,16}") {
            if let Ok(Some(plain)) = read(&key) {
                prop_assert!(has_framework_notation(&key), "{}", key);
                drop(Template::parse(&plain.key));
            }
        }
    }
}
