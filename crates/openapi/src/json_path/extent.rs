//! Counts the nodes that an expression selects before it is evaluated, each as often as it is selected: unions and
//! descendants multiply them (`$..[*,*]..*`), and the evaluation keeps a path for each. A filter counts as if it kept all.

use callgate_tool::Value;

use super::{Letters, PathStep, plain};

/// The segments of an expression, as far as they decide how many nodes it selects.
#[derive(Clone, Debug, Default)]
pub(super) struct Extent {
    segments: Box<[Segment]>,
    /// True if a filter may cost more than a look at each node.
    is_costly: bool,
}

/// One segment: its selectors of single children, and the number of those that may select any child.
#[derive(Clone, Debug, Default)]
struct Segment {
    descends: bool,
    single: Vec<PathStep>,
    n_any: u64,
    has_wildcard: bool,
}

impl Extent {
    pub(super) fn from_text(text: &str) -> Self {
        let mut extent = Self::default();
        let mut segments = Vec::new();
        let mut rest = text.trim_start_matches('$').trim_ascii_start();
        while !rest.is_empty() {
            let mut segment = Segment::default();
            let after = match rest.strip_prefix("..") {
                Some(after) => {
                    segment.descends = true;
                    after
                }
                None => rest.strip_prefix('.').unwrap_or(rest),
            };
            rest = match after.strip_prefix('[') {
                Some(inner) => extent.read_brackets(inner, &mut segment),
                None => read_dotted_name(after, &mut segment),
            };
            rest = rest.trim_ascii_start();
            segments.push(segment);
        }
        extent.segments = segments.into();
        extent
    }

    /// The segments, if each is one name, index or wildcard that selects children.
    pub(super) fn plain_segments(&self) -> Option<Box<[plain::Segment]>> {
        let plain = |segment: &Segment| match (&*segment.single, segment.n_any) {
            _ if segment.descends => None,
            ([step], 0) => Some(plain::Segment::Step(step.clone())),
            ([], 1) => segment.has_wildcard.then_some(plain::Segment::Wildcard),
            _ => None,
        };
        self.segments.iter().map(plain).collect()
    }

    /// Reads the selectors in brackets; returns the text behind them.
    fn read_brackets<'t>(&mut self, text: &'t str, segment: &mut Segment) -> &'t str {
        let (mut depth, mut start) = (0_usize, 0);
        for (at, letter, _) in Letters::new(text).filter(|(.., is_quoted)| !is_quoted) {
            match letter {
                '[' | '(' => depth += 1,
                ']' if depth == 0 => {
                    self.record_selector(text.get(start..at).unwrap_or_default(), segment);
                    return text.get(at + 1..).unwrap_or_default();
                }
                ']' | ')' => depth = depth.saturating_sub(1),
                ',' if depth == 0 => {
                    self.record_selector(text.get(start..at).unwrap_or_default(), segment);
                    start = at + 1;
                }
                _ => {}
            }
        }
        ""
    }

    fn record_selector(&mut self, text: &str, segment: &mut Segment) {
        let text = text.trim();
        let quoted = |quote| text.strip_prefix(quote)?.strip_suffix(quote);
        let name = quoted('\'').or_else(|| quoted('"')).filter(|name| !name.contains('\\'));
        if let Some(name) = name {
            segment.single.push(PathStep::Name(name.to_owned()));
        } else if let Ok(index) = text.parse() {
            segment.single.push(PathStep::Index(index));
        } else {
            segment.n_any = segment.n_any.saturating_add(1);
            segment.has_wildcard |= text == "*";
            self.is_costly |= text.starts_with('?') && is_costly(text);
        }
    }

    /// Returns true if the selected nodes, and those selected on the way, have few steps for a value of this size.
    pub(super) fn is_affordable(&self, root: &Value) -> bool {
        if self.is_costly {
            return false;
        }
        let mut left = node_count(root).saturating_mul(STEPS).saturating_add(LEAST_STEPS);
        let mut at = vec![0; self.segments.len() + 1];
        if let Some(first) = at.first_mut() {
            *first = 1;
        }
        let open = vec![0; self.segments.len()];
        self.spend_on_node(root, 1, Counts { at, open }, &mut left).is_some()
    }

    /// Takes the steps of a node and of those below it from `left`; `None` if there are not so many.
    fn spend_on_node(
        &self,
        value: &Value,
        depth: u64,
        mut counts: Counts,
        left: &mut u64,
    ) -> Option<()> {
        let total = counts.at.iter().fold(0_u64, |sum, n| sum.saturating_add(*n));
        *left = left.checked_sub(total.saturating_mul(depth))?;
        for ((open, segment), at) in counts.open.iter_mut().zip(&self.segments).zip(&counts.at) {
            *open = if segment.descends { open.saturating_add(*at) } else { *at };
        }
        let mut child = |value: &Value, step: &PathStep| match self.child_counts(&counts.open, step)
        {
            Some(below) => self.spend_on_node(value, depth.saturating_add(1), below, left),
            None => Some(()),
        };
        match value {
            Value::Array(items) => {
                let mut items = items.iter().enumerate();
                items.try_for_each(|(at, item)| child(item, &PathStep::Index(at)))
            }
            Value::Object(members) => {
                let mut members = members.iter();
                members.try_for_each(|(name, member)| child(member, &PathStep::Name(name.clone())))
            }
            _ => Some(()),
        }
    }

    /// The counts of a child that something selects; `open` has for each segment how often it selects from its parent.
    fn child_counts(&self, open: &[u64], step: &PathStep) -> Option<Counts> {
        let selected = self.segments.iter().zip(open).map(|(segment, n)| {
            let n_single = segment.single.iter().filter(|single| *single == step).count();
            let n_selectors = segment.n_any.saturating_add(u64::try_from(n_single).unwrap_or(1));
            n.saturating_mul(n_selectors)
        });
        let at: Vec<u64> = [0].into_iter().chain(selected).collect();
        let kept = self.segments.iter().zip(open);
        let open: Vec<u64> = kept.map(|(entry, n)| if entry.descends { *n } else { 0 }).collect();
        let is_any = at.iter().chain(&open).any(|n| *n > 0);
        is_any.then_some(Counts { at, open })
    }
}

