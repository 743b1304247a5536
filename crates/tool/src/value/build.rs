//! Values written in Rust in JSON's notation: the macro [`json`](crate::json).

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Object, Value};
use crate::Number;

/// Types that can stand for values inside [`json`](crate::json), which borrows them.
///
/// ```
/// use callgate_tool::{ToValue, Value, json};
///
/// struct Pet {
///     name: String,
/// }
///
/// impl ToValue for Pet {
///     fn to_value(&self) -> Value {
///         json!({"name": self.name})
///     }
/// }
///
/// let pets = [Pet { name: "Rex".to_owned() }];
/// assert_eq!(json!({"pets": pets}).to_string(), r#"{"pets":[{"name":"Rex"}]}"#);
/// ```
pub trait ToValue {
    /// The value.
    fn to_value(&self) -> Value;
}

/// Makes a value from JSON notation. An expression, which is borrowed, may stand in place of a value; an expression that is
/// a text may stand in place of a name.
///
/// ```
/// use callgate_tool::json;
///
/// let name = "Rex";
/// let pet = json!({"name": name, "tags": ["a", null], "age": 2 + 1});
/// assert_eq!(pet.to_string(), r#"{"name":"Rex","tags":["a",null],"age":3}"#);
/// ```
#[macro_export]
macro_rules! json {
    (null) => { $crate::Value::Null };
    ([]) => { $crate::Value::Array(::std::vec::Vec::new()) };
    ([ $($items:tt)+ ]) => { $crate::Value::Array($crate::json_items!([] [] $($items)+)) };
    ({}) => { $crate::Value::Object($crate::Object::new()) };
    ({ $($members:tt)+ }) => {{
        let mut object = $crate::Object::new();
        $crate::json_members!(object [] $($members)+);
        $crate::Value::Object(object)
    }};
    ($value:expr) => { $crate::ToValue::to_value(&$value) };
}

/// The items of a list. The finished items come first, then the tokens of the next item read so far.
#[doc(hidden)]
#[macro_export]
macro_rules! json_items {
    ([$($done:expr,)*] []) => { ::std::vec![$($done),*] };
    ([$($done:expr,)*] [$($item:tt)+]) => { ::std::vec![$($done,)* $crate::json!($($item)+)] };
    ([$($done:expr,)*] [$($item:tt)+] , $($rest:tt)*) => {
        $crate::json_items!([$($done,)* $crate::json!($($item)+),] [] $($rest)*)
    };
    ([$($done:expr,)*] [$($item:tt)*] $next:tt $($rest:tt)*) => {
        $crate::json_items!([$($done,)*] [$($item)* $next] $($rest)*)
    };
}

/// The members of an object. The tokens of the next name read so far come first.
#[doc(hidden)]
#[macro_export]
macro_rules! json_members {
    ($object:ident []) => {};
    ($object:ident [$($name:tt)+] : $($rest:tt)+) => {
        $crate::json_member!($object ($($name)+) [] $($rest)+)
    };
    ($object:ident [$($name:tt)*] $next:tt $($rest:tt)*) => {
        $crate::json_members!($object [$($name)* $next] $($rest)*)
    };
}

/// One member of an object: its name, the tokens of its value read so far, and the rest of the object.
#[doc(hidden)]
#[macro_export]
macro_rules! json_member {
    ($object:ident ($name:expr) [$($value:tt)+]) => {
        $object.insert($name, $crate::json!($($value)+));
    };
    ($object:ident ($name:expr) [$($value:tt)+] , $($rest:tt)*) => {
        $object.insert($name, $crate::json!($($value)+));
        $crate::json_members!($object [] $($rest)*);
    };
    ($object:ident ($name:expr) [$($value:tt)*] $next:tt $($rest:tt)*) => {
        $crate::json_member!($object ($name) [$($value)* $next] $($rest)*)
    };
}

impl ToValue for Value {
    fn to_value(&self) -> Value {
        self.clone()
    }
}

impl ToValue for Object {
    fn to_value(&self) -> Value {
        Value::Object(self.clone())
    }
}

impl ToValue for str {
    fn to_value(&self) -> Value {
        self.into()
    }
}

macro_rules! behind {
    ($($pointer:ty),+) => {
        $(impl<T: ToValue + ?Sized> ToValue for $pointer {
            fn to_value(&self) -> Value {
                (**self).to_value()
            }
        })+
    };
}

behind!(&T, &mut T, Arc<T>, Box<T>);

impl<T: ToValue> ToValue for Option<T> {
    fn to_value(&self) -> Value {
        self.as_ref().map_or(Value::Null, ToValue::to_value)
    }
}

impl<T: ToValue> ToValue for [T] {
    fn to_value(&self) -> Value {
        Value::Array(self.iter().map(ToValue::to_value).collect())
    }
}

impl<T: ToValue, const LENGTH: usize> ToValue for [T; LENGTH] {
    fn to_value(&self) -> Value {
        self.as_slice().to_value()
    }
}

impl<T: ToValue> ToValue for Vec<T> {
    fn to_value(&self) -> Value {
        self.as_slice().to_value()
    }
}

impl<N: AsRef<str>, V: ToValue> ToValue for BTreeMap<N, V> {
    fn to_value(&self) -> Value {
        self.iter().map(|(name, value)| (name.as_ref().to_owned(), value.to_value())).collect()
    }
}

macro_rules! converted {
    ($($plain:ty),*) => {
        $(impl ToValue for $plain {
            fn to_value(&self) -> Value {
                self.clone().into()
            }
        })*
    };
}

converted!((), bool, f64, i8, i16, i32, i64, isize, u8, u16, u32, u64, usize, Number, String);
