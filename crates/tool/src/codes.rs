//! Enums that are written as words, from one table each: a row makes the variant and its word. Tables of codes have
//! explanations, too; the crates that make faults and findings own theirs.

/// Makes an enum whose variants have names.
#[doc(hidden)]
#[macro_export]
macro_rules! named {
    ($(#[$of:meta])* $vis:vis enum $Names:ident {
        $($(#[$meta:meta])* $variant:ident = $name:literal,)+
    }) => {
        $(#[$of])*
        #[derive(Clone, Copy, Debug, Eq, PartialEq)]
        $vis enum $Names {
            $($(#[$meta])* $variant,)+
        }

        impl $Names {
            /// All of them, in their order.
            $vis const ALL: &'static [Self] = &[$(Self::$variant),+];

            #[doc = concat!("One of" $(, " `", $name, "`")+, ".")]
            $vis const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)+
                }
            }

            /// The one with this name.
            #[doc(hidden)]
            $vis fn from_name(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|one| one.as_str() == name)
            }
        }
    };
}

/// Makes an enum of codes from a table. A row has a sentence of meaning and the advice after it, which together explain the
/// code; or, after `=>`, an explanation of its own.
#[doc(hidden)]
#[macro_export]
macro_rules! codes {
    ($(#[$of:meta])* pub enum $Codes:ident {
        $(#[doc = $meaning:literal] $code:ident = $name:literal: $advice:literal;)+
    }) => {
        $crate::codes! {
            $(#[$of])*
            pub enum $Codes {
                $(
                    #[doc = $meaning]
                    #[doc = ""]
                    #[doc = $advice]
                    $code = $name => concat!($meaning, " ", $advice);
                )+
            }
        }
    };
    ($(#[$of:meta])* pub enum $Codes:ident {
        $($(#[$meta:meta])* $code:ident = $name:literal => $explanation:expr;)+
    }) => {
        $crate::named! {
            $(#[$of])*
            #[non_exhaustive]
            pub enum $Codes {
                $($(#[$meta])* $code = $name,)+
            }
        }

        impl $Codes {
            /// A paragraph that explains the code to a reader: its meaning and the remedy.
            pub fn explanation(self) -> &'static str {
                // The text of a doc comment begins with a space, a file ends with a line break.
                let text = match self {
                    $(Self::$code => $explanation,)+
                };
                text.trim()
            }
        }

        #[doc(hidden)]
        impl From<$Codes> for &'static str {
            fn from(code: $Codes) -> Self {
                code.as_str()
            }
        }
    };
}
