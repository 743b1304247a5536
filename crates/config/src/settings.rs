//! The declaration of a section's keys. One line a key makes the field, its default, the row of the key table with the
//! text of its documentation, and the reading with all faults.
//!
//! ```text
//! settings! {
//!     /// The limits on connections.
//!     pub struct Limits in "`limits`" {
//!         /// The time in which a body must arrive.
//!         body_time: Duration = Duration::from_secs(30);
//!         /// The number of headers of a request.
//!         headers: usize as Count<4096> = 100;
//!         /// The time for which a session is kept.
//!         time_to_live ("ttl"): Duration = DAY;
//!     }
//! }
//! ```
//!
//! `as` names the form of a value whose type does not say it. `keys! { Name over Type in … }` declares keys that set
//! the fields of a type that exists: `key => path.of.field: Form;`. `keys! { struct Name in … }` makes a structure with
//! an `Option` for each key, and `key: Form, required;`.

use crate::{
    form::Form,
    keys::{Key, Kind, Table},
    reader::{Mapping, Reader, at},
};

/// The keys of a mapping that set the fields of a value.
pub(crate) trait Section {
    type Target;
    const KEYS: &'static [Key];
    const TABLE: Table;

    /// Puts the values of the keys that are in the mapping over those of `target`.
    fn fill(target: &mut Self::Target, reader: &mut Reader, mapping: Mapping<'_>);
}

impl<S: Section<Target: Default>> Form for S {
    type Value = S::Target;
    const KIND: Kind = Kind::Table(&S::TABLE);

    fn read(reader: &mut Reader, parent: Mapping<'_>, key: &str) -> Option<S::Target> {
        let pointer = at(parent, key);
        let mapping = reader.mapping(parent.object.get(key)?, &pointer, &S::TABLE)?;
        let mut target = S::Target::default();
        S::fill(&mut target, reader, mapping);
        Some(target)
    }
}

/// A documentation comment as the text of a key: without the full stop at its end.
pub(crate) const fn about(doc: &'static str) -> &'static str {
    match doc.trim_ascii().as_bytes() {
        [.., b'.'] => doc.trim_ascii().split_at(doc.trim_ascii().len() - 1).0,
        _ => doc.trim_ascii(),
    }
}

/// Declares a structure that is read from a mapping.
macro_rules! settings {
    ($(#[$meta:meta])* $vis:vis struct $name:ident in $table:literal $(with $($shared:ty),+)? {$(
        $(#[doc = $doc:literal])*
        $field:ident $(($key:literal))?: $type:ty $(as $form:ty)? = $default:expr;
    )*}) => {
        $(#[$meta])*
        $vis struct $name {$( $(#[doc = $doc])* $vis $field: $type, )*}

        impl Default for $name {
            fn default() -> Self {
                Self {$( $field: $default, )*}
            }
        }

        $crate::settings::keys! { @section $name of Self, $table, [$($($shared),+)?], $(
            [$($doc),*], $crate::settings::keys!(@name $field $($key)?), () $field,
            $crate::settings::keys!(@form $type $(, $form)?), [] [];
        )*}
    };
}

/// Declares the keys of a type that exists, or a structure with an `Option` for each key.
macro_rules! keys {
    ($(#[$meta:meta])* $vis:vis $name:ident over $target:ty, in $table:literal $(with $($shared:ty),+)? {$(
        $(#[doc = $doc:literal])*
        $key:ident $(=> $($path:ident).+)?: $form:ty $(, needs $feature:literal)?;
    )*}) => {
        $(#[$meta])*
        #[derive(Debug)]
        $vis struct $name;

        $crate::settings::keys! { @section $name of $target, $table, [$($($shared),+)?], $(
            [$($doc),*], stringify!($key), ($($($path).+)?) $key, $form, [] [$($feature)?];
        )*}
    };
    ($(#[$meta:meta])* $vis:vis struct $name:ident in $table:literal $(with $($shared:ty),+)? {$(
        $(#[doc = $doc:literal])*
        $field:ident $(($key:literal))?: $form:ty $(, $required:ident)?;
    )*}) => {
        $(#[$meta])*
        #[derive(Debug, Default)]
        $vis struct $name {$( $vis $field: Option<<$form as $crate::form::Form>::Value>, )*}

        $crate::settings::keys! { @section $name of Self, $table, [$($($shared),+)?], $(
            [$($doc),*], $crate::settings::keys!(@name $field $($key)?), () $field,
            $form, [$($required)?] [];
        )*}
    };
    (@section $name:ident of $target:ty, $table:literal, [$($shared:ty),*], $(
        [$($doc:literal),*], $key:expr, ($($path:ident).*) $own:ident, $form:ty, [$($required:ident)?] [$($feature:literal)?];
    )*) => {
        impl $crate::settings::Section for $name {
            type Target = $target;
            const KEYS: &'static [$crate::keys::Key] = &[$( $crate::keys::Key {
                name: $key,
                kind: <$form as $crate::form::Form>::KIND,
                about: $crate::settings::about(concat!($($doc),*)),
                is_required: $crate::settings::keys!(@is $($required)?),
                feature: $crate::settings::keys!(@feature $($feature)?),
            } ),*];
            const TABLE: $crate::keys::Table = $crate::keys::Table {
                shared: &[$(<$shared as $crate::settings::Section>::KEYS),*],
                ..$crate::keys::table($table, Self::KEYS)
            };

            fn fill(
                target: &mut $target,
                reader: &mut $crate::reader::Reader,
                mapping: $crate::reader::Mapping<'_>,
            ) {
                $(
                    $crate::settings::keys!(@missing reader, mapping, $key, $($required)?);
                    if let Some(value) = reader.get::<$form>(mapping, $key) {
                        $crate::settings::keys!(@put target, value, ($($path).*) $own);
                    }
                )*
            }
        }
    };
    (@name $field:ident) => { stringify!($field) };
    (@name $field:ident $key:literal) => { $key };
    (@form $type:ty) => { $type };
    (@form $type:ty, $form:ty) => { $form };
    (@is) => { false };
    (@is required) => { true };
    (@feature) => { None };
    (@feature $feature:literal) => { Some($feature) };
    (@missing $reader:ident, $mapping:ident, $key:expr,) => {};
    (@missing $reader:ident, $mapping:ident, $key:expr, required) => { $reader.missing($mapping, $key) };
    (@put $target:ident, $value:ident, () $own:ident) => { $target.$own = $value.into() };
    (@put $target:ident, $value:ident, ($($path:ident).+) $own:ident) => { $target.$($path).+ = $value.into() };
}

pub(crate) use {keys, settings};
