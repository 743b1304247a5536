//! Sets of JSON types that a schema allows. A whole number has two types, so `number` includes `integer`.

use std::ops::{BitAnd, BitOr};

use callgate_tool::Value;

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Kinds(u8);

impl Kinds {
    pub(super) const ALL: Self = Self(127);
    pub(super) const ARRAY: Self = Self(1);
    pub(super) const BOOLEAN: Self = Self(2);
    pub(super) const INTEGER: Self = Self(4);
    pub(super) const NONE: Self = Self(0);
    pub(super) const NULL: Self = Self(8);
    pub(super) const NUMBER: Self = Self(16 | 4);
    pub(super) const OBJECT: Self = Self(32);
    pub(super) const STRING: Self = Self(64);

    /// The types that the keyword `type` lists; all types if it lists no known one.
    pub(super) fn from_type_keyword(value: &Value) -> Self {
        let named = |name: &Value| name.as_str().map_or(Self::NONE, Self::from_name);
        let listed = match value {
            Value::Array(names) => names.iter().map(named).fold(Self::NONE, Self::bitor),
            name => named(name),
        };
        if listed == Self::NONE { Self::ALL } else { listed }
    }

    pub(super) fn from_value(value: &Value) -> Self {
        match value {
            Value::Array(_) => Self::ARRAY,
            Value::Bool(_) => Self::BOOLEAN,
            Value::Null => Self::NULL,
            Value::Number(number) if number.is_integer() => Self::INTEGER,
            Value::Number(_) => Self(16),
            Value::Object(_) => Self::OBJECT,
            Value::String(_) => Self::STRING,
        }
    }

    pub(super) fn without(self, others: Self) -> Self {
        Self(self.0 & !others.0)
    }

    pub(super) fn overlaps(self, other: Self) -> bool {
        self & other != Self::NONE
    }

    pub(super) fn is_within(self, other: Self) -> bool {
        self & other == self
    }

    /// The types one by one, with `null` last.
    pub(super) fn single_kinds(self) -> impl Iterator<Item = Self> {
        let number = if self.overlaps(Self(16)) { Self::NUMBER } else { Self::INTEGER };
        let each = [Self::STRING, number, Self::BOOLEAN, Self::ARRAY, Self::OBJECT, Self::NULL];
        each.into_iter().filter(move |kind| self.overlaps(*kind))
    }

    pub(super) fn name(self) -> &'static str {
        NAMES.iter().find(|(_, kind)| *kind == self).map_or("object", |(name, _)| name)
    }

    fn from_name(name: &str) -> Self {
        NAMES.iter().find(|(entry, _)| *entry == name).map_or(Self::NONE, |(_, kind)| *kind)
    }
}

impl BitAnd for Kinds {
    type Output = Self;

    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

impl BitOr for Kinds {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

const NAMES: [(&str, Kinds); 7] = [
    ("array", Kinds::ARRAY),
    ("boolean", Kinds::BOOLEAN),
    ("integer", Kinds::INTEGER),
    ("null", Kinds::NULL),
    ("number", Kinds::NUMBER),
    ("object", Kinds::OBJECT),
    ("string", Kinds::STRING),
];
