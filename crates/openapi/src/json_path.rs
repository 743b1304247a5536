//! `JSONPath` expressions (RFC 9535) over callgate's own values. Names, indexes and wildcards are followed here, in the
//! order of the value. `serde_json_path` evaluates filters, slices and descendants on a copy, and the results are then
//! looked up in the value itself, so that no digit is lost.

mod extent;
mod plain;

use std::str::CharIndices;

use callgate_tool::Value;
use serde_json_path::PathElement;

use self::{extent::Extent, plain::Segment};
use crate::selection::InvalidPattern;

/// A parsed expression.
///
/// ```
/// use callgate_openapi::JsonPath;
/// use callgate_tool::Value;
///
/// let pets = Value::parse(r#"[{"price": 1.10}, {"price": 2.50}]"#)?;
/// let dear = JsonPath::parse("$[?@.price > 2].price")?;
/// let found: Vec<_> = dear.select(&pets).into_iter().map(Value::to_string).collect();
/// assert_eq!(found, ["2.50"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct JsonPath {
    path: serde_json_path::JsonPath,
    /// The segments, if this module can follow all of them.
    plain: Option<Box<[Segment]>>,
    order: Order,
    extent: Extent,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Order {
    /// The order in which the expression lists or slices the values.
    Expression,
    /// The order of object members in the value, which the copy does not keep.
    Value,
}

/// One step from a value to a value inside it. The ordering puts the last of several items last.
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[expect(clippy::exhaustive_enums, reason = "a value has no other insides")]
pub enum PathStep {
    /// The item of a list, counted from 0.
    Index(usize),
    /// The member of an object.
    Name(String),
}

impl JsonPath {
    /// Parses an expression.
    ///
    /// # Errors
    /// [`InvalidPattern`] contains the position where the text is invalid.
    ///
    /// ```
    /// let refused = callgate_openapi::JsonPath::parse("pets[0]").unwrap_err();
    /// assert!(refused.to_string().starts_with("expected a JSONPath of RFC 9535: "));
    /// ```
    pub fn parse(text: &str) -> Result<Self, InvalidPattern> {
        match serde_json_path::JsonPath::parse(text) {
            Ok(path) => {
                let extent = Extent::from_text(text);
                Ok(Self {
                    path,
                    plain: extent.plain_segments(),
                    order: Order::for_expression(text),
                    extent,
                })
            }
            Err(error) => Err(InvalidPattern::new("a JSONPath of RFC 9535", &error.message())),
        }
    }

    /// True unless unions or descendants select the nodes of a value of this size many times.
    pub(crate) fn is_affordable(&self, root: &Value) -> bool {
        self.plain.is_some() || self.extent.is_affordable(root)
    }

    /// The selected values. A value that is selected twice occurs twice.
    pub fn select<'v>(&self, root: &'v Value) -> Vec<&'v Value> {
        self.selected_places(root).iter().filter_map(|place| value_at(root, place)).collect()
    }

    /// The paths of the selected values, from the root.
    pub fn selected_places(&self, root: &Value) -> Vec<Vec<PathStep>> {
        if let Some(segments) = &self.plain {
            return plain::selected_places(segments, root);
        }
        let copy = root.to_serde_json();
        let nodes = self.path.query_located(&copy);
        let step = |element: &PathElement<'_>| match element {
            PathElement::Index(at) => PathStep::Index(*at),
            PathElement::Name(name) => PathStep::Name((*name).to_owned()),
        };
        let places = nodes.locations().map(|place| place.iter().map(step).collect());
        let mut places: Vec<Vec<_>> = places.collect();
        if self.order == Order::Value {
            places.sort_by_cached_key(|place| position_key(root, place));
        }
        places
    }
}

impl Order {
    /// RFC 9535 §2.3: several selectors in one segment, and slices that may go backwards, determine their own order.
    fn for_expression(text: &str) -> Self {
        let decides = |(_, c, is_quoted): (usize, char, bool)| !is_quoted && matches!(c, ',' | ':');
        if Letters::new(text).any(decides) { Self::Expression } else { Self::Value }
    }
}

