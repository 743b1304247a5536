//! The key `access`: the principals that may call, identified by a token, a certificate or an issuer. Their ids cannot
//! collide: each begins with its source.

mod approves;
mod resource;

use std::{collections::BTreeSet, sync::Arc};

use callgate_kind::KindCode;
use callgate_secret::SecretReference;
use callgate_settings::{
    Kind, Mapping, Reader, SettingCode, forms, keys, member_pointer, nearest_help, read_secrets,
};
use callgate_transport::is_this_machine;
use callgate_tree::Node;
use url::Url;

use self::{
    approves::{ApprovableCalls, check_four_eyes},
    resource::{PublicOrigin, ToolsetScopes},
};

pub use self::approves::{Approvable, Approves};
pub use self::resource::Scopes;
/// The accepted callers.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct AccessConfig {
    /// Principals that are named here.
    pub principals: Vec<PrincipalConfig>,
    /// Issuers whose subjects are principals.
    pub issuers: Vec<IssuerConfig>,
    /// The origin under which callers know the sidecar; the default is that of each request.
    pub url: Option<String>,
    /// Toolsets whose tools anybody may list over MCP.
    pub public_listing: Arc<BTreeSet<String>>,
    /// True if nobody may approve their own calls.
    pub four_eyes: bool,
}

/// A principal that is named in the configuration.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PrincipalConfig {
    /// `principal:NAME`, or `bearer` for the only one.
    pub id: String,
    /// The tokens of the principal; each of them is accepted.
    pub tokens: Vec<Token>,
    /// The name in the principal's certificate (SAN).
    pub certificate: Option<AltName>,
    /// The toolsets and rights of the principal.
    pub rights: Rights,
}

/// The rights of a principal.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct Rights {
    /// The toolsets; `None` for all.
    pub toolsets: Option<Arc<BTreeSet<String>>>,
    /// The agents; `None` for all.
    pub agents: Option<Arc<BTreeSet<String>>>,
    /// True if the principal may use `/v1/admin/*` too.
    pub is_admin: bool,
    /// The calls of others that the principal may approve or reject. No right to make them follows.
    pub approves: Arc<Approves>,
}

/// A token and its place.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Token {
    pub(crate) pointer: String,
    /// The reference to the token.
    pub secret: SecretReference,
}

/// A subject alternative name (RFC 5280 §4.2.1.6).
#[derive(Clone, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "adding a variant must break exhaustive matches")]
pub enum AltName {
    /// The name of a host, in lower case.
    Dns(String),
    /// A mail address.
    Email(String),
    /// A URI, as written.
    Uri(String),
}

/// An issuer of tokens (JWT).
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct IssuerConfig {
    /// The issuer's name in tokens and metadata.
    pub issuer: String,
    /// The audiences, one of which a token must have.
    pub audiences: Vec<String>,
    /// The signature algorithms that tokens may use.
    pub algorithms: Vec<&'static str>,
    /// The address of the issuer's keys; the default is the one in the issuer's metadata.
    pub jwks_uri: Option<Url>,
    /// The claim that names the principal.
    pub principal_claim: String,
    /// The rights of the issuer's subjects.
    pub rights: Rights,
    /// The scopes that the tokens of the issuer's subjects need, by toolset.
    pub scopes: Scopes,
}

impl AltName {
    /// The kind of name by its form: a URI has a colon, a mail address an `@`.
    pub fn new(text: &str) -> Self {
        if text.contains(':') {
            Self::Uri(text.to_owned())
        } else if text.contains('@') {
            Self::Email(text.to_owned())
        } else {
            Self::Dns(text.to_ascii_lowercase())
        }
    }
}

keys! {
    pub(crate) struct AccessKeys in "`access`" {
        /// The token of the one principal there is.
        bearer: Tokens;
        /// `true` where somebody other than the caller approves each call that needs it (`confirm`).
        four_eyes: bool;
        /// Issuers whose tokens (JWT) are taken; each subject is a principal.
        jwt: Issuers;
        /// Principals by name.
        principals: Principals;
        /// Toolsets whose tools anybody may list over MCP, and nobody call.
        public_listing: KnownToolsets;
        /// The address that callers know the sidecar by, without a path; that of each request unless given.
        url: PublicOrigin;
    }
}

keys! {
    pub(crate) struct PrincipalKeys in "a principal" {
        /// `true` for one that may use `/v1/admin/*`.
        admin: bool;
        /// The agents that it may take turns with; all unless given. A turn has its own rights beside.
        agents: Vec<String>, needs "agents";
        /// The calls of others that it may approve: toolsets, tools, or effects (`read`, `idempotent`, `write`); none unless given.
        approves: ApprovableCalls;
        /// Its token, or several while one replaces another.
        bearer: Tokens;
        /// The certificate it shows on a listener with `client_ca`.
        client_certificate: CertificateKeys;
        /// The toolsets it may use; all unless given.
        toolsets: KnownToolsets;
    }
}

keys! {
    pub(crate) struct CertificateKeys in "`client_certificate` of a principal" {
        /// A subject alternative name: a URI (`spiffe://…`), a DNS name or a mail address.
        san: String, required;
    }
}

