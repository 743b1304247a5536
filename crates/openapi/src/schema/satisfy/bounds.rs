//! Bounds of numbers, lengths and counts that exclude each other, within one schema and between several.

use std::cmp::Ordering;

use callgate_tool::Number;
use callgate_tree::{Node, Object};

use super::{conflict::Conflict, rules::Rules};
use crate::reference::LocatedNode;

#[derive(Clone, Copy)]
struct Bound<'a, 'd> {
    schema: &'a LocatedNode<'d>,
    keyword: &'static str,
    value: &'d Number,
    is_exclusive: bool,
}

pub(super) fn number_conflict(rules: &Rules<'_>) -> Option<Conflict> {
    let (least, most) = (lower_bound(rules)?, upper_bound(rules)?);
    let is_empty = match least.value.order(most.value) {
        Ordering::Greater => true,
        Ordering::Equal => least.is_exclusive || most.is_exclusive,
        Ordering::Less => false,
    };
    is_empty.then(|| bounds_conflict(least, most))
}

pub(super) fn integer_conflict(rules: &Rules<'_>) -> Option<Conflict> {
    if let Some(conflict) = number_conflict(rules) {
        return Some(conflict);
    }
    let (least, most) = (lower_bound(rules)?, upper_bound(rules)?);
    let (first, last) = (first_integer_in_bound(least)?, last_integer_in_bound(most)?);
    if first > last {
        return Some(bounds_conflict(least, most));
    }
    rules.object_schemas().find_map(|(schema, object)| {
        let step = object.get("multipleOf")?.as_number()?.as_u64().and_then(|step| i64::try_from(step).ok())?;
        let next = first.checked_add(step.checked_sub(1)?)?.div_euclid(step.max(1)).checked_mul(step)?;
        let message = format!(
            "expected a multiple of `{step}` within the bounds, got none: from `{first}` to `{last}`"
        );
        (step > 0 && next > last)
            .then(|| Conflict::new(&schema.path().name("multipleOf"), message))
    })
}

pub(super) fn string_conflict(rules: &Rules<'_>) -> Option<Conflict> {
    counts_conflict(rules, "minLength", "maxLength")
}

pub(super) fn counts_conflict(
    rules: &Rules<'_>,
    least: &'static str,
    most: &'static str,
) -> Option<Conflict> {
    let (least, most) =
        (largest_bound(count_bounds(rules, least))?, smallest_bound(count_bounds(rules, most))?);
    least.value.order(most.value).is_gt().then(|| bounds_conflict(least, most))
}

/// The largest number that a keyword names, if it names counts.
pub(super) fn largest_count(rules: &Rules<'_>, keyword: &'static str) -> u64 {
    largest_bound(count_bounds(rules, keyword))
        .and_then(|bound| bound.value.as_u64())
        .unwrap_or_default()
}

/// The smallest number that a keyword names, and its schema.
pub(super) fn smallest_count<'a, 'd>(
    rules: &'a Rules<'d>,
    keyword: &'static str,
) -> Option<(u64, &'a LocatedNode<'d>)> {
    let bound = smallest_bound(count_bounds(rules, keyword))?;
    Some((bound.value.as_u64()?, bound.schema))
}

/// The count that a schema's keyword names; another number is no count, and is left out.
pub(super) fn count_keyword(object: &Object, keyword: &str) -> Option<u64> {
    object.get(keyword)?.as_number()?.as_u64()
}

fn count_bounds<'a, 'd>(
    rules: &'a Rules<'d>,
    keyword: &'static str,
) -> impl Iterator<Item = Bound<'a, 'd>> {
    rules.object_schemas().filter_map(move |(schema, object)| {
        let value = object.get(keyword)?.as_number()?;
        value.as_u64().map(|_| Bound { schema, keyword, value, is_exclusive: false })
    })
}

fn lower_bound<'a, 'd>(rules: &'a Rules<'d>) -> Option<Bound<'a, 'd>> {
    largest_bound(limit_bounds(rules, "minimum", "exclusiveMinimum"))
}

fn upper_bound<'a, 'd>(rules: &'a Rules<'d>) -> Option<Bound<'a, 'd>> {
    smallest_bound(limit_bounds(rules, "maximum", "exclusiveMaximum"))
}

/// The limits of all schemas; in OpenAPI 3.0 `true` makes the other keyword exclusive.
fn limit_bounds<'a, 'd>(
    rules: &'a Rules<'d>,
    inclusive: &'static str,
    exclusive: &'static str,
) -> impl Iterator<Item = Bound<'a, 'd>> {
    rules.object_schemas().flat_map(move |(schema, object)| {
        let is_exclusive = object.is_true(exclusive);
        let own = object.get(inclusive).and_then(Node::as_number);
        let own = own.map(|value| Bound { schema, keyword: inclusive, value, is_exclusive });
        let other = object.get(exclusive).and_then(Node::as_number);
        let other =
            other.map(|value| Bound { schema, keyword: exclusive, value, is_exclusive: true });
        own.into_iter().chain(other)
    })
}

fn largest_bound<'a, 'd>(bounds: impl Iterator<Item = Bound<'a, 'd>>) -> Option<Bound<'a, 'd>> {
    bounds.max_by(|one, other| {
        one.value.order(other.value).then(one.is_exclusive.cmp(&other.is_exclusive))
    })
}

fn smallest_bound<'a, 'd>(bounds: impl Iterator<Item = Bound<'a, 'd>>) -> Option<Bound<'a, 'd>> {
    bounds.min_by(|one, other| {
        one.value.order(other.value).then(other.is_exclusive.cmp(&one.is_exclusive))
    })
}

fn first_integer_in_bound(bound: Bound<'_, '_>) -> Option<i64> {
    if let Some(whole) = bound.value.as_i64() {
        return whole.checked_add(i64::from(bound.is_exclusive));
    }
    exact_fraction(bound.value.as_f64()?).map(f64::floor).and_then(exact_whole)?.checked_add(1)
}

fn last_integer_in_bound(bound: Bound<'_, '_>) -> Option<i64> {
    if let Some(whole) = bound.value.as_i64() {
        return whole.checked_sub(i64::from(bound.is_exclusive));
    }
    exact_fraction(bound.value.as_f64()?).map(f64::ceil).and_then(exact_whole)?.checked_sub(1)
}

/// A number with a fraction, if floating point keeps all of it that counts here.
fn exact_fraction(value: f64) -> Option<f64> {
    (value.abs() < LARGEST && value.fract() != 0.0).then_some(value)
}

#[expect(clippy::cast_possible_truncation, reason = "the value is whole and small")]
fn exact_whole(value: f64) -> Option<i64> {
    (value.abs() <= LARGEST).then_some(value as i64)
}

fn bounds_conflict(least: Bound<'_, '_>, most: Bound<'_, '_>) -> Conflict {
    let (lower, upper) = (least.value, most.value);
    let (from, to) = (least.keyword, most.keyword);
    let other = if least.schema.pointer == most.schema.pointer {
        String::new()
    } else {
        format!(", the latter at `{}`", most.schema.pointer)
    };
    let message =
        format!("expected `{from}` of at most `{to}`, got: `{lower}` and `{upper}`{other}");
    Conflict::new(&least.schema.path().name(from), message)
}

/// Numbers with a fraction are compared with whole numbers up to here.
const LARGEST: f64 = 1e15;
