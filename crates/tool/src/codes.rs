//! One table for an enum of codes: each row makes the code, its name and its explanation. The crates that make faults and
//! findings own their tables.

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
        $(#[$of])*
        #[derive(Clone, Copy, Debug, Eq, PartialEq)]
        #[non_exhaustive]
        pub enum $Codes {
            $($(#[$meta])* $code,)+
        }

        impl $Codes {
            /// Every code, in alphabetical order.
            pub const ALL: &'static [Self] = &[$(Self::$code),+];

            /// The code as it is displayed: lower-case words with dashes or underscores.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$code => $name,)+
                }
            }

            /// A paragraph that explains the code to a reader: its meaning and the remedy.
            pub fn explanation(self) -> &'static str {
                // The text of a doc comment begins with a space, a file ends with a line break.
                let text = match self {
                    $(Self::$code => $explanation,)+
                };
                text.trim()
            }
        }
    };
}