keys! {
    pub(crate) struct IssuerKeys in "an issuer of `jwt`" {
        /// `true` where its subjects may use `/v1/admin/*`.
        admin: bool;
        /// The agents that its subjects may take turns with; all unless given.
        agents: Vec<String>, needs "agents";
        /// The ways in which tokens may be signed; RS256 and ES256 unless given.
        algorithms: Algorithms;
        /// The calls of others that its subjects may approve: toolsets, tools, or effects; none unless given.
        approves: ApprovableCalls;
        /// The recipients (`aud`), one of which tokens must be for.
        audience: Audiences, required;
        /// The issuer (`iss`), as its metadata say.
        issuer: IssuerName, required;
        /// The address of its keys, if it is not where its metadata say or not at its own origin.
        jwks_uri: SecureUrl;
        /// The claim that names the principal; `sub` unless given.
        principal_claim: String;
        /// The scopes that a token needs for a toolset (`scope` or `scp`): all of them.
        scopes: ToolsetScopes;
        /// The toolsets that its subjects may use; all unless given.
        toolsets: KnownToolsets;
    }
}

forms! {
    struct Access => AccessConfig, AccessKeys::KIND, |reader, mapping, key| {
        reader.read_several_sections::<AccessKeys, _>(mapping, key, |reader, mapping, keys| Some(read_access_config(reader, mapping, keys)))
    };
    struct Tokens => Vec<Token>, Kind::AnyOf(&[Kind::Secret, Kind::List(&Kind::Secret)]), |reader, mapping, key| {
        let secrets = read_secrets(reader, mapping, key).into_iter();
        Some(secrets.map(|(pointer, secret)| Token { pointer, secret }).collect())
    };
    struct Principals => Vec<PrincipalConfig>, Kind::Map(&PrincipalKeys::KIND), |reader, mapping, key| {
        let help = "for example `{agent: {bearer: env:AGENT_TOKEN}}`";
        let named: Vec<_> =
            reader.named_values::<Principal, _>(mapping, key, "a mapping from names to principals", help)?;
        let principal = |(name, principal): (String, PrincipalConfig)| {
            PrincipalConfig { id: format!("principal:{name}"), ..principal }
        };
        Some(named.into_iter().map(principal).collect())
    };
    struct Principal => PrincipalConfig, PrincipalKeys::KIND, |reader, mapping, key| {
        reader.read_several_sections::<PrincipalKeys, _>(mapping, key, |reader, mapping, keys| {
            if !["bearer", "client_certificate"].iter().any(|key| mapping.object.contains(key)) {
                let message = "expected `bearer` or `client_certificate`, got neither";
                let help = "say how it is known: `bearer: env:NAME`";
                reader.report_fault(SettingCode::MissingKey, mapping.pointer, message, help);
            }
            let certificate = keys.client_certificate.and_then(|keys| keys.san);
            Some(PrincipalConfig {
                id: String::new(),
                tokens: keys.bearer.unwrap_or_default(),
                certificate: certificate.map(|name| AltName::new(&name)),
                rights: rights_of_keys(keys.toolsets, keys.agents, keys.admin, keys.approves),
            })
        })
    };
    struct KnownToolsets => Arc<BTreeSet<String>>, Kind::List(&Kind::Text), |reader, mapping, key| {
        let named: Vec<_> = reader.strings(mapping, key).into_iter().map(ToOwned::to_owned).collect();
        for (index, name) in named.iter().enumerate() {
            report_unknown_toolset(reader, &format!("{}/{index}", member_pointer(mapping, key)), name);
        }
        Some(Arc::new(named.into_iter().collect()))
    };
    struct Issuers => Vec<IssuerConfig>, Kind::List(&IssuerKeys::KIND), read_issuers;
    struct IssuerName => String, Kind::Address, |reader, mapping, key| {
        reader.get::<SecureUrl>(mapping, key)?;
        reader.get::<String>(mapping, key)
    };
    struct SecureUrl => Url, Kind::Address, read_secure_url;
    struct Audiences => Vec<String>, Kind::AnyOf(&[Kind::Text, Kind::List(&Kind::Text)]), |reader, mapping, key| {
        if mapping.object.get(key).and_then(Node::as_array).is_some_and(<[Node]>::is_empty) {
            let help = "name whom tokens are for, so that those for others are refused";
            let message = "expected one audience at least, got none";
            reader.report_fault(SettingCode::WrongValue, member_pointer(mapping, key), message, help);
        }
        match mapping.object.get(key)?.as_array() {
            Some(_) => reader.get::<Vec<String>>(mapping, key),
            None => reader.get::<String>(mapping, key).map(|text| vec![text]),
        }
    };
    struct Algorithms => Vec<&'static str>, Kind::List(&Kind::Choice(ALGORITHMS)), |reader, mapping, key| {
        let help = format!("one of `{}`", ALGORITHMS.join("`, `"));
        Some(reader.parsed_strings(mapping, key, &help, |name| {
            let algorithm = ALGORITHMS.iter().copied().find(|algorithm| *algorithm == name);
            algorithm.ok_or_else(|| format!("expected a signature with a key pair, got: `{name}`"))
        }))
    };
}

