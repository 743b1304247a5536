//! The key `access`: the principals that may call, identified by a token, a certificate or an issuer. Their ids cannot
//! collide: each begins with its source.

mod resource;

use std::{collections::BTreeSet, sync::Arc};

use callgate_secret::SecretReference;
use callgate_tool::nearest;
use callgate_tree::Node;
use url::{Host, Url};

pub use self::resource::Scopes;
use super::flag;
use crate::{
    code::ConfigCode,
    keys::{ACCESS, ALGORITHMS, CLIENT_CERTIFICATE, ISSUER, PRINCIPAL},
    reader::{Mapping, Reader, at, escaped, secret::secrets},
};

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
    /// True if the principal may use `/v1/admin/*` too.
    pub is_admin: bool,
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

/// Reads `access:`; `toolsets` are those of the configuration.
pub(super) fn read(
    reader: &mut Reader,
    root: Mapping<'_>,
    toolsets: &[&str],
) -> Option<AccessConfig> {
    let node = root.object.get("access")?;
    let pointer = at(root, "access");
    let mut access = AccessConfig::default();
    let Some(mapping) = reader.mapping(node, &pointer, &ACCESS) else { return Some(access) };
    let bearer = tokens(reader, mapping);
    if !bearer.is_empty() {
        let id = "bearer".to_owned();
        let (tokens, rights) = (bearer, Rights::default());
        access.principals.push(PrincipalConfig { id, tokens, certificate: None, rights });
    }
    if let Some(node) = mapping.object.get("principals") {
        let pointer = at(mapping, "principals");
        access.principals.extend(principals(reader, node, &pointer, toolsets));
    }
    if let Some(node) = mapping.object.get("jwt") {
        access.issuers = issuers(reader, node, &at(mapping, "jwt"), toolsets);
    }
    access.url = resource::url(reader, mapping);
    access.public_listing = resource::public_listing(reader, mapping, toolsets);
    if !["bearer", "jwt", "principals"].iter().any(|key| mapping.object.contains(key)) {
        let help = "for example `access: {bearer: env:CALLGATE_TOKEN}`";
        let message = "expected `bearer`, `principals` or `jwt`, got none";
        reader.complain(ConfigCode::MissingKey, pointer, message, help);
    }
    Some(access)
}

fn tokens(reader: &mut Reader, mapping: Mapping<'_>) -> Vec<Token> {
    let found = secrets(reader, mapping, "bearer").into_iter();
    found.map(|(pointer, secret)| Token { pointer, secret }).collect()
}

fn principals(
    reader: &mut Reader,
    node: &Node,
    pointer: &str,
    toolsets: &[&str],
) -> Vec<PrincipalConfig> {
    let Some(object) = node.as_object() else {
        let help = "for example `{agent: {bearer: env:AGENT_TOKEN}}`";
        reader.expected(pointer, "a mapping from names to principals", node, help);
        return Vec::new();
    };
    let mut principals = Vec::new();
    for (name, node) in object.iter() {
        let pointer = format!("{pointer}/{}", escaped(name));
        let Some(mapping) = reader.mapping(node, &pointer, &PRINCIPAL) else { continue };
        let certificate = certificate(reader, mapping);
        let tokens = tokens(reader, mapping);
        if tokens.is_empty() && certificate.is_none() && !mapping.object.contains("bearer") {
            let message = "expected `bearer` or `client_certificate`, got neither";
            let help = "say how it is known: `bearer: env:NAME`";
            reader.complain(ConfigCode::MissingKey, pointer.as_str(), message, help);
        }
        let rights = rights(reader, mapping, toolsets);
        let id = format!("principal:{name}");
        principals.push(PrincipalConfig { id, tokens, certificate, rights });
    }
    principals
}

fn certificate(reader: &mut Reader, principal: Mapping<'_>) -> Option<AltName> {
    let node = principal.object.get("client_certificate")?;
    let pointer = at(principal, "client_certificate");
    let mapping = reader.mapping(node, &pointer, &CLIENT_CERTIFICATE)?;
    reader.required_string(mapping, "san").map(AltName::new)
}

fn rights(reader: &mut Reader, mapping: Mapping<'_>, known: &[&str]) -> Rights {
    let named = reader.strings(mapping, "toolsets");
    let pointer = at(mapping, "toolsets");
    for (index, name) in named.iter().enumerate() {
        known_toolset(reader, &format!("{pointer}/{index}"), name, known);
    }
    let toolsets: BTreeSet<_> = named.into_iter().map(ToOwned::to_owned).collect();
    let toolsets = mapping.object.contains("toolsets").then(|| Arc::new(toolsets));
    Rights { toolsets, is_admin: flag(reader, mapping, "admin") }
}

