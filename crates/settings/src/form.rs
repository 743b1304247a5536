//! The forms of values: the kind that a table shows, and the reading.

use std::{collections::BTreeMap, marker::PhantomData, path::PathBuf, time::Duration};

use crate::{
    code::SettingCode,
    keys::Kind,
    reader::{Mapping, Reader, member_pointer},
};

/// The form of a value: a type that is read itself, or a name for one of several readings of a type.
pub trait Form {
    /// The type of the value that is read.
    type Value;
    /// The kind of value that tables show.
    const KIND: Kind;

    /// Reads the value of a key that is present; `None` if it has a fault.
    fn read(reader: &mut Reader, mapping: Mapping<'_>, key: &str) -> Option<Self::Value>;
}

/// A closed set of values, each with its word.
pub trait Words: Copy + PartialEq + 'static {
    /// The words, each with its value.
    const WORDS: &'static [(&'static str, Self)];

    /// The word of a value.
    fn word(self) -> &'static str {
        Self::WORDS.iter().find(|(_, value)| *value == self).map_or("", |(word, _)| word)
    }
}

/// A number of bytes in a range.
#[derive(Debug)]
pub struct Bytes<const LEAST: usize = 1, const MOST: usize = { usize::MAX }>;

/// A whole number from 1.
#[derive(Debug)]
pub struct Count<const MOST: usize = { usize::MAX }>;

impl Reader {
    /// The value of a key; `None` if it is missing or has a fault.
    pub fn get<F: Form>(&mut self, mapping: Mapping<'_>, key: &str) -> Option<F::Value> {
        if mapping.object.contains(key) { F::read(self, mapping, key) } else { None }
    }

    /// A mapping whose names the operator chooses, in the order of the text, without the values that have a fault.
    pub fn named_values<F: Form, C: FromIterator<(String, F::Value)>>(
        &mut self,
        mapping: Mapping<'_>,
        key: &str,
        expected: &str,
        help: &str,
    ) -> Option<C> {
        let (node, pointer) = (mapping.object.get(key)?, member_pointer(mapping, key));
        let Some(object) = node.as_object() else {
            self.report_wrong_type(&pointer, expected, node, help);
            return None;
        };
        let entries = Mapping { object, pointer: &pointer };
        let names = object.iter().map(|(name, _)| name.to_string());
        Some(
            names.filter_map(|name| Some((name.clone(), self.get::<F>(entries, &name)?))).collect(),
        )
    }
}

impl Reader {
    /// The values of a list of texts; a fault has the place of its text.
    pub fn parsed_strings<T>(
        &mut self,
        mapping: Mapping<'_>,
        key: &str,
        help: &str,
        value: impl Fn(&str) -> Result<T, String>,
    ) -> Vec<T> {
        let mut values = Vec::new();
        for (index, text) in self.strings(mapping, key).into_iter().enumerate() {
            match value(text) {
                Ok(value) => values.push(value),
                Err(message) => {
                    let pointer = format!("{}/{index}", member_pointer(mapping, key));
                    self.report_fault(SettingCode::WrongValue, pointer, message, help);
                }
            }
        }
        values
    }
}

/// Values by names that the operator chooses.
#[derive(Debug)]
pub struct MapOf<F>(PhantomData<F>);

impl<F: Form> Form for MapOf<F> {
    type Value = BTreeMap<String, F::Value>;
    const KIND: Kind = Kind::Map(&F::KIND);

    fn read(reader: &mut Reader, mapping: Mapping<'_>, key: &str) -> Option<Self::Value> {
        reader.named_values::<F, _>(mapping, key, "a mapping", "write `{NAME: …}`")
    }
}

/// Implements [`Form`]: `Form => value, kind, function;`. With `struct`, the form is a new name, as a type of another crate needs
/// it.
#[macro_export]
macro_rules! forms {
    () => {};
    ($(#[$meta:meta])* struct $form:ident => $($rest:tt)*) => {
        $crate::forms! { $(#[$meta])* pub(crate) struct $form => $($rest)* }
    };
    ($(#[$meta:meta])* $vis:vis struct $form:ident => $($rest:tt)*) => {
        $(#[$meta])*
        #[derive(Debug)]
        $vis struct $form;

        $crate::forms! { $form => $($rest)* }
    };
    ($(@[$($generics:tt)*])? $form:ty => $value:ty, $kind:expr, $read:expr; $($rest:tt)*) => {
        #[doc(hidden)]
        impl $(<$($generics)*>)? $crate::Form for $form {
            type Value = $value;
            const KIND: $crate::Kind = $kind;

            fn read(
                reader: &mut $crate::Reader,
                mapping: $crate::Mapping<'_>,
                key: &str,
            ) -> Option<$value> {
                let read: fn(&mut $crate::Reader, $crate::Mapping<'_>, &str) -> _ = $read;
                read(reader, mapping, key)
            }
        }

        $crate::forms! { $($rest)* }
    };
}

/// Gives the values of a type their words, and says in a finding what is good to know. With `struct`, the form is a new name for
/// a type of another crate.
#[macro_export]
macro_rules! words {
    (struct $form:ident => $type:ty, $help:literal: $($word:literal => $value:ident),+ $(,)?) => {
        $crate::forms! {
            struct $form => $type, $crate::Kind::Choice(&[$($word),+]), |reader, mapping, key| {
                reader.word(mapping, key, &[$(($word, <$type>::$value)),+], $help)
            };
        }
    };
    ($type:ty, $help:literal: $($word:literal => $value:ident),+ $(,)?) => {
        $crate::forms! {
            $type => Self, $crate::Kind::Choice(&[$($word),+]), |reader, mapping, key| {
                reader.word(mapping, key, <Self as $crate::Words>::WORDS, $help)
            };
        }

        impl $crate::Words for $type {
            /// The words, each with its value.
    const WORDS: &'static [(&'static str, Self)] = &[$(($word, Self::$value)),+];
        }
    };
}

forms! {
    bool => Self, Kind::Boolean, Reader::boolean;
    String => Self, Kind::Text, |reader, mapping, key| reader.string(mapping, key).map(str::to_owned);
    PathBuf => Self, Kind::Text, |reader, mapping, key| reader.string(mapping, key).map(Self::from);
    Vec<String> => Self, Kind::List(&Kind::Text), |reader, mapping, key| {
        Some(reader.strings(mapping, key).into_iter().map(str::to_owned).collect())
    };
    Vec<PathBuf> => Self, Kind::List(&Kind::Text), |reader, mapping, key| {
        Some(reader.strings(mapping, key).into_iter().map(PathBuf::from).collect())
    };
    Duration => Self, Kind::Duration, Reader::duration;
    @[const LEAST: usize, const MOST: usize] Bytes<LEAST, MOST> => usize, Kind::Bytes,
        |reader, mapping, key| reader.byte_count(mapping, key, LEAST..=MOST);
    @[const MOST: usize] Count<MOST> => usize, Kind::Count(MOST),
        |reader, mapping, key| reader.whole_number(mapping, key, 1..=MOST);
    /// A whole number from 0.
    pub struct Whole => usize, Kind::Whole, |reader, mapping, key| reader.whole_number(mapping, key, 0..=usize::MAX);
}
