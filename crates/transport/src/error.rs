//! The reasons why a request gets no response. No sentence here names a URL, host, header or query, because the caller sees
//! these errors. The other modules of this crate make them from the HTTP client's errors.

use std::{borrow::Cow, error, io, iter, net::IpAddr};

use callgate_tool::Reached;
use hyper_util::client::legacy::Error as ClientError;

use crate::{
    connect_failure::ConnectFailure,
    connector::TooSlow,
    egress::Denial,
    repeat::AttemptEnd,
    resolve::{AddressDenied, NameNotResolved},
    tls_fault::TlsFault,
};

callgate_secret::error! {
    /// A request without a response.
    ///
    /// ```
    /// use callgate_transport::{ErrorKind, Recording, Replay};
    ///
    /// let (name, request, response) = ("a pet".to_owned(), Vec::new(), b"200 OK".to_vec());
    /// let error = Replay::new([Recording { name, request, response }]).unwrap_err();
    /// assert_eq!((error.kind(), error.is_transient()), (ErrorKind::MalformedRecording, false));
    /// assert!(error.to_string().starts_with("`a pet`: "));
    /// ```
    pub struct Error {
        reached: Option<Reached>,
        end: Option<AttemptEnd>,
        is_of_repetition: bool,
        detail: Option<String>,
        denied: Option<(Denial, Option<IpAddr>)>,
        tls: Option<TlsFault>,
        connect_failure: Option<ConnectFailure>,
    }

    /// A failure of a transport outside this crate; the message must name no URL, host, header or query.
    ///
    /// If the kind leaves open whether the service saw the request, it may have: [`Error::with_reached`] sets what is
    /// known.
    ///
    /// ```
    /// use callgate_tool::Reached;
    /// use callgate_transport::{Error, ErrorKind};
    ///
    /// let error = Error::new(ErrorKind::Send, "the connection broke");
    /// assert_eq!(error.reached_service(), Reached::Maybe);
    /// assert_eq!(error.with_reached(Reached::No).reached_service(), Reached::No);
    /// assert_eq!(Error::new(ErrorKind::Connect, "nothing listens").reached_service(), Reached::No);
    /// ```
    pub fn new;

    /// Adds the cause, whose text must not name a URL either.
    pub fn with_source;
}

