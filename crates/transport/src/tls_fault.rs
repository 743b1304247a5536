//! The reasons why there is no secure connection, distinguished by what an operator can do about them. Made from the errors
//! of the TLS library and the service.

use bytes::Bytes;
use http::{Response, StatusCode};
use memchr::memmem;
use rustls::{AlertDescription, CertificateError};

/// The reason why there is no secure connection.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum TlsFault {
    /// The service does not accept our certificate.
    ClientCertificateRefused,
    /// The service asks for a certificate, and we have none.
    ClientCertificateRequired,
    /// The service's certificate has expired.
    Expired,
    /// The service's certificate is not valid yet.
    NotYetValid,
    /// The service does not speak TLS, or no version that we support.
    Protocol,
    /// The service speaks TLS, but the request was sent without it.
    TlsRequired,
    /// The service's certificate is unacceptable: revoked, badly signed, or not for services.
    Unacceptable,
    /// No authority that we trust issued the service's certificate.
    UnknownAuthority,
    /// The service's certificate is for another name.
    WrongHost,
}

impl TlsFault {
    /// Translates the TLS library's error. `is_asked` says whether the service asked for a certificate in this handshake,
    /// `has_identity` whether we have one.
    pub(crate) fn from_error(error: &rustls::Error, is_asked: bool, has_identity: bool) -> Self {
        match error {
            rustls::Error::InvalidCertificate(reason) => certificate_fault(reason),
            rustls::Error::NoCertificatesPresented => Self::UnknownAuthority,
            rustls::Error::AlertReceived(AlertDescription::CertificateRequired) => {
                Self::ClientCertificateRequired
            }
            rustls::Error::AlertReceived(alert)
                if is_asked && may_refuse_client_certificate(*alert) =>
            {
                Self::for_client_certificate(has_identity)
            }
            _ => Self::Protocol,
        }
    }

    /// Finds a fault of the connection in a response: some services accept any client certificate, or none, and then
    /// respond to every request with status 400 and a page of their own.
    pub fn from_bad_request_page(answer: &Response<Bytes>) -> Option<Self> {
        if answer.status() != StatusCode::BAD_REQUEST {
            return None;
        }
        let says =
            |(words, _): &&(&str, Self)| memmem::find(answer.body(), words.as_bytes()).is_some();
        PAGES.iter().find(says).map(|(_, fault)| *fault)
    }

    /// The fault of a service that asked for a certificate and rejected the one it got, or its absence.
    pub(crate) fn for_client_certificate(has_identity: bool) -> Self {
        if has_identity { Self::ClientCertificateRefused } else { Self::ClientCertificateRequired }
    }

    /// Returns true if the fault is about the client certificate, so that the service ended the handshake.
    pub(crate) fn is_about_client_certificate(self) -> bool {
        matches!(self, Self::ClientCertificateRefused | Self::ClientCertificateRequired)
    }

    /// The problem and its remedy.
    pub fn message(self) -> &'static str {
        match self {
            Self::ClientCertificateRefused => {
                "the service does not accept our client certificate: `tls: {client_certificate: …}` must name one that the \
                 service's authority issued and that has not been revoked, with its chain"
            }
            Self::ClientCertificateRequired => {
                "the service asks for a client certificate: name one with `tls: {client_certificate: …, client_key: …}`"
            }
            Self::Expired => {
                "the service's certificate has expired: whoever runs the service must renew it"
            }
            Self::NotYetValid => {
                "the service's certificate is not valid yet: look at this machine's clock and at the certificate's dates"
            }
            Self::Protocol => {
                "the service does not answer with TLS that we speak (1.2 or 1.3): look at the scheme and the port of the \
                 server's URL"
            }
            Self::TlsRequired => {
                "the service speaks TLS where it was called without: write `https` in the server's URL"
            }
            Self::Unacceptable => {
                "the service's certificate cannot be accepted: it is revoked, badly signed, or not made for services"
            }
            Self::UnknownAuthority => {
                "nobody who is trusted vouches for the service's certificate: name its authority with `tls: {ca: […]}`, or \
                 have the service send its whole chain"
            }
            Self::WrongHost => {
                "the service's certificate is for another host name: name the server as its certificate does, or have the \
                 certificate name the server as a subject alternative name"
            }
        }
    }
}

fn certificate_fault(reason: &CertificateError) -> TlsFault {
    match reason {
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => TlsFault::Expired,
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            TlsFault::NotYetValid
        }
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            TlsFault::WrongHost
        }
        // The authority has the name of a trusted one, but another key.
        CertificateError::UnknownIssuer | CertificateError::BadSignature => {
            TlsFault::UnknownAuthority
        }
        _ => TlsFault::Unacceptable,
    }
}

/// True if an alert rejects a client certificate (RFC 8446 §6.2; TLS 1.2 has `handshake_failure` for a missing one, RFC
/// 5246 §7.4.6).
fn may_refuse_client_certificate(alert: AlertDescription) -> bool {
    matches!(
        alert,
        AlertDescription::AccessDenied
            | AlertDescription::BadCertificate
            | AlertDescription::CertificateExpired
            | AlertDescription::CertificateRevoked
            | AlertDescription::CertificateUnknown
            | AlertDescription::DecryptError
            | AlertDescription::HandshakeFailure
            | AlertDescription::NoCertificate
            | AlertDescription::UnknownCA
            | AlertDescription::UnsupportedCertificate
    )
}

/// nginx responds with these pages for 496, 495 and 497 (`ngx_http_special_response.c`), Apache and Go's server with the
/// last ones.
const PAGES: [(&str, TlsFault); 5] = [
    ("<center>No required SSL certificate was sent</center>", TlsFault::ClientCertificateRequired),
    ("<center>The SSL certificate error</center>", TlsFault::ClientCertificateRefused),
    ("<center>The plain HTTP request was sent to HTTPS port</center>", TlsFault::TlsRequired),
    ("You're speaking plain HTTP to an SSL-enabled server port", TlsFault::TlsRequired),
    ("Client sent an HTTP request to an HTTPS server.", TlsFault::TlsRequired),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(status: u16, body: &'static str, expected: Option<TlsFault>) {
        let answer = Response::builder().status(status).body(Bytes::from_static(body.as_bytes()));
        assert_eq!(TlsFault::from_bad_request_page(&answer.unwrap()), expected, "{status} {body}");
    }

    #[test]
    fn an_html_page_about_certificates_is_recognized_as_a_tls_fault() {
        let page = "<html>\r\n<head><title>400 No required SSL certificate was sent</title></head>\r\n<body>\r\n\
            <center><h1>400 Bad Request</h1></center>\r\n<center>No required SSL certificate was sent</center>\r\n";
        check(400, page, Some(TlsFault::ClientCertificateRequired));
        check(200, page, None);
        check(
            400,
            "<center>The SSL certificate error</center>",
            Some(TlsFault::ClientCertificateRefused),
        );
        check(
            400,
            "Client sent an HTTP request to an HTTPS server.\n",
            Some(TlsFault::TlsRequired),
        );
        check(400, "{\"message\":\"the SSL certificate error of order 7\"}", None);
        check(400, "", None);
    }
}
