//! Converts the types of the standard library to values, and compares values with them.

use std::borrow::Cow;

use super::{Object, Value};
use crate::Number;

macro_rules! from {
    ($($From:ty: $from:ident => $value:expr;)+) => {
        $(impl From<$From> for Value {
            fn from($from: $From) -> Self {
                $value
            }
        })+
    };
}

from! {
    &String: text => Self::String(text.clone());
    &str: text => Self::String(text.to_owned());
    (): _nothing => Self::Null;
    Box<str>: text => Self::String(text.into());
    Cow<'_, str>: text => Self::String(text.into_owned());
    Number: number => Self::Number(number);
    Object: members => Self::Object(members);
    String: text => Self::String(text);
    bool: value => Self::Bool(value);
}

/// The floating-point number as a value; `null` if it is not finite.
impl From<f64> for Value {
    fn from(value: f64) -> Self {
        Number::from_f64(value).map_or(Self::Null, Self::Number)
    }
}

impl<T: Into<Self>> From<Vec<T>> for Value {
    fn from(items: Vec<T>) -> Self {
        items.into_iter().collect()
    }
}

impl<T: Clone + Into<Self>> From<&[T]> for Value {
    fn from(items: &[T]) -> Self {
        items.iter().cloned().collect()
    }
}

impl<T: Into<Self>, const LENGTH: usize> From<[T; LENGTH]> for Value {
    fn from(items: [T; LENGTH]) -> Self {
        items.into_iter().collect()
    }
}

impl<T: Into<Self>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

impl<T: Into<Self>> FromIterator<T> for Value {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        Self::Array(items.into_iter().map(Into::into).collect())
    }
}

impl<N> FromIterator<(N, Self)> for Value
where
    Object: FromIterator<(N, Self)>,
{
    fn from_iter<I: IntoIterator<Item = (N, Self)>>(members: I) -> Self {
        Self::Object(members.into_iter().collect())
    }
}

macro_rules! whole_numbers {
    ($($whole:ty),*) => {
        $(impl From<$whole> for Value {
            fn from(value: $whole) -> Self {
                Self::Number(value.into())
            }
        }

        /// True for this number, written as a whole number.
        impl PartialEq<$whole> for Value {
            fn eq(&self, other: &$whole) -> bool {
                self.as_number().is_some_and(|number| *number == Number::from(*other))
            }
        }

        impl PartialEq<$whole> for &Value {
            fn eq(&self, other: &$whole) -> bool {
                **self == *other
            }
        })*
    };
}

whole_numbers!(i8, i16, i32, i64, isize, u8, u16, u32, u64, usize);

macro_rules! compared {
    ($($other:ty: $get:ident),*) => {
        $(impl PartialEq<$other> for Value {
            fn eq(&self, other: &$other) -> bool {
                self.$get().is_some_and(|value| value == *other)
            }
        }

        impl PartialEq<Value> for $other {
            fn eq(&self, other: &Value) -> bool {
                other == self
            }
        })*
    };
}

compared!(bool: as_bool, f64: as_f64, &str: as_str, String: as_str);

impl PartialEq<str> for Value {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == Some(other)
    }
}

impl PartialEq<Value> for str {
    fn eq(&self, other: &Value) -> bool {
        other == self
    }
}
