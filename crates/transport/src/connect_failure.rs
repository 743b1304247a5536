//! The reasons why no connection was made, distinguished by what an operator can do about them. Made from the errors of the
//! operating system and the HTTP client.

use std::io;

/// The reason why no connection was made.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum ConnectFailure {
    /// The address did not answer.
    NoAnswer,
    /// No route leads from here to the address.
    NoRoute,
    /// The name has no address.
    NoSuchName,
    /// The port answered, but not with HTTP.
    NotHttp,
    /// No name server answered for the name.
    NameNotAnswered,
    /// The machine answered, but nothing listens at the port.
    Refused,
}

impl ConnectFailure {
    pub(crate) fn from_error(error: &io::Error) -> Option<Self> {
        match error.kind() {
            io::ErrorKind::ConnectionRefused => Some(Self::Refused),
            io::ErrorKind::HostUnreachable | io::ErrorKind::NetworkUnreachable => {
                Some(Self::NoRoute)
            }
            io::ErrorKind::TimedOut => Some(Self::NoAnswer),
            _ => None,
        }
    }

    pub(crate) fn from_name_lookup(is_timeout: bool) -> Self {
        if is_timeout { Self::NameNotAnswered } else { Self::NoSuchName }
    }

    /// The reason in words that name no host.
    pub fn message(self) -> &'static str {
        match self {
            Self::NoAnswer => "nobody answered there in time",
            Self::NoRoute => "no network leads there from this machine",
            Self::NoSuchName => "the name has no address",
            Self::NotHttp => "what answers there does not speak HTTP",
            Self::NameNotAnswered => "no name server answered in time",
            Self::Refused => "the connection was refused: nothing listens there",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_the_operating_system_give_different_reasons() {
        for (kind, expected) in [
            (io::ErrorKind::ConnectionRefused, Some(ConnectFailure::Refused)),
            (io::ErrorKind::HostUnreachable, Some(ConnectFailure::NoRoute)),
            (io::ErrorKind::TimedOut, Some(ConnectFailure::NoAnswer)),
            (io::ErrorKind::BrokenPipe, None),
        ] {
            assert_eq!(ConnectFailure::from_error(&kind.into()), expected, "{kind}");
        }
    }
}
