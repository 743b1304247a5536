//! The condition that a request sets for the session it changes: `If-Match` and `If-None-Match` (RFC 9110 §13.1).

use callgate_session::{Expected, Version};
use http::{HeaderMap, HeaderName, header};

use super::version_conflict;
use crate::problem::{Problem, ProblemKind};

#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) enum Condition {
    /// `If-None-Match: *`.
    Absent,
    Any,
    /// `If-Match: *`.
    Present,
    /// `If-Match: "7", "8"`: one of these versions. Empty if no tag can be one of ours.
    Versions(Vec<u64>),
}

impl Condition {
    pub(super) fn from_headers(headers: &HeaderMap) -> Result<Self, Problem> {
        let (matching, differing) =
            (header_list(headers, header::IF_MATCH)?, header_list(headers, header::IF_NONE_MATCH)?);
        match (matching.as_deref(), differing.as_deref()) {
            (None, None) => Ok(Self::Any),
            (Some("*"), None) => Ok(Self::Present),
            (None, Some("*")) => Ok(Self::Absent),
            (Some(tags), None) => entity_tag_versions(tags)
                .map(Self::Versions)
                .ok_or_else(unreadable_condition_problem),
            // A session cannot both exist and be absent.
            (Some(_), Some("*")) => Err(version_conflict()),
            (_, Some(_)) => Err(unreadable_condition_problem()),
        }
    }

    pub(super) fn expected_version(
        &self,
        current_version: Option<Version>,
    ) -> Result<Expected, Problem> {
        match (self, current_version) {
            (Self::Any, _) => Ok(Expected::Any),
            (Self::Absent, None) => Ok(Expected::Absent),
            (Self::Present, Some(version)) => Ok(Expected::Version(version)),
            (Self::Versions(numbers), Some(version)) if numbers.contains(&version.number()) => {
                Ok(Expected::Version(version))
            }
            _ => Err(version_conflict()),
        }
    }
}

/// The list of a header; several headers with one name form one list (RFC 9110 §5.3).
fn header_list(headers: &HeaderMap, name: HeaderName) -> Result<Option<String>, Problem> {
    let values: Result<Vec<_>, _> =
        headers.get_all(name).iter().map(|value| value.to_str().map(str::trim)).collect();
    let values = values.map_err(|_| unreadable_condition_problem())?;
    Ok((!values.is_empty()).then(|| values.join(",")))
}

/// The versions in entity tags (RFC 9110 §8.8.3), of which weak and foreign ones match none; `None` for other text.
fn entity_tag_versions(list: &str) -> Option<Vec<u64>> {
    let mut versions = Vec::new();
    let mut rest = list;
    loop {
        let strong = rest.strip_prefix("W/");
        let (tag, after) = match strong.unwrap_or(rest).strip_prefix('"') {
            Some(quoted) => quoted.split_once('"')?,
            // Clients forget the quotation marks around the number.
            None if list == rest
                && !list.is_empty()
                && list.bytes().all(|byte| byte.is_ascii_digit()) =>
            {
                (list, "")
            }
            None => return None,
        };
        if !tag.bytes().all(|byte| byte.is_ascii_graphic()) {
            return None;
        }
        versions.extend(tag.parse::<u64>().ok().filter(|_| strong.is_none()));
        let after = after.trim_start();
        if after.is_empty() {
            return Some(versions);
        }
        rest = after.strip_prefix(',')?.trim_start();
    }
}

fn unreadable_condition_problem() -> Problem {
    let detail = "expected `If-Match` with entity tags or `*`, or `If-None-Match: *`";
    Problem::new(ProblemKind::MALFORMED_HEADER, detail)
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn condition(headers: &[(HeaderName, &'static str)]) -> Option<Condition> {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(name, HeaderValue::from_static(value));
        }
        Condition::from_headers(&map).ok()
    }

    #[test]
    fn etags_of_a_list_are_versions_and_weak_ones_never_match() {
        for (text, expected) in [
            (r#""7""#, Some(vec![7])),
            ("7", Some(vec![7])),
            (r#""7", "8""#, Some(vec![7, 8])),
            (r#""7","a,b" , "9""#, Some(vec![7, 9])),
            (r#"W/"7""#, Some(vec![])),
            (r#"W/"7","8""#, Some(vec![8])),
            (r#""""#, Some(vec![])),
            (r#""another""#, Some(vec![])),
            (r#""7" "8""#, None),
            (r#""7","#, None),
            (r#","7""#, None),
            (r#""7"#, None),
            ("another", None),
            ("7,8", None),
            (r#""7",*"#, None),
            (r#""7 8""#, None),
            ("", None),
        ] {
            let expected = expected.map(Condition::Versions);
            assert_eq!(condition(&[(header::IF_MATCH, text)]), expected, "{text}");
        }
    }

    #[test]
    fn several_if_match_headers_are_one_list() {
        let twice = [(header::IF_MATCH, r#""7""#), (header::IF_MATCH, r#""8""#)];
        assert_eq!(condition(&twice), Some(Condition::Versions(vec![7, 8])));
        assert_eq!(condition(&[(header::IF_MATCH, "*"), (header::IF_MATCH, r#""7""#)]), None);
    }

    #[test]
    fn only_one_condition_of_a_request_is_accepted() {
        assert_eq!(condition(&[]), Some(Condition::Any));
        assert_eq!(condition(&[(header::IF_MATCH, "*")]), Some(Condition::Present));
        assert_eq!(condition(&[(header::IF_NONE_MATCH, "*")]), Some(Condition::Absent));
        assert_eq!(condition(&[(header::IF_NONE_MATCH, r#""7""#)]), None);
        assert_eq!(condition(&[(header::IF_MATCH, r#""7""#), (header::IF_NONE_MATCH, "*")]), None);
    }
}
