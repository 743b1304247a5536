//! Applies schemas to values within a budget. A step is one schema applied to one value; results that several schemas may
//! need again are remembered. `valid` stops at the first broken rule, `violations` collects all.

mod array;
mod coverage;
mod in_place;
mod object;
mod violations;

use std::marker::PhantomData;

use callgate_tool::{Number, Value};

use super::{
    budget::{Budget, Paid, Spent},
    equal::value_hash_and_size,
    instance::{Instance, Types},
    memo::{Key, Memo},
    node::{Limit, Node, Rule, equals_instance},
    program::{Formats, Scope},
};
pub(crate) use violations::{Breach, MOST, Segment, Violation};

/// The treatment of values that match several branches of a `oneOf`.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Overlap {
    /// The values are accepted, since descriptions often overlap by mistake; below `not` and `if` they are refused.
    Accepted,
    Refused,
}

/// Checks of values that do not change during the run.
#[derive(Debug)]
pub(crate) struct Run<'p, 'v> {
    scope: Scope<'p>,
    pub(crate) budget: Budget,
    overlap: Overlap,
    memo: Memo,
    depth: usize,
    /// The most bytes that compared items took.
    scratch: usize,
    values: PhantomData<&'v Value>,
}

impl<'p, 'v> Run<'p, 'v> {
    pub(crate) fn new(scope: Scope<'p>, budget: Budget, overlap: Overlap) -> Self {
        let memo = Memo::new();
        Self { scope, budget, overlap, memo, depth: 0, scratch: 0, values: PhantomData }
    }

    /// The most bytes on the heap for results, and for compared items.
    pub(crate) fn peak_bytes(&self) -> usize {
        self.memo.peak_bytes() + self.scratch
    }

    pub(crate) fn is_valid(&mut self, node: &'p Node, at: Instance<'v>) -> Paid<bool> {
        let Some(node) = self.resolved_node(node) else { return Ok(true) };
        self.budget.charge(1)?;
        if !self.has_type(node.types, at)? {
            return Ok(false);
        }
        if !node.is_shared {
            return self.meets_rules(node, at);
        }
        let key = self.memo_key(node, at);
        if let Some(cached_result) = self.memo.get(key) {
            return Ok(cached_result);
        }
        // A schema that leads back to itself for one value adds no rule.
        self.memo.set(key, true);
        let is_valid = self.meets_rules(node, at)?;
        if !is_valid {
            self.memo.set(key, false);
        }
        Ok(is_valid)
    }

    fn memo_key(&self, node: &Node, at: Instance<'_>) -> Key {
        let mode = if self.overlap == Overlap::Accepted { ACCEPTED } else { 0 };
        (std::ptr::from_ref(node).addr() | mode, at.address())
    }

