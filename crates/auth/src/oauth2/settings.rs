//! The settings of an OAuth 2.0 credential, as an operator chooses them. Holds references and names; their file format
//! is not known here.

use callgate_secret::SecretReference;
use callgate_tool::NamedBy;

use crate::source::CredentialSource;

/// A credential whose tokens an authorization server issues.
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
///     header: None,
///     parameters: Vec::new(),
/// }));
/// # drop(auth);
/// # Ok::<(), callgate_secret::Error>(())
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct OAuth2Config {
    /// The credential's name in errors.
    pub name: String,
    /// The token endpoint.
    pub endpoint: TokenEndpoint,
    /// The client that requests the tokens; `None` if the grant alone is enough.
    pub client: Option<OAuth2Client>,
    /// The grant that is exchanged for the token.
    pub grant: OAuth2Grant,
    /// The scopes to request (RFC 6749 §3.3); none for the server's default.
    pub scopes: Vec<String>,
    /// The names of the services that the token is for (RFC 8693 §2.1), sent as `audience`.
    pub audiences: Vec<String>,
    /// The URLs of the services that the token is for (RFC 8707), sent as `resource`.
    pub resources: Vec<String>,
    /// The header that takes the token alone, such as `X-Shopify-Access-Token`; `Authorization: Bearer` unless given.
    pub header: Option<String>,
    /// Further parameters of the token request, as the server's documentation requires them.
    pub parameters: Vec<(String, String)>,
}

/// The token endpoint, or the place that names it.
///
/// ```
/// # use std::sync::Arc;
/// # use callgate_auth::{AuthContext, OAuth2Config, OAuth2Grant};
/// use callgate_auth::{AuthConfig, ErrorKind, TokenEndpoint};
/// # use callgate_secret::MemoryStore;
/// # use callgate_transport::Refuse;
///
/// # let context = AuthContext::new(Arc::new(MemoryStore::new()), Arc::new(Refuse::new()));
/// # let auth = |endpoint| AuthConfig::OAuth2(Box::new(OAuth2Config {
/// #     name: "pets".to_owned(), endpoint, client: None, grant: OAuth2Grant::ClientCredentials,
/// #     scopes: Vec::new(), audiences: Vec::new(), resources: Vec::new(), header: None, parameters: Vec::new(),
/// # }));
/// // The server's metadata name the endpoint, and are read when a token is first needed.
/// let endpoint = TokenEndpoint::Issuer("https://login.example.com".to_owned());
/// assert!(auth(endpoint).build(&context).is_ok());
///
/// // Whoever reads the description replaces this one.
/// let refused = auth(TokenEndpoint::Described).build(&context).unwrap_err();
/// assert_eq!(refused.kind(), ErrorKind::Configuration);
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum TokenEndpoint {
    /// The endpoint in the description's security scheme; the reader of the description replaces this value.
    Described,
    /// The metadata of an authorization server, at a URL that the description names.
    #[doc(hidden)]
    DescribedMetadata(DescribedMetadata),
    /// The endpoint itself, named by the description: it must be public https.
    DescribedUrl(String),
    /// An authorization server that the operator names; its metadata (`OpenID` Connect Discovery 1.0, RFC 8414) name the
    /// endpoint and must name the same issuer.
    Issuer(String),
    /// The endpoint itself, named by the operator.
    Url(String),
}

/// Metadata of an authorization server that a description names.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct DescribedMetadata {
    /// The URL of the metadata.
    pub url: String,
    /// The party that vouches for the URL: if only the description does, the URL must be public https.
    pub named_by: NamedBy,
    /// The origins at which the token endpoint in the metadata may be: `https://idp.example.com`.
    pub origins: Vec<String>,
}

/// A client of an authorization server, and its authentication.
///
/// ```
/// use callgate_auth::{ClientAuthentication, OAuth2Client};
///
/// let client = OAuth2Client {
///     id: "literal:agent".parse()?,
///     authentication: ClientAuthentication::Body("env:PETS_SECRET".parse()?),
/// };
/// assert!(format!("{client:?}").contains("env:PETS_SECRET"), "named, not read");
/// # Ok::<(), callgate_secret::Error>(())
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct OAuth2Client {
    /// The client's id.
    pub id: SecretReference,
    /// The authentication of the client.
    pub authentication: ClientAuthentication,
}

/// The authentication of a client (RFC 6749 §2.3).
///
/// ```
/// use callgate_auth::{ClientAuthentication, OAuth2Client};
/// use callgate_secret::SecretReference;
///
/// /// A client that was registered with a secret, or a public one.
/// fn client(id: SecretReference, secret: Option<SecretReference>) -> OAuth2Client {
///     let authentication = secret.map_or(ClientAuthentication::None, ClientAuthentication::Basic);
///     OAuth2Client { id, authentication }
/// }
/// let command = client("literal:cli".parse()?, None);
/// assert_eq!(command.authentication, ClientAuthentication::None);
/// # let service = client("literal:agent".parse()?, Some("env:PETS_SECRET".parse()?));
/// # assert!(matches!(service.authentication, ClientAuthentication::Basic(_)));
/// # Ok::<(), callgate_secret::Error>(())
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum ClientAuthentication {
    /// The client's secret in the `Authorization` header: `client_secret_basic`.
    Basic(SecretReference),
    /// The client's secret in the request's body: `client_secret_post`.
    Body(SecretReference),
    /// No authentication, as for public clients: `none`.
    None,
    /// A JWT that the client signs (RFC 7523 §2.2): `private_key_jwt`.
    PrivateKeyJwt(PrivateKeyJwt),
}

