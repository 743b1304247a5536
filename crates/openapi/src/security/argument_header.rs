//! Headers that no argument sets unless the operator allows it. Headers that frame a message, state its format or carry
//! credentials can never be allowed. `tools` reads the parameters that a description declares.

use std::{collections::BTreeMap, error, fmt};

use callgate_tool::is_framing_header;

use crate::security::header::{folded_name, is_connection_header, is_openapi_reserved};

/// The name of a withheld header that the operator may allow: `Cookie`, `X-Forwarded-For`.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ArgumentHeader {
    written: String,
    folded: String,
}

/// The reason why a header cannot be allowed.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum NotAnArgumentHeader {
    /// The header carries the credential, which the keys `auth:` and `credentials:` configure.
    Credential,
    /// The header frames the message or belongs to the connection.
    Framing,
    /// The header states which media types are sent and read; the description's media types determine them.
    Media,
    /// The header states how the bytes of the message are compressed, which only the gateway knows.
    Coding,
    /// The header is not withheld.
    Offered,
}

/// The withheld headers that the operator allows.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
#[expect(clippy::exhaustive_structs, reason = "a new field must break code that builds the value")]
pub struct ArgumentHeaders {
    /// The headers that are allowed for every operation.
    pub all: Vec<ArgumentHeader>,
    /// The headers that are allowed for single operations, by the tool's name or the `operationId`.
    pub tools: BTreeMap<String, Vec<ArgumentHeader>>,
}

impl ArgumentHeader {
    /// Parses a name, in any case; `_` counts as `-`.
    ///
    /// ```
    /// use callgate_openapi::{ArgumentHeader, NotAnArgumentHeader};
    ///
    /// assert!(ArgumentHeader::new("Cookie")?.is_named("cookie"));
    /// assert_eq!(ArgumentHeader::new("Host"), Err(NotAnArgumentHeader::Framing));
    /// # Ok::<(), NotAnArgumentHeader>(())
    /// ```
    ///
    /// # Errors
    /// [`NotAnArgumentHeader`] for a header that may never be allowed, and for one that is not withheld.
    pub fn new(name: &str) -> Result<Self, NotAnArgumentHeader> {
        let folded = folded_name(name);
        match folded.as_str() {
            "authorization" => return Err(NotAnArgumentHeader::Credential),
            "accept-encoding" | "content-encoding" => return Err(NotAnArgumentHeader::Coding),
            reserved if is_openapi_reserved(reserved) => return Err(NotAnArgumentHeader::Media),
            framing if is_framing_header(framing) => return Err(NotAnArgumentHeader::Framing),
            other if !is_connection_header(other) => return Err(NotAnArgumentHeader::Offered),
            _ => {}
        }
        Ok(Self { written: name.to_owned(), folded })
    }

    /// Returns true if `name` denotes this header.
    pub fn is_named(&self, name: &str) -> bool {
        self.has_folded_name(&folded_name(name))
    }

    pub(super) fn has_folded_name(&self, folded: &str) -> bool {
        self.folded == folded
    }

    /// Returns true if the header's value replaces the method of the request line: a read becomes a write.
    pub fn overrides_method(&self) -> bool {
        METHODS.contains(&self.folded.as_str())
    }

    /// The name as the operator writes it.
    pub fn as_str(&self) -> &str {
        &self.written
    }
}

impl ArgumentHeaders {
    /// The headers that are allowed for the operation with these names.
    pub(crate) fn headers_for_operation(&self, names: &[Option<&str>]) -> Vec<&ArgumentHeader> {
        let own = names.iter().flatten().filter_map(|name| self.tools.get(*name)).flatten();
        self.all.iter().chain(own).collect()
    }
}

impl fmt::Display for NotAnArgumentHeader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Credential => "the credential goes there, and no argument may choose it",
            Self::Framing => "it frames the message or belongs to the connection",
            Self::Media => "the media types of the description say it",
            Self::Coding => "only the gateway knows how the bytes of a message are compressed",
            Self::Offered => "header parameters of this name are arguments already",
        })
    }
}

impl error::Error for NotAnArgumentHeader {}

const METHODS: [&str; 3] = ["x-http-method", "x-http-method-override", "x-method-override"];

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, expected: Option<NotAnArgumentHeader>) {
        assert_eq!(ArgumentHeader::new(name).err(), expected, "{name}");
    }

    #[test]
    fn headers_for_proxies_may_be_allowed_as_arguments() {
        let texts = "Cookie Forwarded X_Forwarded_For x-real-ip X-HTTP-Method-Override
            X-Original-URL X-Rewrite-URL";
        for name in texts.split_whitespace() {
            check(name, None);
        }
    }

    #[test]
    fn headers_of_framing_and_credentials_are_never_allowed_as_arguments() {
        let texts = "Host HTTP2-Settings Content-Length Transfer_Encoding TE Trailer Connection
            Keep-Alive Upgrade Expect Proxy-Authorization";
        for name in texts.split_whitespace() {
            check(name, Some(NotAnArgumentHeader::Framing));
        }
        check("Accept", Some(NotAnArgumentHeader::Media));
        check("content_type", Some(NotAnArgumentHeader::Media));
        check("Authorization", Some(NotAnArgumentHeader::Credential));
        check("Content-Encoding", Some(NotAnArgumentHeader::Coding));
        check("Accept-Encoding", Some(NotAnArgumentHeader::Coding));
        check("Accept-Language", Some(NotAnArgumentHeader::Offered));
    }

    #[test]
    fn header_names_are_compared_with_dashes_and_underscores_equal() {
        for name in ["Cookie", "X-Method-Override"] {
            let header = ArgumentHeader::new(name).unwrap();
            assert!(header.is_named(&name.replace('-', "_")), "{name}");
            assert_eq!(header.overrides_method(), name == "X-Method-Override", "{name}");
        }
    }
}