/// The letters of an expression with their offsets, each with true if it is in quotes (the quotes themselves included).
#[derive(Debug)]
pub(crate) struct Letters<'a> {
    rest: CharIndices<'a>,
    quote: Option<char>,
    is_escaped: bool,
}

impl<'a> Letters<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self { rest: text.char_indices(), quote: None, is_escaped: false }
    }
}

impl Iterator for Letters<'_> {
    type Item = (usize, char, bool);

    fn next(&mut self) -> Option<Self::Item> {
        let (at, c) = self.rest.next()?;
        let Some(quote) = self.quote else {
            self.quote = matches!(c, '\'' | '"').then_some(c);
            return Some((at, c, self.quote.is_some()));
        };
        if self.is_escaped {
            self.is_escaped = false;
        } else if c == '\\' {
            self.is_escaped = true;
        } else if c == quote {
            self.quote = None;
        }
        Some((at, c, true))
    }
}

/// The position of a value: the position of its parent first, so that parents come before their descendants.
fn position_key(root: &Value, place: &[PathStep]) -> (Vec<usize>, Option<usize>) {
    let mut value = Some(root);
    let position = |step: &PathStep| {
        let position = match (step, value) {
            (PathStep::Index(at), _) => *at,
            (PathStep::Name(name), Some(Value::Object(members))) => {
                members.position(name).unwrap_or_default()
            }
            _ => 0,
        };
        value = value.and_then(|value| value_at(value, std::slice::from_ref(step)));
        position
    };
    let mut positions: Vec<_> = place.iter().map(position).collect();
    let last = positions.pop();
    (positions, last)
}

fn value_at<'v>(root: &'v Value, place: &[PathStep]) -> Option<&'v Value> {
    place.iter().try_fold(root, |value, step| match step {
        PathStep::Index(at) => value.get(*at),
        PathStep::Name(name) => value.get(name),
    })
}

#[cfg(test)]
mod tests {
    use callgate_tool::json;

    use super::*;

    #[track_caller]
    fn check(path: &str, expected: &[&str]) {
        let value =
            json!({"z": {"n": 1, "list": [{"n": 2}, {"n": 3}]}, "a": {"n": 4}, "b c": [5], "_": 6});
        let path = JsonPath::parse(path).unwrap();
        let found: Vec<_> = path.select(&value).into_iter().map(Value::to_string).collect();
        assert_eq!(found, expected, "{path:?}");
    }

    #[test]
    fn names_indexes_and_wildcards_are_followed_in_the_order_of_the_value() {
        check("$.z.n", &["1"]);
        check("$['z'][\"list\"][1].n", &["3"]);
        check("$.z.list[*].n", &["2", "3"]);
        check("$.*.n", &["1", "4"]);
        check("$['b c'][0]", &["5"]);
        check("$._", &["6"]);
        check("$.z.list[7]", &[]);
        check("$.missing.n", &[]);
        check("$[*]['n']", &["1", "4"]);
    }

    #[test]
    fn filters_slices_and_unions_of_json_path_are_evaluated() {
        check("$.z.list[-1].n", &["3"]);
        check("$.z.list[::-1].n", &["3", "2"]);
        check("$['a','z'].n", &["4", "1"]);
        check("$.z.list[?@.n > 2].n", &["3"]);
        check("$.z..n", &["1", "2", "3"]);
        check("$[?@.n].n", &["1", "4"]);
        check("$..n", &["1", "2", "3", "4"]);
        check("$['z' ]['n']", &["1"]);
        check("$['\\u007a'].n", &["1"]);
    }

    #[test]
    fn json_path_keeps_the_digits_of_numbers() {
        let value = Value::parse(r#"{"a":[{"x":9007199254740993.10},{"x":1e400}]}"#).unwrap();
        let path = JsonPath::parse("$.a[?@.x].x").unwrap();
        let found: Vec<_> = path.select(&value).into_iter().map(Value::to_string).collect();
        assert_eq!(found, ["9007199254740993.10", "1e400"]);
    }
}
