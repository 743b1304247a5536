//! Why there is no secure connection, told apart by what an operator can do about it. Made from what the TLS library and
//! the service say.

use rustls::{AlertDescription, CertificateError};

/// Why there is no secure connection.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum TlsFault {
    /// The service does not accept our certificate.
    ClientCertificateRefused,
    /// The service asks for a certificate and we have none.
    ClientCertificateRequired,
    /// The service's certificate has expired.
    Expired,
    /// The service's certificate is not valid yet.
    NotYetValid,
    /// The service does not speak TLS, or not as we do.
    Protocol,
    /// The service's certificate is flawed: revoked, badly signed, or not for services.
    Unacceptable,
    /// Nobody we trust vouches for the service's certificate.
    UnknownAuthority,
    /// The service's certificate is for another name.
    WrongHost,
}

impl TlsFault {
    /// What the TLS library's error means to an operator. `is_asked` says whether the service asked for a certificate in
    /// this handshake, `has_identity` whether we have one.
    pub(crate) fn of(error: &rustls::Error, is_asked: bool, has_identity: bool) -> Self {
        match error {
            rustls::Error::InvalidCertificate(reason) => of_certificate(reason),
            rustls::Error::NoCertificatesPresented => Self::UnknownAuthority,
            rustls::Error::AlertReceived(AlertDescription::CertificateRequired) => {
                Self::ClientCertificateRequired
            }
            rustls::Error::AlertReceived(alert) if is_asked && is_about_certificates(*alert) => {
                Self::of_client(has_identity)
            }
            _ => Self::Protocol,
        }
    }

    /// A service that asked for a certificate turned down what it got.
    pub(crate) fn of_client(has_identity: bool) -> Self {
        if has_identity { Self::ClientCertificateRefused } else { Self::ClientCertificateRequired }
    }

    /// Whether the service, and not we, ended the handshake.
    pub(crate) fn is_clients(self) -> bool {
        matches!(self, Self::ClientCertificateRefused | Self::ClientCertificateRequired)
    }

    /// What is wrong and what to do.
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

fn of_certificate(reason: &CertificateError) -> TlsFault {
    match reason {
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => TlsFault::Expired,
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            TlsFault::NotYetValid
        }
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            TlsFault::WrongHost
        }
        // An authority of the same name with another key is not the one that is trusted.
        CertificateError::UnknownIssuer | CertificateError::BadSignature => {
            TlsFault::UnknownAuthority
        }
        _ => TlsFault::Unacceptable,
    }
}

/// What a service answers to a client certificate it does not like (RFC 8446 §6.2; TLS 1.2 has `handshake_failure` for a
/// missing one, RFC 5246 §7.4.6).
fn is_about_certificates(alert: AlertDescription) -> bool {
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
