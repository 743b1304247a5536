//! The shape of the errors of callgate's crates: an opaque type with a kind, whose text is its message and which may have a cause.

use std::{error, iter};

/// Makes the opaque `Error` of a crate from its fields beside the kind, the message and the cause, which begin as their types'
/// defaults. Its `Debug` output shows only the texts of the causes, because their fields may hold confidential values.
#[doc(hidden)]
#[macro_export]
macro_rules! error {
    (
        $(#[$of:meta])*
        pub struct Error { $($field:ident: $Field:ty,)* }
        $(#[$of_new:meta])*
        $new:vis fn new;
        $(#[$of_with:meta])*
        $with:vis fn with_source;
    ) => {
        $(#[$of])*
        #[derive(Clone)]
        pub struct Error {
            kind: ErrorKind,
            message: ::std::borrow::Cow<'static, str>,
            source: Option<::std::sync::Arc<dyn ::std::error::Error + Send + Sync>>,
            $($field: $Field,)*
        }

        impl Error {
            /// The class of the failure.
            pub fn kind(&self) -> ErrorKind {
                self.kind
            }

            $(#[$of_new])*
            $new fn new(kind: ErrorKind, message: impl Into<::std::borrow::Cow<'static, str>>) -> Self {
                Self { kind, message: message.into(), source: None, $($field: Default::default(),)* }
            }

            $(#[$of_with])*
            #[must_use]
            $with fn with_source(
                mut self,
                source: impl Into<Box<dyn ::std::error::Error + Send + Sync>>,
            ) -> Self {
                self.source = Some(::std::sync::Arc::from(source.into()));
                self
            }
        }

        impl ::std::fmt::Display for Error {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.write_str(&self.message)
            }
        }

        impl ::std::fmt::Debug for Error {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.debug_struct("Error")
                    .field("kind", &self.kind)
                    .field("message", &self.message)
                    .field("causes", &$crate::cause_texts(self))
                    .finish_non_exhaustive()
            }
        }

        impl ::std::error::Error for Error {
            fn source(&self) -> Option<&(dyn ::std::error::Error + 'static)> {
                self.source.as_deref().map(|source| source as _)
            }
        }
    };
}

/// Makes functions that make errors of a crate: each has a kind and a message, in which its parameters and the values after
/// it stand.
#[doc(hidden)]
#[macro_export]
macro_rules! errors {
    ($(
        $(#[$of:meta])*
        fn $name:ident($($parameter:ident: $Parameter:ty),*) = $Kind:ident:
            $message:literal $(, $part:ident = $value:expr)*;
    )+) => {
        $(
            $(#[$of])*
            pub(crate) fn $name($($parameter: $Parameter),*) -> Error {
                Error::new(ErrorKind::$Kind, format!($message $(, $part = $value)*))
            }
        )+
    };
}

/// Makes the `Debug` output of a type that shows some of its fields, or a text alone.
#[doc(hidden)]
#[macro_export]
macro_rules! opaque {
    ($Type:ident { $($field:ident),* }) => {
        $crate::opaque!([] $Type as stringify!($Type), { $($field),* });
    };
    ([$($generics:tt)*] $Type:ty as $name:expr, { $($field:ident),* }) => {
        impl<$($generics)*> ::std::fmt::Debug for $Type {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                let mut shown = f.debug_struct($name);
                $(shown.field(stringify!($field), &self.$field);)*
                shown.finish_non_exhaustive()
            }
        }
    };
    ($Type:ty = $text:literal) => {
        impl ::std::fmt::Debug for $Type {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.write_str($text)
            }
        }
    };
}

/// Makes the text of a type from a sentence in which its fields stand; `error` makes it an error, too.
#[doc(hidden)]
#[macro_export]
macro_rules! text {
    (error $Type:ty: $fields:pat => $($sentence:tt)+) => {
        $crate::text!($Type: $fields => $($sentence)+);

        impl ::std::error::Error for $Type {}
    };
    ($Type:ty: $fields:pat => $($sentence:tt)+) => {
        impl ::std::fmt::Display for $Type {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                let $fields = self;
                write!(f, $($sentence)+)
            }
        }
    };
}

/// The texts of an error's causes, the nearest first.
#[doc(hidden)]
pub fn cause_texts(error: &dyn error::Error) -> Vec<String> {
    iter::successors(error.source(), |cause| cause.source()).map(ToString::to_string).collect()
}
