//! Reads the challenges of a response (RFC 9110 §11.6.1): their schemes, and the reason that they give by the parameters of
//! RFC 6750 §3. Callers decide what a challenge means.

use http::{HeaderMap, header::WWW_AUTHENTICATE};

/// One challenge of `WWW-Authenticate`.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct Challenge<'a> {
    /// The scheme, as written.
    pub scheme: &'a str,
    /// The error code.
    pub error: Option<&'a str>,
    /// The description of the error, in the words of the service.
    pub description: Option<String>,
    /// The scope that the request needs.
    pub scope: Option<&'a str>,
}

impl<'a> Challenge<'a> {
    /// The reason: the description of the error, or else its code. `None` if the challenge gives neither.
    pub fn reason(&self) -> Option<&str> {
        let description = self.description.as_deref().map(str::trim);
        let description = description.filter(|description| !description.is_empty());
        description.or(self.error).filter(|reason| !reason.is_empty())
    }

    fn set_parameter(&mut self, name: &str, value: &'a str) {
        let inner = value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
        let text = inner.unwrap_or_else(|| value.trim_matches('"'));
        match name.to_ascii_lowercase().as_str() {
            "error" => self.error = Some(text),
            "error_description" => self.description = Some(unescape_quoted_text(text)),
            "scope" => self.scope = Some(text),
            _ => {}
        }
    }
}

/// The challenges in all `WWW-Authenticate` headers, in their order.
pub fn challenges(headers: &HeaderMap) -> Vec<Challenge<'_>> {
    let mut challenges: Vec<Challenge<'_>> = Vec::new();
    let values = headers.get_all(WWW_AUTHENTICATE).into_iter();
    for part in values.filter_map(|value| value.to_str().ok()).flat_map(list_elements) {
        let parameter = match scheme_and_rest(part) {
            Some((scheme, rest)) => {
                challenges.push(Challenge { scheme, ..Challenge::default() });
                rest
            }
            None => part,
        };
        if let (Some(challenge), Some((name, value))) =
            (challenges.last_mut(), parameter.split_once('='))
        {
            challenge.set_parameter(name.trim_end(), value.trim());
        }
    }
    challenges
}

/// The scheme at the beginning of a list element and the text after it; `None` for a parameter of the previous challenge.
fn scheme_and_rest(element: &str) -> Option<(&str, &str)> {
    let (scheme, rest) = element.split_once([' ', '\t']).unwrap_or((element, ""));
    let rest = rest.trim_start();
    // `error = "x"` with blanks around the sign is also a parameter (RFC 9110 §5.6.3).
    (!scheme.is_empty() && !scheme.contains('=') && !rest.starts_with('='))
        .then_some((scheme, rest))
}

/// The elements of a list, separated by commas outside quotes.
fn list_elements(value: &str) -> impl Iterator<Item = &str> {
    let (mut is_quoted, mut is_escaped) = (false, false);
    let elements = value.split(move |character| {
        if is_escaped {
            is_escaped = false;
            return false;
        }
        match character {
            '\\' => is_escaped = is_quoted,
            '"' => is_quoted = !is_quoted,
            _ => {}
        }
        character == ',' && !is_quoted
    });
    elements.map(str::trim).filter(|element| !element.is_empty())
}

/// The content of a quoted string (RFC 9110 §5.6.4).
fn unescape_quoted_text(quoted: &str) -> String {
    let mut characters = quoted.chars();
    let mut text = String::with_capacity(quoted.len());
    while let Some(character) = characters.next() {
        text.extend(if character == '\\' { characters.next() } else { Some(character) });
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn challenges_have_their_own_parameters() {
        let headers = HeaderMap::from_iter([
            (
                WWW_AUTHENTICATE,
                "Basic realm=\"error=x, b\", Bearer error=a, scope=\"b c\"".parse().unwrap(),
            ),
            (
                WWW_AUTHENTICATE,
                "Basic error = \"d\", error_description=\"an \\\"e\\\"\"".parse().unwrap(),
            ),
        ]);
        let challenges = challenges(&headers);
        let shown: Vec<_> = challenges
            .iter()
            .map(|challenge| {
                (challenge.scheme, challenge.error, challenge.reason(), challenge.scope)
            })
            .collect();
        assert_eq!(
            shown,
            [
                ("Basic", None, None, None),
                ("Bearer", Some("a"), Some("a"), Some("b c")),
                ("Basic", Some("d"), Some("an \"e\""), None),
            ]
        );
    }
}
