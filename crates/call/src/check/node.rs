//! A schema in the form in which it is applied: its types and its rules, with everything that they need. `compile` makes
//! it, `run` applies it.

use std::sync::Arc;

use callgate_tool::{Number, Value};

use super::{
    equal::{are_equal, hash_text, value_hash_and_size},
    format::Format,
    instance::{Instance, Types},
    pattern::Pattern,
};

#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) types: Types,
    /// The other rules, cheap rules first.
    pub(crate) rules: Box<[Rule]>,
    /// True if several schemas may apply this one to a value, so that its results are remembered.
    pub(crate) is_shared: bool,
}

#[derive(Debug)]
pub(crate) enum Rule {
    AllOf(Box<[Node]>),
    AnyOf(Box<[Node]>),
    Const(Box<Value>),
    Contains(Box<Contains>),
    DependentRequired(Box<[Dependent]>),
    DependentSchemas(Box<[(Box<str>, Node)]>),
    Enum(Box<Options>),
    Format(Format),
    If(Box<Conditional>),
    Items(Box<Items>),
    Limit(Limit, Box<Number>),
    MaxItems(u64),
    MaxLength(u64),
    MaxProperties(u64),
    MinItems(u64),
    MinLength(u64),
    MinProperties(u64),
    Never,
    Not(Box<Node>),
    OneOf(Box<[Node]>),
    Pattern(Arc<Pattern>),
    Properties(Box<Properties>),
    PropertyNames(Box<Node>),
    Reference(ReferenceTarget),
    Required(Box<[Box<str>]>),
    /// The values of a discriminator's property in a branch, which no check demands.
    Tag(Box<(Box<str>, Box<[Value]>)>),
    UnevaluatedItems(Box<Node>),
    UnevaluatedProperties(Box<Node>),
    UniqueItems,
}

pub(crate) type Dependent = (Box<str>, Box<[Box<str>]>);

#[derive(Clone, Copy, Debug)]
pub(crate) enum Limit {
    ExclusiveMaximum,
    ExclusiveMinimum,
    Maximum,
    Minimum,
    MultipleOf,
}

#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(crate) enum ReferenceTarget {
    /// One of the definitions, by its index among their sorted names.
    Definition(usize),
    /// Any other part of the schema, by its index in the order of first mention.
    Part(usize),
}

#[derive(Debug)]
pub(crate) struct Contains {
    pub(crate) node: Node,
    pub(crate) least: u64,
    pub(crate) most: u64,
}

#[derive(Debug)]
pub(crate) struct Conditional {
    pub(crate) condition: Node,
    pub(crate) then: Option<Node>,
    pub(crate) otherwise: Option<Node>,
}

#[derive(Debug)]
pub(crate) struct Items {
    pub(crate) prefix: Box<[Node]>,
    pub(crate) rest: Option<Node>,
}

#[derive(Debug)]
pub(crate) struct Properties {
    declared: Box<[(Box<str>, Node)]>,
    /// Indices into `declared`, sorted by name.
    sorted: Box<[usize]>,
    pub(crate) patterns: Box<[(Arc<Pattern>, Node)]>,
    pub(crate) rest: Option<Node>,
}

#[derive(Debug)]
pub(crate) struct Options {
    values: Box<[Value]>,
    /// The hashes of many values with the values' indices, sorted.
    hashes: Box<[(u64, usize)]>,
}

impl Node {
    pub(crate) fn any() -> Self {
        Self { types: Types::ALL, rules: Box::default(), is_shared: false }
    }

    pub(crate) fn never() -> Self {
        Self { rules: Box::new([Rule::Never]), ..Self::any() }
    }

    pub(crate) fn is_never(&self) -> bool {
        matches!(*self.rules, [Rule::Never])
    }

    pub(crate) fn is_any(&self) -> bool {
        self.rules.is_empty() && self.types == Types::ALL
    }

    /// The target of a schema that is only a reference.
    pub(crate) fn reference_target(&self) -> Option<ReferenceTarget> {
        match *self.rules {
            [Rule::Reference(target)] if self.types == Types::ALL => Some(target),
            _ => None,
        }
    }