/// The class of an [`Error`].
///
/// ```
/// # use bytes::Bytes;
/// use callgate_transport::{Client, ErrorKind, Limits, Transport};
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().build()?.block_on(async {
/// let request = http::Request::get("ftp://files.example.com/pets").body(Bytes::new())?;
/// let error = Client::new()?.send(request, &Limits::default()).await.unwrap_err();
/// let line = match error.kind() {
///     ErrorKind::Connect | ErrorKind::Dns => "the service is down",
///     ErrorKind::Refused => "the request may not be sent",
///     _ => "the exchange failed",
/// };
/// assert_eq!(line, "the request may not be sent");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A certificate or private key in the settings is unusable.
    Certificate,
    /// The response has a content coding that was not requested, or does not follow the one it announces.
    Coding,
    /// No connection to the service could be made.
    Connect,
    /// The service's name has no address.
    Dns,
    /// The response expands too far when it is decoded.
    Expanding,
    /// A recording does not have the form of a request or response.
    MalformedRecording,
    /// No recording matches the request.
    NothingRecorded,
    /// The response broke off.
    Receive,
    /// The request is not allowed.
    Refused,
    /// The connection broke before a response began, or the response is not HTTP.
    Send,
    /// The exchange took too long.
    TimedOut,
    /// There is no secure connection to the service: [`Error::tls_fault`] says why.
    Tls,
    /// The response is larger than the limit.
    TooLarge,
}

impl ErrorKind {
    /// Reports whether the service saw a request with this failure, unless more is known.
    fn reached_service(self) -> Reached {
        match self {
            Self::Certificate
            | Self::Connect
            | Self::Dns
            | Self::MalformedRecording
            | Self::NothingRecorded
            | Self::Refused => Reached::No,
            Self::Coding | Self::Expanding | Self::TooLarge => Reached::Yes,
            // In TLS 1.3 the client may send the request before the service ends the connection.
            Self::Receive | Self::Send | Self::TimedOut | Self::Tls => Reached::Maybe,
        }
    }
}

impl Error {
    /// Reports whether the service saw the request.
    pub fn reached_service(&self) -> Reached {
        self.reached.unwrap_or_else(|| self.kind.reached_service())
    }

    /// True if a later retry may succeed. [`Error::reached_service`] and the method decide whether a retry is harmless.
    pub fn is_transient(&self) -> bool {
        match self.kind {
            ErrorKind::Connect
            | ErrorKind::Dns
            | ErrorKind::Receive
            | ErrorKind::Send
            | ErrorKind::TimedOut => true,
            ErrorKind::Certificate
            | ErrorKind::Coding
            | ErrorKind::Expanding
            | ErrorKind::MalformedRecording
            | ErrorKind::NothingRecorded
            | ErrorKind::Refused
            | ErrorKind::Tls
            | ErrorKind::TooLarge => false,
        }
    }

    /// The end of the attempt, which decides with the request whether it may go again.
    #[doc(hidden)]
    pub fn attempt_end(&self) -> AttemptEnd {
        let is_http = self.connect_failure != Some(ConnectFailure::NotHttp);
        let by_kind = || match self.reached_service() {
            _ if !self.is_transient() || !is_http => AttemptEnd::Final,
            Reached::No => AttemptEnd::NotConnected,
            Reached::Maybe | Reached::Yes => AttemptEnd::ConnectionBroken,
        };
        self.end.unwrap_or_else(by_kind)
    }

    /// True if the request was sent a second time, because of the way in which the first attempt ended.
    #[doc(hidden)]
    pub fn is_after_repetition(&self) -> bool {
        self.is_of_repetition
    }

    pub(crate) fn with_repetition(mut self) -> Self {
        self.is_of_repetition = true;
        self
    }

    /// For [`ErrorKind::NothingRecorded`]: the request, the nearest recorded one and their difference, with credentials
    /// masked. Only for the operator: it shows the URL.
    pub fn detail(&self) -> Option<&str> {
        self.detail.as_deref()
    }

    /// For [`ErrorKind::Refused`]: the reason why the address must not be dialled.
    #[doc(hidden)]
    pub fn denial(&self) -> Option<Denial> {
        self.denied.map(|(denial, _)| denial)
    }

    /// With [`Error::denial`]: the denied address, if it came from a look-up. Only for the operator.
    pub fn denied_address(&self) -> Option<IpAddr> {
        self.denied.and_then(|(_, address)| address)
    }

    /// For [`ErrorKind::Tls`]: the reason why there is no secure connection, if known.
    #[doc(hidden)]
    pub fn tls_fault(&self) -> Option<TlsFault> {
        self.tls
    }

    /// The reason why no connection was made, if known. Only for the operator.
    #[doc(hidden)]
    pub fn connect_failure(&self) -> Option<ConnectFailure> {
        self.connect_failure
    }

    /// Sets whether the service saw the request, if the kind alone leaves it open.
    #[must_use]
    pub fn with_reached(mut self, reached: Reached) -> Self {
        self.reached = Some(reached);
        self
    }
}

pub(crate) fn refused_error(message: impl Into<Cow<'static, str>>) -> Error {
    Error::new(ErrorKind::Refused, message)
}

pub(crate) fn egress_denial(denial: Denial, address: Option<IpAddr>) -> Error {
    let mut error = refused_error(denial.message());
    error.denied = Some((denial, address));
    error
}

pub(crate) fn certificate_error(message: impl Into<Cow<'static, str>>) -> Error {
    Error::new(ErrorKind::Certificate, message)
}

pub(crate) fn tls_settings_error(source: rustls::Error) -> Error {
    let message = "the settings of secure connections cannot be used";
    Error::new(ErrorKind::Tls, message).with_reached(Reached::No).with_source(source)
}

pub(crate) fn system_trust_error() -> Error {
    let message =
        "no secure connection can be made: the certificates of this machine cannot be used";
    Error::new(ErrorKind::Tls, message).with_reached(Reached::No)
}

pub(crate) fn tls_fault_error(fault: TlsFault, reached: Reached) -> Error {
    let mut error = Error::new(ErrorKind::Tls, fault.message()).with_reached(reached);
    error.tls = Some(fault);
    error
}

pub(crate) fn connecting_error(source: impl error::Error + Send + Sync + 'static) -> Error {
    if let Some(AddressDenied { address, denial }) = cause_of_type(&source) {
        return egress_denial(*denial, Some(*address));
    }
    let unresolved = cause_of_type::<NameNotResolved>(&source).map(NameNotResolved::is_timeout);
    let (kind, message) = match unresolved {
        Some(true) => (ErrorKind::Dns, "the service's name could not be resolved in time"),
        Some(false) => (ErrorKind::Dns, "the service's name could not be resolved"),
        None if is_connect_timeout(&source) => {
            (ErrorKind::TimedOut, "the service did not accept a connection in time")
        }
        None => (ErrorKind::Connect, "the service could not be connected to"),
    };
    let mut error = Error::new(kind, message).with_reached(Reached::No);
    error.connect_failure = match unresolved {
        Some(is_timeout) => Some(ConnectFailure::from_name_lookup(is_timeout)),
        None if kind == ErrorKind::TimedOut => Some(ConnectFailure::NoAnswer),
        None => error_and_causes(&source)
            .find_map(|cause| ConnectFailure::from_error(cause.downcast_ref()?)),
    };
    error.with_source(source)
}

/// True if a connection was not made in time, by our clock or the operating system's.
fn is_connect_timeout(source: &(dyn error::Error + 'static)) -> bool {
    let has_timed_out = |io_error: &io::Error| io_error.kind() == io::ErrorKind::TimedOut;
    cause_of_type::<TooSlow>(source).is_some()
        || error_and_causes(source).filter_map(|cause| cause.downcast_ref()).any(has_timed_out)
}

/// A failure of a connection before the head of a response, made from the HTTP client's error.
pub(crate) fn sending_error(source: ClientError, end: AttemptEnd) -> Error {
    let (message, reached) = match end {
        AttemptEnd::NotWritten => ("the connection broke before the request was sent", Reached::No),
        AttemptEnd::NotProcessed => ("the service did not process the request", Reached::No),
        _ => ("the connection broke before the service answered", Reached::Maybe),
    };
    let mut error = Error::new(ErrorKind::Send, message).with_reached(reached);
    error.end = Some(end);
    let is_parse = cause_of_type::<hyper::Error>(&source).is_some_and(hyper::Error::is_parse);
    error.connect_failure = is_parse.then_some(ConnectFailure::NotHttp);
    error.with_source(source)
}

callgate_secret::errors! {
    /// The error for a response whose head has two contradictory lengths.
    fn two_lengths() = Send: "the service's answer says in two ways how long it is";
    fn timed_out() = TimedOut: "the service did not answer in time";
    fn too_large(bound: usize) = TooLarge: "the service's answer is larger than {bound} bytes";
    fn expanding(most: u64) = Expanding:
        "the service's answer becomes more than {most} times its size";
    fn unknown_coding(name: &str) = Coding:
        "the service's answer is in a content coding that was not asked for: `{name}`";
    fn nested_codings() = Coding: "the service's answer is in several content codings";
    fn malformed_recording(line: usize, expected: &str) = MalformedRecording:
        "the recording is malformed: expected {expected} in line {line}";
}

/// A failure after the head of a response, made from the HTTP client's error. A broken response does not show what the
/// service did.
pub(crate) fn receiving_error(source: hyper::Error) -> Error {
    let message = "the connection broke before the service's answer was complete";
    Error::new(ErrorKind::Receive, message).with_source(source)
}

/// The service reset the stream of HTTP/2 within its response.
pub(crate) fn reset_stream() -> Error {
    Error::new(ErrorKind::Receive, "the service ended its answer before it was complete")
}

pub(crate) fn decoding_error(source: io::Error) -> Error {
    match source.downcast::<Error>() {
        Ok(error) => error,
        Err(source) => {
            let message = "the service's answer is not in the content coding it announces";
            Error::new(ErrorKind::Coding, message).with_source(source)
        }
    }
}

pub(crate) fn recording_error(name: &str, error: &Error) -> Error {
    Error::new(error.kind(), format!("`{name}`: {error}")).with_reached(Reached::No)
}

pub(crate) fn nothing_recorded_error(detail: String) -> Error {
    let message = "no recorded answer exists for this request";
    let mut error = Error::new(ErrorKind::NothingRecorded, message);
    error.detail = Some(detail);
    error
}

/// The first error of a type among an error and its causes. [`io::Error`] omits the error it wraps from its own `source`.
pub(crate) fn cause_of_type<'a, E: error::Error + 'static>(
    error: &'a (dyn error::Error + 'static),
) -> Option<&'a E> {
    error_and_causes(error).find_map(|cause| cause.downcast_ref())
}

fn error_and_causes<'a>(
    error: &'a (dyn error::Error + 'static),
) -> impl Iterator<Item = &'a (dyn error::Error + 'static)> {
    iter::successors(Some(error), |cause| {
        match cause.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
            Some(wrapped) => Some(wrapped),
            None => cause.source(),
        }
    })
}
