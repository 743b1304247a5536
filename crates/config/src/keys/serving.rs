//! The keys of a sidecar's listeners and callers.

use super::{Key, Kind, Table, key, required, secret, table, text, texts};

/// An address, or an address with its TLS.
const LISTENED: Kind = Kind::AnyOf(&[Kind::Text, Kind::Table(&LISTENER)]);

/// The values of `listen` and `admin`.
const LISTENERS: Kind = Kind::AnyOf(&[Kind::Text, Kind::Table(&LISTENER), Kind::List(&LISTENED)]);

/// `access` at the root.
pub(crate) const ACCESS_KEY: Key = key(
    "access",
    Kind::Table(&ACCESS),
    "Who may call; everybody who reaches a listener on this machine unless given",
);

/// `admin` at the root.
pub(crate) const ADMIN_KEY: Key =
    key("admin", LISTENERS, "Where `/v1/admin/*` and `/metrics` are served, apart from calls");

/// `hosts` at the root.
pub(crate) const HOSTS_KEY: Key =
    texts("hosts", "Names that requests may call this sidecar by, beside those of this machine");

/// `listen` at the root.
pub(crate) const LISTEN_KEY: Key =
    key("listen", LISTENERS, "Where calls are served: `127.0.0.1:8410`, `unix:PATH`, `systemd`");

/// `proxy` at the root.
pub(crate) const PROXY_KEY: Key = key(
    "proxy",
    Kind::Address,
    "The forward proxy that every connection to other machines leads through",
);

/// One address to listen on.
pub(crate) const LISTENER: Table = table(
    "a listener",
    &[
        required(text("address", "`HOST:PORT`, `unix:PATH`, `systemd` or `systemd:NAME`")),
        key("tls", Kind::Table(&LISTENER_TLS), "The certificate that is shown to callers"),
    ],
);

/// The TLS of a listener.
pub(crate) const LISTENER_TLS: Table = table(
    "`tls` of a listener",
    &[
        required(text("certificate", "A file with the certificate and its chain, as PEM")),
        texts("client_ca", "Files with the authorities of callers' certificates, as PEM"),
        required(secret("key", "The private key of the certificate, as PEM")),
    ],
);

/// The keys about callers.
pub(crate) const ACCESS: Table = table(
    "`access`",
    &[
        secret("bearer", "The token of the one principal there is"),
        key(
            "jwt",
            Kind::List(&Kind::Table(&ISSUER)),
            "Issuers whose tokens (JWT) are taken; each subject is a principal",
        ),
        key("principals", Kind::Map(&Kind::Table(&PRINCIPAL)), "Principals by name"),
        texts("public_listing", "Toolsets whose tools anybody may list over MCP, and nobody call"),
        key(
            "url",
            Kind::Address,
            "The address that callers know the sidecar by, without a path; that of each request unless given",
        ),
    ],
);

/// One named principal.
pub(crate) const PRINCIPAL: Table = table(
    "a principal",
    &[
        key("admin", Kind::Boolean, "Whether it may use `/v1/admin/*`"),
        key(
            "bearer",
            Kind::AnyOf(&[Kind::Secret, Kind::List(&Kind::Secret)]),
            "Its token, or several while one replaces another",
        ),
        key(
            "client_certificate",
            Kind::Table(&CLIENT_CERTIFICATE),
            "The certificate it shows on a listener with `client_ca`",
        ),
        texts("toolsets", "The toolsets it may use; all unless given"),
    ],
);

/// The keys that identify a principal by a certificate.
pub(crate) const CLIENT_CERTIFICATE: Table = table(
    "`client_certificate` of a principal",
    &[required(text(
        "san",
        "A subject alternative name: a URI (`spiffe://…`), a DNS name or a mail address",
    ))],
);

/// One issuer of tokens.
pub(crate) const ISSUER: Table = table(
    "an issuer of `jwt`",
    &[
        key("admin", Kind::Boolean, "Whether its subjects may use `/v1/admin/*`"),
        key(
            "algorithms",
            Kind::List(&Kind::Choice(ALGORITHMS)),
            "How tokens may be signed; RS256 and ES256 unless given",
        ),
        required(key(
            "audience",
            Kind::AnyOf(&[Kind::Text, Kind::List(&Kind::Text)]),
            "Whom tokens must be for (`aud`): one of these",
        )),
        required(key("issuer", Kind::Address, "Who issued them (`iss`), as its metadata say")),
        key(
            "jwks_uri",
            Kind::Address,
            "Where its keys are, if not where its metadata say or not at its own origin",
        ),
        text("principal_claim", "The claim that names the principal; `sub` unless given"),
        key(
            "scopes",
            Kind::Map(&Kind::AnyOf(&[Kind::Text, Kind::List(&Kind::Text)])),
            "The scopes that a token needs for a toolset (`scope` or `scp`): all of them",
        ),
        texts("toolsets", "The toolsets that its subjects may use; all unless given"),
    ],
);

/// Signatures with a key pair: knowing the public key is not enough to make one.
pub(crate) const ALGORITHMS: &[&str] =
    &["ES256", "ES384", "EdDSA", "PS256", "PS384", "PS512", "RS256", "RS384", "RS512"];