/// The number of times that a node is selected by the first segments, and is below a node whose descendants a segment selects.
struct Counts {
    at: Vec<u64>,
    open: Vec<u64>,
}

fn read_dotted_name<'t>(text: &'t str, segment: &mut Segment) -> &'t str {
    if let Some(rest) = text.strip_prefix('*') {
        (segment.n_any, segment.has_wildcard) = (1, true);
        return rest;
    }
    let is_end = |c: char| c.is_ascii_whitespace() || matches!(c, '.' | '[');
    let end = text.find(is_end).unwrap_or(text.len());
    let (name, rest) = text.split_at_checked(end).unwrap_or((text, ""));
    segment.single.push(PathStep::Name(name.to_owned()));
    // Every segment is longer than nothing, so that the reading ends.
    if name.is_empty() { rest.get(1..).unwrap_or_default() } else { rest }
}

/// Returns true if a filter searches descendants more than once, or those of the root for each node, or has large unions.
fn is_costly(filter: &str) -> bool {
    let plain = Letters::new(filter).filter(|(.., is_quoted)| !is_quoted);
    let plain: String = plain.map(|(_, letter, _)| letter).collect();
    let n_wide = plain.matches(['*', ':', '?']).count();
    let n_descents = plain.matches("..").count();
    n_wide > MOST_WIDE || n_descents > 1 || n_descents == 1 && plain.contains('$')
}

fn node_count(value: &Value) -> u64 {
    let below: u64 = match value {
        Value::Array(items) => items.iter().map(node_count).sum(),
        Value::Object(members) => members.iter().map(|(_, member)| node_count(member)).sum(),
        _ => 0,
    };
    below.saturating_add(1)
}

/// The steps for each node of the value. Paths in descriptions have about ten; two searches of descendants need more.
const STEPS: u64 = 64;
/// The steps that every expression may take.
const LEAST_STEPS: u64 = 100_000;
/// The number of selectors of many nodes within a filter.
const MOST_WIDE: usize = 8;

#[cfg(test)]
mod tests {
    use callgate_tool::json;
    use proptest::prelude::*;

    use super::*;
    use crate::JsonPath;

    #[test]
    fn a_path_that_selects_each_node_many_times_is_too_large() {
        let items: Vec<Value> = (0..5000).map(|n| json!({"a": {"b": [n, {"c": n}]}})).collect();
        let value = json!({"x": items});
        let union = |n: usize| format!("[{}]", vec!["*"; n].join(","));
        for (text, expected) in [
            ("$".to_owned(), true),
            ("$..*".to_owned(), true),
            ("$..a..c".to_owned(), true),
            ("$..*..*".to_owned(), true),
            ("$.x[?@.a.b]".to_owned(), true),
            ("$..[?@.b == '..']".to_owned(), true),
            ("$..[?@..c]".to_owned(), true),
            ("$.x[0, 1]['a', \"b\"]".to_owned(), true),
            (format!("$..{}", union(2)), true),
            (format!("$..{}", union(200)), false),
            (format!("$..[{}]", vec!["::1"; 200].join(",")), false),
            (format!("$..[{}]", vec!["?@.a || @.b"; 200].join(", ")), false),
            (format!("$.x{}", union(4).repeat(8)), false),
            (format!("$..{0}..{0}..{0}", union(9)), false),
            ("$..[?@..a || @..b]".to_owned(), false),
            ("$..[?$..a]".to_owned(), false),
            (format!("$.x[?count(@{}) > 1]", union(9)), false),
        ] {
            assert_eq!(Extent::from_text(&text).is_affordable(&value), expected, "{text}");
        }
    }

    fn expression() -> impl Strategy<Value = String> {
        let selector =
            prop::sample::select(vec!["*", "'a'", "\"b\"", "0", "-1", "::1", "?@.a", "1:"]);
        let union =
            prop::collection::vec(selector, 1..4).prop_map(|all| format!("[{}]", all.join(" , ")));
        let segment = prop_oneof![
            union.clone(),
            union.prop_map(|union| format!("..{union}")),
            prop::sample::select(vec![".a", ".b", ".*", "..a", "..*"]).prop_map(str::to_owned),
        ];
        prop::collection::vec(segment, 0..4).prop_map(|all| format!("${}", all.concat()))
    }

    fn tree() -> impl Strategy<Value = Value> {
        Just(Value::from(1)).prop_recursive(4, 24, 3, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..3).prop_map(Value::Array),
                prop::collection::btree_map("[ab]", inner, 0..3)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn a_json_path_selects_no_more_than_its_counted_extent(text in expression(), value in tree()) {
            let path = JsonPath::parse(&text).unwrap();
            let selected: usize = path.selected_places(&value).iter().map(|place| place.len() + 1).sum();
            let extent = Extent::from_text(&text);
            let mut left = u64::MAX;
            let at = [1].into_iter().chain(vec![0; extent.segments.len()]).collect();
            let open = vec![0; extent.segments.len()];
            extent.spend_on_node(&value, 1, Counts { at, open }, &mut left).unwrap();
            let counted = u64::MAX - left;
            prop_assert!(u64::try_from(selected).unwrap() <= counted, "{} {}: {} {}", text, value, selected, counted);
        }
    }
}