    /// The schema at the end of a chain of references; `None` if the chain leads nowhere.
    pub(super) fn resolved_node(&self, node: &'p Node) -> Option<&'p Node> {
        let mut node = node;
        for _ in 0..LONGEST_CHAIN {
            let Some(target) = node.reference_target() else { return Some(node) };
            node = self.scope.node(target)?;
        }
        None
    }

    fn has_type(&mut self, types: Types, at: Instance<'v>) -> Paid<bool> {
        if types == Types::ALL {
            return Ok(true);
        }
        if let Some(number) = at.number().filter(|_| !types.contains(Types::NUMBER)) {
            self.budget.charge(digits_cost(number))?;
        }
        Ok(types.allows(at))
    }

    fn meets_rules(&mut self, node: &'p Node, at: Instance<'v>) -> Paid<bool> {
        self.with_deeper_level(|run| {
            run.each_holds(&node.rules, |run, rule| run.rule_holds(rule, node, at))
        })
    }

    fn each_holds<T>(
        &mut self,
        each: impl IntoIterator<Item = T>,
        mut holds: impl FnMut(&mut Self, T) -> Paid<bool>,
    ) -> Paid<bool> {
        for one in each {
            if !holds(self, one)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn with_deeper_level<T>(&mut self, apply: impl FnOnce(&mut Self) -> Paid<T>) -> Paid<T> {
        self.enter_level()?;
        let applied = apply(self);
        self.depth -= 1;
        applied
    }

    fn enter_level(&mut self) -> Paid {
        if self.depth == DEEPEST {
            return Err(Spent::Depth);
        }
        self.depth += 1;
        Ok(())
    }

    fn rule_holds(&mut self, rule: &'p Rule, node: &'p Node, at: Instance<'v>) -> Paid<bool> {
        match rule {
            Rule::Const(_) | Rule::Enum(_) | Rule::Never => self.is_listed_value(rule, at),
            Rule::Format(_) | Rule::MaxLength(_) | Rule::MinLength(_) | Rule::Pattern(_) => {
                at.text().map_or(Ok(true), |text| self.text_rule_holds(rule, text))
            }
            Rule::Limit(limit, bound) => at.number().map_or(Ok(true), |number| {
                let factor = if matches!(limit, Limit::MultipleOf) { DIVISION } else { 1 };
                self.budget.charge((digits_cost(number) + digits_cost(bound)) * factor)?;
                Ok(limit.holds(bound, number))
            }),
            Rule::Contains(_) | Rule::Items(_) | Rule::UnevaluatedItems(_) | Rule::UniqueItems => {
                at.array().map_or(Ok(true), |items| self.array_rule_holds(rule, node, items, at))
            }
            Rule::MaxItems(most) => Ok(at.array().is_none_or(|items| items.len() as u64 <= *most)),
            Rule::MinItems(least) => {
                Ok(at.array().is_none_or(|items| items.len() as u64 >= *least))
            }
            Rule::Tag(_) => Ok(true),
            Rule::AllOf(_)
            | Rule::AnyOf(_)
            | Rule::If(_)
            | Rule::Not(_)
            | Rule::OneOf(_)
            | Rule::Reference(_) => self.in_place_rule_holds(rule, at),
            _ => at
                .object()
                .map_or(Ok(true), |members| self.object_rule_holds(rule, node, members, at)),
        }
    }

    fn is_listed_value(&mut self, rule: &Rule, at: Instance<'v>) -> Paid<bool> {
        let n_values = match rule {
            Rule::Enum(options) => options.values().len().min(FEW),
            _ => 1,
        };
        if let Instance::Value(value @ (Value::Array(_) | Value::Object(_))) = at {
            self.budget.charge(value_hash_and_size(value).1.saturating_mul(n_values))?;
        } else {
            let size = at.text().map_or(0, |text| text.len() / TEXT);
            self.budget.charge(size + at.number().map_or(0, digits_cost) * n_values)?;
        }
        Ok(match rule {
            Rule::Const(value) => equals_instance(value, at),
            Rule::Enum(options) => options.contains_instance(at),
            _ => false,
        })
    }

    fn text_rule_holds(&mut self, rule: &Rule, text: &str) -> Paid<bool> {
        match rule {
            Rule::Format(_) if self.scope.formats == Formats::Described => Ok(true),
            Rule::Format(format) => {
                self.budget.charge(text.len() / TEXT)?;
                Ok(format.fits(text))
            }
            // A character has one to four bytes.
            Rule::MaxLength(most) if text.len() as u64 <= *most => Ok(true),
            Rule::MaxLength(most) => Ok(self.n_characters(text)? <= *most),
            Rule::MinLength(least) if text.len() as u64 / 4 >= *least => Ok(true),
            Rule::MinLength(least) => Ok(self.n_characters(text)? >= *least),
            Rule::Pattern(pattern) => pattern.matches_or_too_large(text, &mut self.budget),
            _ => Ok(true),
        }
    }

    fn n_characters(&mut self, text: &str) -> Paid<u64> {
        self.budget.charge(text.len() / TEXT)?;
        Ok(text.chars().count() as u64)
    }

    /// Applies the rules that apply other schemas to the value itself.
    fn in_place_rule_holds(&mut self, rule: &'p Rule, at: Instance<'v>) -> Paid<bool> {
        match rule {
            Rule::AllOf(nodes) => self.each_holds(nodes, |run, node| run.is_valid(node, at)),
            Rule::AnyOf(nodes) => Ok(self.n_valid_up_to(nodes, at, 1)? > 0),
            Rule::If(conditional) => {
                let is_valid =
                    self.with_strict_overlap(|run| run.is_valid(&conditional.condition, at))?;
                let branch = if is_valid { &conditional.then } else { &conditional.otherwise };
                branch.as_ref().map_or(Ok(true), |node| self.is_valid(node, at))
            }
            Rule::Not(node) => Ok(!self.with_strict_overlap(|run| run.is_valid(node, at))?),
            Rule::OneOf(nodes) => match self.overlap {
                Overlap::Accepted => Ok(self.n_valid_up_to(nodes, at, 1)? > 0),
                Overlap::Refused => Ok(self.n_valid_up_to(nodes, at, 2)? == 1),
            },
            Rule::Reference(target) => {
                self.scope.node(*target).map_or(Ok(true), |node| self.is_valid(node, at))
            }
            _ => Ok(true),
        }
    }

    /// The number of schemas that the value meets, counted up to `most`.
    fn n_valid_up_to(&mut self, nodes: &'p [Node], at: Instance<'v>, most: usize) -> Paid<usize> {
        let mut n_valid = 0;
        for node in nodes {
            n_valid += usize::from(self.is_valid(node, at)?);
            if n_valid == most {
                break;
            }
        }
        Ok(n_valid)
    }

    /// Applies schemas strictly: accepting overlaps below `not` or `if` would change their meaning.
    fn with_strict_overlap<T>(&mut self, apply: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::replace(&mut self.overlap, Overlap::Refused);
        let applied = apply(self);
        self.overlap = outer;
        applied
    }
}

impl Limit {
    fn holds(self, bound: &Number, number: &Number) -> bool {
        match self {
            Self::ExclusiveMaximum => number.order(bound).is_lt(),
            Self::ExclusiveMinimum => number.order(bound).is_gt(),
            Self::Maximum => number.order(bound).is_le(),
            Self::Minimum => number.order(bound).is_ge(),
            Self::MultipleOf => number.is_multiple_of(bound).unwrap_or(true),
        }
    }
}

/// The cost of a number beyond its step: zero for 64-bit integers.
fn digits_cost(number: &Number) -> usize {
    if number.as_i64().is_some() { 0 } else { number.digits().len() / TEXT }
}

/// The most levels of nested schemas that are applied, whatever the depth of the value. A text of arguments has at most 128
/// levels; a level here takes 2 KiB of the stack without optimization.
const DEEPEST: usize = 512;
const LONGEST_CHAIN: usize = 128;
/// The bytes of a text, and the digits of a number, that cost a step.
const TEXT: usize = 64;
/// The number of compared digits that cost as much as one digit of a division.
const DIVISION: usize = 32;
/// Values of an `enum` that are compared one by one.
const FEW: usize = 8;
/// The bit next to the lowest bit of an address, which the memo uses.
const ACCEPTED: usize = 2;
