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
//! the fields of a type that exists: `key => path.of.field: Form;`. A value that others decide about is only declared:
//! `key => _: Form;`. `takes One` is for a mapping with one of the keys. `keys! { struct Name in … }` makes a structure with an `Option` for each key, and
//! `key: Form, required;`, and `key: Form, needs "feature";` for one that is not in every build.

use callgate_tree::Node;

use crate::{
    form::Form,
    keys::{Key, Kind, Table},
    reader::{Mapping, Reader, member_pointer},
};

/// The keys of a mapping that set the fields of a value.
pub trait Section {
    /// The type whose fields are set.
    type Target;
    /// The keys of its own.
    const KEYS: &'static [Key];
    /// The table, with the keys that it shares.
    const TABLE: Table<'static>;

    /// Puts the values of the keys that are in the mapping over those of `target`.
    fn fill(target: &mut Self::Target, reader: &mut Reader, mapping: Mapping<'_>);
}

impl<S: Section<Target: Default>> Form for S {
    type Value = S::Target;
    const KIND: Kind = Kind::Table(&S::TABLE);

    fn read(reader: &mut Reader, parent: Mapping<'_>, key: &str) -> Option<S::Target> {
        reader.section::<S>(parent.object.get(key)?, &member_pointer(parent, key))
    }
}

impl Reader {
    /// Reads a mapping with the keys of a section.
    pub fn section<S: Section<Target: Default>>(
        &mut self,
        node: &Node,
        pointer: &str,
    ) -> Option<S::Target> {
        let mapping = self.checked_mapping(node, pointer, &S::TABLE)?;
        let mut target = S::Target::default();
        S::fill(&mut target, self, mapping);
        Some(target)
    }

    /// Reads a mapping whose keys stand in several sections: `then` gets the values of the first, and reads the others.
    pub fn read_several_sections<S: Section<Target: Default>, T>(
        &mut self,
        parent: Mapping<'_>,
        key: &str,
        then: impl FnOnce(&mut Self, Mapping<'_>, S::Target) -> Option<T>,
    ) -> Option<T> {
        let pointer = member_pointer(parent, key);
        let mapping = self.checked_mapping(parent.object.get(key)?, &pointer, &S::TABLE)?;
        let mut target = S::Target::default();
        S::fill(&mut target, self, mapping);
        then(self, mapping, target)
    }
}

/// A documentation comment as the text of a key: without the full stop at its end.
pub const fn about(doc: &'static str) -> &'static str {
    match doc.trim_ascii().as_bytes() {
        [.., b'.'] => doc.trim_ascii().split_at(doc.trim_ascii().len() - 1).0,
        _ => doc.trim_ascii(),
    }
}

/// Declares a structure that is read from a mapping.
#[macro_export]
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

        $crate::keys! { @section $name of Self, $table Any, [$($($shared),+)?], $(
            [$($doc),*], $crate::keys!(@name $field $($key)?), ($field),
            $crate::keys!(@form $type $(, $form)?), [];
        )*}
    };
}

/// Declares the keys of a type that exists, or a structure with an `Option` for each key.
#[macro_export]
macro_rules! keys {
    ($(#[$meta:meta])* $vis:vis $name:ident over $target:ty, in $table:literal $(takes $takes:ident)? $(with $($shared:ty),+)? {$(
        $(#[doc = $doc:literal])*
        $key:ident $(=> $first:tt $(.$more:ident)*)?: $form:ty $(, $mark:ident $($feature:literal),*)?;
    )*}) => {
        $(#[$meta])*
        #[derive(Debug)]
        $vis struct $name;

        $crate::keys! { @section $name of $target, $table $($takes)? Any, [$($($shared),+)?], $(
            [$($doc),*], stringify!($key), ($($first $(.$more)* =>)? $key), $form, [$($mark $($feature)*)?];
        )*}
    };
    ($(#[$meta:meta])* $vis:vis struct $name:ident in $table:literal $(with $($shared:ty),+)? {$(
        $(#[doc = $doc:literal])*
        $field:ident $(($key:literal))?: $form:ty $(, $mark:ident $($feature:literal),*)?;
    )*}) => {
        $(#[$meta])*
        #[derive(Debug, Default)]
        $vis struct $name {$( $vis $field: Option<<$form as $crate::Form>::Value>, )*}

        $crate::keys! { @section $name of Self, $table Any, [$($($shared),+)?], $(
            [$($doc),*], $crate::keys!(@name $field $($key)?), ($field), $form, [$($mark $($feature)*)?];
        )*}
    };
    (@section $name:ident of $target:ty, $table:literal $takes:ident $(Any)?, [$($shared:ty),*], $(
        [$($doc:literal),*], $key:expr, ($($path:tt)+), $form:ty, [$($mark:tt)*];
    )*) => {
        impl $crate::Section for $name {
            type Target = $target;
            const KEYS: &'static [$crate::Key] = &[$( $crate::Key {
                name: $key,
                kind: <$form as $crate::Form>::KIND,
                about: $crate::about(concat!($($doc),*)),
                is_required: $crate::keys!(@is $($mark)*),
                features: $crate::keys!(@features $($mark)*),
                is_built_in: $crate::keys!(@built_in $($mark)*),
            } ),*];
            const TABLE: $crate::Table<'static> = $crate::Table {
                name: $table,
                keys: Self::KEYS,
                shared: &[$(<$shared as $crate::Section>::KEYS),*],
                takes: $crate::Takes::$takes,
            };

            fn fill(
                target: &mut $target,
                reader: &mut $crate::Reader,
                mapping: $crate::Mapping<'_>,
            ) {
                // A table whose values are all read elsewhere uses none of them.
                _ = (&target, &reader, mapping);
                $( $crate::keys!(@fill target reader mapping, $key, ($($path)+), $form, [$($mark)*]); )*
            }
        }
    };
    (@name $field:ident) => { stringify!($field) };
    (@name $field:ident $key:literal) => { $key };
    (@form $type:ty) => { $type };
    (@form $type:ty, $form:ty) => { $form };
    (@is) => { false };
    (@is needs $($feature:literal)+) => { false };
    (@is required) => { true };
    (@features) => { &[] };
    (@features required) => { &[] };
    (@features $mark:ident $($feature:literal)+) => { &[$($feature),+] };
    (@built_in) => { true };
    (@built_in required) => { true };
    (@built_in needs $($feature:literal)+) => { cfg!(any($(feature = $feature),+)) };
    (@fill $target:ident $reader:ident $mapping:ident, $key:expr, (_ => $own:ident), $form:ty, [$($mark:tt)*]) => {};
    (@fill $target:ident $reader:ident $mapping:ident, $key:expr, ($($path:ident).+ => $own:ident), $form:ty, [$($mark:tt)*]) => {
        $crate::keys!(@fill $target $reader $mapping, $key, ($($path).+), $form, [$($mark)*])
    };
    (@fill $target:ident $reader:ident $mapping:ident, $key:expr, ($($path:tt)+), $form:ty, [$($mark:tt)*]) => {
        if $crate::keys!(@is $($mark)*) {
            $reader.report_missing_key($mapping, $key);
        }
        if let Some(value) = $reader.get::<$form>($mapping, $key) {
            $target.$($path)+ = value.into();
        } else if $crate::keys!(@is $($mark)*) {
            $reader.require($mapping, $key);
        }
    };
}