/// Reports a name that no toolset has.
fn known_toolset(reader: &mut Reader, pointer: &str, name: &str, known: &[&str]) {
    if known.contains(&name) {
        return;
    }
    let help = match nearest(name, known.iter().copied()) {
        Some(known) => format!("did you mean `{known}`?"),
        None => format!("the toolsets are `{}`", known.join("`, `")),
    };
    let message = format!("expected the name of a toolset, got: `{name}`");
    reader.complain(ConfigCode::UnknownToolset, pointer, message, help);
}

fn issuers(
    reader: &mut Reader,
    node: &Node,
    pointer: &str,
    toolsets: &[&str],
) -> Vec<IssuerConfig> {
    let Some(items) = node.as_array() else {
        reader.expected(pointer, "a list of issuers", node, "put it into brackets: `[…]`");
        return Vec::new();
    };
    let mut issuers = Vec::new();
    for (index, node) in items.iter().enumerate() {
        let pointer = format!("{pointer}/{index}");
        let Some(mapping) = reader.mapping(node, &pointer, &ISSUER) else { continue };
        issuers.extend(issuer(reader, mapping, toolsets));
    }
    issuers
}

fn issuer(reader: &mut Reader, mapping: Mapping<'_>, toolsets: &[&str]) -> Option<IssuerConfig> {
    let issuer = reader.required_string(mapping, "issuer").map(ToOwned::to_owned);
    let is_secure = address(reader, mapping, "issuer").is_some();
    let jwks_uri = address(reader, mapping, "jwks_uri");
    let audiences = audiences(reader, mapping);
    let algorithms = algorithms(reader, mapping);
    let claim = reader.string(mapping, "principal_claim").unwrap_or("sub").to_owned();
    let rights = rights(reader, mapping, toolsets);
    let scopes = resource::scopes(reader, mapping, toolsets);
    let issuer = issuer.filter(|_| is_secure)?;
    let principal_claim = claim;
    Some(IssuerConfig { issuer, audiences, algorithms, jwks_uri, principal_claim, rights, scopes })
}

/// An issuer's address, which must be secure: an intermediary could otherwise replace the issuer's keys.
fn address(reader: &mut Reader, mapping: Mapping<'_>, key: &str) -> Option<Url> {
    let text = mapping.object.get(key).and_then(Node::as_str)?;
    let is_local = |url: &Url| match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    };
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
        reader.complain(ConfigCode::WrongValue, at(mapping, key), message, help);
    }
    url
}

fn audiences(reader: &mut Reader, mapping: Mapping<'_>) -> Vec<String> {
    let audiences = match mapping.object.get("audience") {
        Some(Node::Array(_)) => reader.strings(mapping, "audience"),
        _ => reader.required_string(mapping, "audience").into_iter().collect(),
    };
    let is_empty_list = audiences.is_empty()
        && mapping.object.get("audience").and_then(Node::as_array).is_some_and(<[Node]>::is_empty);
    if is_empty_list {
        let help = "name whom tokens are for, so that those for others are refused";
        let message = "expected one audience at least, got none";
        reader.complain(ConfigCode::WrongValue, at(mapping, "audience"), message, help);
    }
    audiences.into_iter().map(ToOwned::to_owned).collect()
}

fn algorithms(reader: &mut Reader, mapping: Mapping<'_>) -> Vec<&'static str> {
    if !mapping.object.contains("algorithms") {
        return USUAL_ALGORITHMS.to_vec();
    }
    let mut found = Vec::new();
    for (index, name) in reader.strings(mapping, "algorithms").into_iter().enumerate() {
        match ALGORITHMS.iter().find(|known| **known == name) {
            Some(known) => found.push(*known),
            None => reader.complain(
                ConfigCode::WrongValue,
                format!("{}/{index}", at(mapping, "algorithms")),
                format!("expected a signature with a key pair, got: `{name}`"),
                format!("one of `{}`", ALGORITHMS.join("`, `")),
            ),
        }
    }
    found
}

/// The signature algorithms of nearly every issuer.
const USUAL_ALGORITHMS: [&str; 2] = ["ES256", "RS256"];