    /// Makes results remembered if the rules need more than the value itself.
    pub(crate) fn with_memo_if_costly(mut self) -> Self {
        self.is_shared = self.rules.iter().any(|rule| rule.relative_cost() > 0);
        self
    }
}

impl Rule {
    /// The cost of a rule in comparison with others: zero if it needs only the value itself.
    pub(crate) fn relative_cost(&self) -> u8 {
        match self {
            Self::Const(_)
            | Self::Enum(_)
            | Self::Format(_)
            | Self::Limit(..)
            | Self::MaxItems(_)
            | Self::MaxLength(_)
            | Self::MaxProperties(_)
            | Self::MinItems(_)
            | Self::MinLength(_)
            | Self::MinProperties(_)
            | Self::Never
            | Self::Pattern(_)
            | Self::Tag(_) => 0,
            Self::DependentRequired(_) | Self::Required(_) => 1,
            Self::Contains(_)
            | Self::Items(_)
            | Self::Properties(_)
            | Self::PropertyNames(_)
            | Self::UniqueItems => 2,
            Self::AllOf(_)
            | Self::AnyOf(_)
            | Self::DependentSchemas(_)
            | Self::If(_)
            | Self::Not(_)
            | Self::OneOf(_)
            | Self::Reference(_) => 3,
            Self::UnevaluatedItems(_) | Self::UnevaluatedProperties(_) => 4,
        }
    }
}

impl Properties {
    pub(crate) fn new(
        declared: Vec<(Box<str>, Node)>,
        patterns: Vec<(Arc<Pattern>, Node)>,
        rest: Option<Node>,
    ) -> Self {
        let mut sorted: Vec<_> = declared.iter().enumerate().collect();
        sorted.sort_by_key(|(_, (name, _))| name);
        let sorted = sorted.into_iter().map(|(at, _)| at).collect();
        Self { sorted, declared: declared.into(), patterns: patterns.into(), rest }
    }

    pub(crate) fn property_node(&self, name: &str) -> Option<&Node> {
        if self.declared.len() <= FEW {
            return self.declared.iter().find(|(entry, _)| **entry == *name).map(|(_, node)| node);
        }
        let declared_name =
            |at: &usize| self.declared.get(*at).map_or("", |(declared, _)| declared);
        let at = self.sorted.binary_search_by(|at| declared_name(at).cmp(name)).ok()?;
        self.declared.get(*self.sorted.get(at)?).map(|(_, node)| node)
    }

    pub(crate) fn members(&self) -> impl Iterator<Item = (&str, &Node)> {
        self.declared.iter().map(|(name, node)| (&**name, node))
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.declared.iter().map(|(name, _)| &**name)
    }
}

impl Options {
    pub(crate) fn new(values: Vec<Value>) -> Self {
        let mut hashes = Vec::new();
        if values.len() > FEW {
            hashes.extend(
                values.iter().enumerate().map(|(at, value)| (value_hash_and_size(value).0, at)),
            );
            hashes.sort_unstable();
        }
        Self { values: values.into(), hashes: hashes.into() }
    }

    pub(crate) fn values(&self) -> &[Value] {
        &self.values
    }

    pub(crate) fn contains_instance(&self, instance: Instance<'_>) -> bool {
        if self.hashes.is_empty() {
            return self.values.iter().any(|value| equals_instance(value, instance));
        }
        let hash = match instance {
            Instance::Name(text) => hash_text(text),
            Instance::Value(value) => value_hash_and_size(value).0,
        };
        let first = self.hashes.partition_point(|(entry, _)| *entry < hash);
        let alike = self.hashes.iter().skip(first).take_while(|(entry, _)| *entry == hash);
        let mut alike = alike.filter_map(|(_, at)| self.values.get(*at));
        alike.any(|value| equals_instance(value, instance))
    }
}

pub(crate) fn equals_instance(value: &Value, instance: Instance<'_>) -> bool {
    match instance {
        Instance::Name(text) => value.as_str() == Some(text),
        Instance::Value(Value::String(text)) => value.as_str() == Some(text),
        Instance::Value(instance) => are_equal(value, instance),
    }
}

/// The most values that are searched one by one.
const FEW: usize = 8;