/// A JWT signed by a client.
///
/// ```
/// # use std::sync::Arc;
/// # use callgate_auth::{AuthConfig, AuthContext, OAuth2Client, OAuth2Config, OAuth2Grant, TokenEndpoint};
/// use callgate_auth::{ClientAuthentication, ErrorKind, PrivateKeyJwt};
/// # use callgate_secret::MemoryStore;
/// # use callgate_tool::Session;
/// # use callgate_transport::Refuse;
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().build()?.block_on(async {
/// # let auth = |authentication| AuthConfig::OAuth2(Box::new(OAuth2Config {
/// #     client: Some(OAuth2Client { id: "literal:agent".parse().expect("an id"), authentication }),
/// #     name: "pets".to_owned(), endpoint: TokenEndpoint::Url("https://login.example.com/token".to_owned()),
/// #     grant: OAuth2Grant::ClientCredentials,
/// #     scopes: Vec::new(), audiences: Vec::new(), resources: Vec::new(), header: None, parameters: Vec::new(),
/// # }));
/// # let context = AuthContext::new(Arc::new(MemoryStore::new()), Arc::new(Refuse::new()));
/// # let mut request = http::Request::new(bytes::Bytes::new());
/// let key = "literal:no key at all".parse()?;
/// let jwt = PrivateKeyJwt { key, key_id: Some("k1".to_owned()), algorithm: None, audience: None };
/// let authenticator = auth(ClientAuthentication::PrivateKeyJwt(jwt)).build(&context)?;
/// let refused = authenticator.authorize(&mut request, &Session::default()).await.unwrap_err();
/// assert_eq!(refused.kind(), ErrorKind::UnusableSecret);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct PrivateKeyJwt {
    /// The private key as PEM: RSA in PKCS#1 or PKCS#8, elliptic curves and Ed25519 in PKCS#8.
    pub key: SecretReference,
    /// The `kid` of the JWT's header.
    pub key_id: Option<String>,
    /// The algorithm; the default depends on the key: `RS256`, `ES256`, `EdDSA`.
    pub algorithm: Option<SigningAlgorithm>,
    /// The `aud` of the JWT; the default is the issuer if it is known, otherwise the token endpoint.
    pub audience: Option<String>,
}

/// The signature algorithm of a JWT (RFC 7518 §3.1, RFC 8037 §3.1).
///
/// ```
/// use callgate_auth::{PrivateKeyJwt, SigningAlgorithm};
///
/// // By an RSA key the JWT is signed with `RS256`, unless the server wants another algorithm.
/// let jwt = PrivateKeyJwt {
///     key: "file:client.pem".parse()?,
///     key_id: None,
///     algorithm: Some(SigningAlgorithm::Ps256),
///     audience: None,
/// };
/// # drop(jwt);
/// # Ok::<(), callgate_secret::Error>(())
/// ```
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

/// The grant that is exchanged for a token.
///
/// ```
/// # use std::sync::Arc;
/// # use bytes::Bytes;
/// # use callgate_auth::{AuthConfig, AuthContext, OAuth2Config, TokenEndpoint};
/// use callgate_auth::{CredentialSource, OAuth2Grant};
/// # use callgate_secret::{MemoryStore, Secret};
/// use callgate_tool::Session;
/// # use callgate_transport::{Error, Limits, Transport};
/// # use http::{Request, Response};
/// # #[derive(Debug)]
/// # struct Server;
/// # #[async_trait::async_trait]
/// # impl Transport for Server {
/// #     async fn send(&self, request: Request<Bytes>, _: &Limits) -> Result<Response<Bytes>, Error> {
/// #         assert!(request.body().ends_with(b"&assertion=users.own.jwt"), "{request:?}");
/// #         Ok(Response::new(Bytes::from_static(b"{\"access_token\": \"t0k3n\", \"expires_in\": 60}")))
/// #     }
/// # }
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().build()?.block_on(async {
/// # let auth = |grant| AuthConfig::OAuth2(Box::new(OAuth2Config {
/// #     name: "pets".to_owned(), endpoint: TokenEndpoint::Url("https://login.example.com/token".to_owned()),
/// #     client: None, grant,
/// #     scopes: Vec::new(), audiences: Vec::new(), resources: Vec::new(), header: None, parameters: Vec::new(),
/// # }));
/// # let context = AuthContext::new(Arc::new(MemoryStore::new()), Arc::new(Server));
/// # let mut request = Request::new(Bytes::new());
/// // The JWT of the session's user is exchanged for a token that the service takes.
/// let assertion = CredentialSource::SessionCredential("login".to_owned());
/// let authenticator = auth(OAuth2Grant::JwtBearer { assertion }).build(&context)?;
/// let jwt = Secret::new("users.own.jwt".to_owned());
/// let session = Session::new("s-1").with_credential("login", jwt);
/// authenticator.authorize(&mut request, &session).await?;
/// assert_eq!(request.headers()["authorization"], "Bearer t0k3n");
/// # Ok::<(), callgate_auth::Error>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum OAuth2Grant {
    /// A person who logged in with a browser (RFC 6749 §4.1, RFC 8252) or another device (RFC 8628).
    AuthorizationCode(LoginEndpoints),
    /// The client itself (RFC 6749 §4.4).
    ClientCredentials,
    /// A JWT that represents a user (RFC 7523 §2.1).
    JwtBearer {
        /// The JWT.
        assertion: CredentialSource,
    },
    /// A user's token, which is exchanged for another one (RFC 8693).
    TokenExchange {
        /// The user's token.
        subject: SubjectToken,
        /// The type of the user's token, a URI.
        subject_type: String,
        /// The token of the actor, who acts for the user, and its type.
        actor: Option<(CredentialSource, String)>,
        /// The requested type of token, a URI; by default the server chooses.
        requested_type: Option<String>,
    },
}

/// The token of a user that is exchanged for another one.
///
/// ```
/// # use std::sync::Arc;
/// # use callgate_auth::{AuthConfig, AuthContext, OAuth2Config, TokenEndpoint};
/// use callgate_auth::{OAuth2Grant, SubjectToken};
/// # use callgate_secret::MemoryStore;
/// use callgate_tool::CallerToken;
/// # use callgate_transport::Refuse;
///
/// # let auth = |grant| AuthConfig::OAuth2(Box::new(OAuth2Config {
/// #     name: "pets".to_owned(), endpoint: TokenEndpoint::Issuer("https://login.example.com".to_owned()),
/// #     client: None, grant,
/// #     scopes: Vec::new(), audiences: Vec::new(), resources: Vec::new(), header: None, parameters: Vec::new(),
/// # }));
/// # let context = AuthContext::new(Arc::new(MemoryStore::new()), Arc::new(Refuse::new()));
/// let grant = OAuth2Grant::TokenExchange {
///     subject: SubjectToken::Caller,
///     subject_type: "urn:ietf:params:oauth:token-type:jwt".to_owned(),
///     actor: None,
///     requested_type: None,
/// };
/// let authenticator = auth(grant).build(&context)?;
/// assert_eq!(authenticator.session_parameter().as_deref(), Some(CallerToken::PLACE));
/// # Ok::<(), callgate_auth::Error>(())
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum SubjectToken {
    /// The token by which the caller of this request authenticated
    /// ([`Session::caller_token`](callgate_tool::Session::caller_token)). The operator must name the endpoint that it
    /// is sent to.
    Caller,
    /// A token of the session, or of the operator.
    Source(CredentialSource),
}

/// The endpoints at which a person logs in and out. An endpoint that is not set is read from the authorization server's
/// metadata.
///
/// ```
/// # use std::sync::Arc;
/// # use callgate_auth::{AuthContext, Login, OAuth2Config, TokenEndpoint};
/// use callgate_auth::{LoginEndpoints, OAuth2Grant};
/// # use callgate_secret::MemoryStore;
/// # use callgate_transport::Refuse;
///
/// # let context = AuthContext::new(Arc::new(MemoryStore::new()), Arc::new(Refuse::new()));
/// # let config = |grant| OAuth2Config {
/// #     name: "pets".to_owned(), endpoint: TokenEndpoint::Issuer("https://login.example.com".to_owned()),
/// #     client: None, grant,
/// #     scopes: Vec::new(), audiences: Vec::new(), resources: Vec::new(), header: None, parameters: Vec::new(),
/// # };
/// // The issuer's metadata name the pages; it takes one redirect URL only.
/// let endpoints = LoginEndpoints {
///     redirect_url: Some("http://127.0.0.1:8976/callback".to_owned()),
///     ..LoginEndpoints::default()
/// };
/// let login = Login::new(&config(OAuth2Grant::AuthorizationCode(endpoints)), &context)?;
/// assert_eq!(login.redirect_url(), Some("http://127.0.0.1:8976/callback"));
/// # Ok::<(), callgate_auth::Error>(())
/// ```
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct LoginEndpoints {
    /// The page where a person logs in.
    pub authorization_url: Option<String>,
    /// The place where a login on another device begins.
    pub device_authorization_url: Option<String>,
    /// The endpoint that revokes tokens (RFC 7009).
    pub revocation_url: Option<String>,
    /// The address on this machine that the browser comes back to, if the server accepts only one; otherwise any free
    /// port.
    pub redirect_url: Option<String>,
}
