//! The settings of an OAuth 2.0 credential, as an operator chooses them. Holds references and names; how it is written
//! in a file is not known here.

use callgate_secret::SecretReference;
use callgate_tool::NamedBy;

use crate::source::CredentialSource;

/// A credential that is a token of an authorization server.
///
/// ```
/// use callgate_auth::{
///     AuthConfig, ClientAuthentication, OAuth2Client, OAuth2Config, OAuth2Grant, TokenEndpoint,
/// };
///
/// let auth = AuthConfig::OAuth2(Box::new(OAuth2Config {
///     name: "pets".to_owned(),
///     endpoint: TokenEndpoint::Issuer("https://login.example.com".to_owned()),
///     client: Some(OAuth2Client {
///         id: "literal:agent".parse()?,
///         authentication: ClientAuthentication::Basic("env:PETS_SECRET".parse()?),
///     }),
///     grant: OAuth2Grant::ClientCredentials,
///     scopes: vec!["pets:read".to_owned()],
///     audiences: Vec::new(),
///     resources: Vec::new(),
///     parameters: Vec::new(),
/// }));
/// # drop(auth);
/// # Ok::<(), callgate_secret::Error>(())
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_structs, reason = "callers name every choice")]
pub struct OAuth2Config {
    /// The credential's name in errors.
    pub name: String,
    /// The place where tokens are asked for.
    pub endpoint: TokenEndpoint,
    /// The party that asks; `None` where the grant alone is enough.
    pub client: Option<OAuth2Client>,
    /// The text that is shown for the token.
    pub grant: OAuth2Grant,
    /// The scopes to ask for (RFC 6749 §3.3); none for the server's default.
    pub scopes: Vec<String>,
    /// Whom the token is for by name (RFC 8693 §2.1), sent as `audience`.
    pub audiences: Vec<String>,
    /// Whom the token is for by URL (RFC 8707), sent as `resource`.
    pub resources: Vec<String>,
    /// Further parameters of the token request, as the server's documentation asks for them.
    pub parameters: Vec<(String, String)>,
}

/// The place where tokens are asked for.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum TokenEndpoint {
    /// The words of the description about its security scheme: whoever reads the description puts another in its place.
    Described,
    /// The metadata of an authorization server, at a URL the description names.
    #[doc(hidden)]
    DescribedMetadata(DescribedMetadata),
    /// The endpoint itself, named by the description: public https only.
    DescribedUrl(String),
    /// An authorization server that the operator names; its metadata (`OpenID` Connect Discovery 1.0, RFC 8414) name the
    /// endpoint and must name the same issuer.
    Issuer(String),
    /// The endpoint itself, named by the operator.
    Url(String),
}

/// Metadata of an authorization server that a description names.
#[derive(Clone, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_structs, reason = "callers say whom they trust")]
pub struct DescribedMetadata {
    /// The place where they are.
    pub url: String,
    /// The party that vouches for the URL: where only the description does, it is public https.
    pub named_by: NamedBy,
    /// The origins that the token endpoint they name may be at: `https://idp.example.com`.
    pub origins: Vec<String>,
}

/// A client of an authorization server, and how it shows that it is one.
#[derive(Clone, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_structs, reason = "a client is these two")]
pub struct OAuth2Client {
    /// The client's id.
    pub id: SecretReference,
    /// The way it shows that it is the client.
    pub authentication: ClientAuthentication,
}

/// The way a client shows that it is the client (RFC 6749 §2.3).
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum ClientAuthentication {
    /// Its secret in the `Authorization` header: `client_secret_basic`.
    Basic(SecretReference),
    /// Its secret in the request's body: `client_secret_post`.
    Body(SecretReference),
    /// Not at all, as public clients do: `none`.
    None,
    /// A JWT that it signs (RFC 7523 §2.2): `private_key_jwt`.
    PrivateKeyJwt(PrivateKeyJwt),
}

/// A JWT signed by a client.
#[derive(Clone, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_structs, reason = "callers name every choice")]
pub struct PrivateKeyJwt {
    /// The private key as PEM: RSA in PKCS#1 or PKCS#8, elliptic curves and Ed25519 in PKCS#8.
    pub key: SecretReference,
    /// The `kid` of the JWT's header.
    pub key_id: Option<String>,
    /// The algorithm; by the key where it is not said: `RS256`, `ES256`, `EdDSA`.
    pub algorithm: Option<SigningAlgorithm>,
    /// The `aud` of the JWT; the issuer where it is known and the token endpoint where it is not.
    pub audience: Option<String>,
}

/// The way a JWT is signed (RFC 7518 §3.1, RFC 8037 §3.1).
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum SigningAlgorithm {
    /// ECDSA over P-256.
    Es256,
    /// ECDSA over P-384.
    Es384,
    /// Ed25519.
    EdDsa,
    /// RSASSA-PSS with SHA-256.
    Ps256,
    /// RSASSA-PKCS1-v1.5 with SHA-256.
    Rs256,
}

/// The text that is shown for a token.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum OAuth2Grant {
    /// A person who logged in with a browser (RFC 6749 §4.1, RFC 8252) or another device (RFC 8628).
    AuthorizationCode(LoginEndpoints),
    /// The client itself (RFC 6749 §4.4).
    ClientCredentials,
    /// A JWT that speaks for a user (RFC 7523 §2.1).
    JwtBearer {
        /// The JWT.
        assertion: CredentialSource,
    },
    /// A token of a user, for another one (RFC 8693).
    TokenExchange {
        /// The user's token.
        subject: SubjectToken,
        /// Its type, a URI.
        subject_type: String,
        /// The token of whoever acts for the user, and its type.
        actor: Option<(CredentialSource, String)>,
        /// The type of token to ask for, a URI; the server's choice where it is not said.
        requested_type: Option<String>,
    },
}

/// The token of a user that is exchanged for another one.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum SubjectToken {
    /// The one by which the caller of this request showed who they are
    /// ([`Session::caller_token`](callgate_tool::Session::caller_token)). The operator must name the endpoint that it is sent to.
    Caller,
    /// One of the session, or of the operator.
    Source(CredentialSource),
}

/// The places where a person logs in and out, and what an authorization server's metadata say otherwise.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
#[expect(clippy::exhaustive_structs, reason = "callers name every choice")]
pub struct LoginEndpoints {
    /// The page where a person logs in.
    pub authorization_url: Option<String>,
    /// The place where a login on another device begins.
    pub device_authorization_url: Option<String>,
    /// The place where tokens are given back (RFC 7009).
    pub revocation_url: Option<String>,
    /// The address on this machine that the browser comes back to, where the server takes one only; else any free port.
    pub redirect_url: Option<String>,
}