fn read_access_config(reader: &mut Reader, mapping: Mapping<'_>, keys: AccessKeys) -> AccessConfig {
    let mut principals = Vec::new();
    if let Some(tokens) = keys.bearer.filter(|tokens| !tokens.is_empty()) {
        let (id, rights) = ("bearer".to_owned(), Rights::default());
        principals.push(PrincipalConfig { id, tokens, certificate: None, rights });
    }
    principals.extend(keys.principals.into_iter().flatten());
    if !["bearer", "jwt", "principals"].iter().any(|key| mapping.object.contains(key)) {
        let help = "for example `access: {bearer: env:CALLGATE_TOKEN}`";
        let message = "expected `bearer`, `principals` or `jwt`, got none";
        reader.report_fault(SettingCode::MissingKey, mapping.pointer, message, help);
    }
    let (issuers, public_listing) = (keys.jwt.unwrap_or_default(), keys.public_listing);
    let public_listing = public_listing.unwrap_or_default();
    let four_eyes = keys.four_eyes.unwrap_or_default();
    let access = AccessConfig { principals, issuers, url: keys.url, public_listing, four_eyes };
    if four_eyes {
        check_four_eyes(reader, mapping, &access);
    }
    access
}

fn rights_of_keys(
    toolsets: Option<Arc<BTreeSet<String>>>,
    agents: Option<Vec<String>>,
    is_admin: Option<bool>,
    approves: Option<Approves>,
) -> Rights {
    let agents = agents.map(|agents| Arc::new(agents.into_iter().collect()));
    let (is_admin, approves) = (is_admin.unwrap_or_default(), approves.unwrap_or_default());
    Rights { toolsets, agents, is_admin, approves: Arc::new(approves) }
}

/// Reports a name that no toolset has.
fn report_unknown_toolset(reader: &mut Reader, pointer: &str, name: &str) {
    let toolset_names = &reader.toolsets;
    // Toolsets that cannot be read have a finding of their own.
    if toolset_names.is_empty() || toolset_names.iter().any(|toolset_name| toolset_name == name) {
        return;
    }
    let all = || format!("the toolsets are `{}`", toolset_names.join("`, `"));
    let help = nearest_help(name, toolset_names.iter().map(String::as_str), all);
    let message = format!("expected the name of a toolset, got: `{name}`");
    reader.report_fault(KindCode::UnknownToolset, pointer, message, help);
}

fn read_issuers(reader: &mut Reader, mapping: Mapping<'_>, key: &str) -> Option<Vec<IssuerConfig>> {
    let (node, pointer) = (mapping.object.get(key)?, member_pointer(mapping, key));
    let Some(items) = node.as_array() else {
        reader.report_wrong_type(
            &pointer,
            "a list of issuers",
            node,
            "put it into brackets: `[…]`",
        );
        return None;
    };
    let mut issuers = Vec::new();
    for (index, node) in items.iter().enumerate() {
        let keys = reader.section::<IssuerKeys>(node, &format!("{pointer}/{index}"));
        issuers.extend(keys.and_then(issuer_config));
    }
    Some(issuers)
}

fn issuer_config(keys: IssuerKeys) -> Option<IssuerConfig> {
    Some(IssuerConfig {
        issuer: keys.issuer?,
        audiences: keys.audience.unwrap_or_default(),
        algorithms: keys.algorithms.unwrap_or_else(|| USUAL_ALGORITHMS.to_vec()),
        jwks_uri: keys.jwks_uri,
        principal_claim: keys.principal_claim.unwrap_or_else(|| "sub".to_owned()),
        rights: rights_of_keys(keys.toolsets, keys.agents, keys.admin, keys.approves),
        scopes: keys.scopes.unwrap_or_default(),
    })
}

/// An issuer's address, which must be secure: an intermediary could otherwise replace the issuer's keys.
fn read_secure_url(reader: &mut Reader, mapping: Mapping<'_>, key: &str) -> Option<Url> {
    let text = reader.string(mapping, key)?;
    let is_local = |url: &Url| url.host().is_some_and(|host| is_this_machine(&host));
    let is_fine = |url: &Url| {
        (url.scheme() == "https" || (url.scheme() == "http" && is_local(url)))
            && url.fragment().is_none()
            && url.username().is_empty()
            && url.password().is_none()
    };
    let url = Url::parse(text).ok().filter(is_fine);
    if url.is_none() {
        let message = "expected an address: `https://`, or `http://` of this machine";
        let help = "write the issuer as its metadata say it";
        reader.report_fault(SettingCode::WrongValue, member_pointer(mapping, key), message, help);
    }
    url
}

/// Signatures with a key pair: knowing the public key is not enough to make one.
const ALGORITHMS: &[&str] =
    &["ES256", "ES384", "EdDSA", "PS256", "PS384", "PS512", "RS256", "RS384", "RS512"];

/// The signature algorithms of nearly every issuer.
const USUAL_ALGORITHMS: [&str; 2] = ["ES256", "RS256"];
