//! The value that a schema is applied to, and the JSON types of values. Knows no schema.

use callgate_tool::{Number, Object, Value};

/// A value, or the name of a member for `propertyNames`.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Instance<'v> {
    Name(&'v str),
    Value(&'v Value),
}

impl<'v> Instance<'v> {
    pub(crate) fn array(self) -> Option<&'v [Value]> {
        match self {
            Self::Value(Value::Array(items)) => Some(items),
            _ => None,
        }
    }

    pub(crate) fn number(self) -> Option<&'v Number> {
        match self {
            Self::Value(Value::Number(number)) => Some(number),
            _ => None,
        }
    }

    pub(crate) fn object(self) -> Option<&'v Object> {
        match self {
            Self::Value(Value::Object(members)) => Some(members),
            _ => None,
        }
    }

    pub(crate) fn text(self) -> Option<&'v str> {
        match self {
            Self::Name(text) => Some(text),
            Self::Value(Value::String(text)) => Some(text),
            Self::Value(_) => None,
        }
    }

    /// A unique number for each place in a value, as long as the value does not change.
    pub(super) fn address(self) -> usize {
        match self {
            Self::Name(text) => std::ptr::from_ref(text).addr() | NAME,
            Self::Value(value) => std::ptr::from_ref(value).addr(),
        }
    }
}

/// The highest bit of an address, which no real address has set.
const NAME: usize = 1 << (usize::BITS - 1);

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Types(u8);

impl Types {
    pub(crate) const NONE: Self = Self(0);
    pub(crate) const NULL: Self = Self(1);
    pub(crate) const BOOLEAN: Self = Self(1 << 1);
    pub(crate) const INTEGER: Self = Self(1 << 2);
    pub(crate) const NUMBER: Self = Self(1 << 3);
    pub(crate) const STRING: Self = Self(1 << 4);
    pub(crate) const ARRAY: Self = Self(1 << 5);
    pub(crate) const OBJECT: Self = Self(1 << 6);
    pub(crate) const ALL: Self = Self(0x7f);

    pub(crate) fn from_name(name: &str) -> Option<Self> {
        NAMES.iter().find(|(_, type_name)| *type_name == name).map(|(one, _)| *one)
    }

    /// The types of values of this kind: a number with a fraction and an integer are one kind.
    pub(super) fn of_kind(instance: Instance<'_>) -> Self {
        let Instance::Value(value) = instance else { return Self::STRING };
        match value {
            Value::Array(_) => Self::ARRAY,
            Value::Bool(_) => Self::BOOLEAN,
            Value::Null => Self::NULL,
            Value::Number(_) => Self::INTEGER.union(Self::NUMBER),
            Value::Object(_) => Self::OBJECT,
            Value::String(_) => Self::STRING,
        }
    }

    pub(super) fn overlaps(self, other: Self) -> bool {
        !self.intersection(other).is_empty()
    }

    /// The types that both have.
    pub(super) fn intersection(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    pub(crate) fn type_words(self) -> String {
        let names = NAMES.iter().filter(|(one, _)| self.contains(*one));
        names.map(|(_, name)| *name).collect::<Vec<_>>().join(" or ")
    }

    pub(crate) fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    pub(crate) fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub(crate) fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// True if the instance has one of the types. `1.0` is an integer (JSON Schema 2020-12 §4.2.3).
    pub(crate) fn allows(self, instance: Instance<'_>) -> bool {
        let value = match instance {
            Instance::Name(_) => return self.contains(Self::STRING),
            Instance::Value(value) => value,
        };
        match value {
            Value::Array(_) => self.contains(Self::ARRAY),
            Value::Bool(_) => self.contains(Self::BOOLEAN),
            Value::Null => self.contains(Self::NULL),
            Value::Number(number) => {
                self.contains(Self::NUMBER) || self.contains(Self::INTEGER) && number.is_integer()
            }
            Value::Object(_) => self.contains(Self::OBJECT),
            Value::String(_) => self.contains(Self::STRING),
        }
    }
}

/// In the order in which messages list them.
const NAMES: [(Types, &str); 7] = [
    (Types::NULL, "null"),
    (Types::BOOLEAN, "boolean"),
    (Types::INTEGER, "integer"),
    (Types::NUMBER, "number"),
    (Types::STRING, "string"),
    (Types::ARRAY, "array"),
    (Types::OBJECT, "object"),
];
