//! `oauth2_authorization_code:`, `oauth2_client_credentials:`, `jwt_bearer:` and `token_exchange:`: the token endpoint,
//! the client, the scopes and the audience. They differ only in the grant.

mod client;

use callgate_auth::{
    AuthConfig, CredentialSource, LoginEndpoints, OAuth2Config, OAuth2Grant, SubjectToken,
    TokenEndpoint, read_credential_source,
};
use callgate_secret::SecretReference;
use callgate_settings::{
    Kind, Mapping, Reader, SecretOrName, Section, SettingCode, forms, keys, member_pointer,
    pointer_segment,
};
use callgate_tool::CallerToken;
use callgate_tree::Node;
use url::Url;

use client::ClientMethod;

keys! {
    pub(crate) struct OAuth2Keys in "a grant" {
        /// The recipients of the token, by name; `env:NAME` for the variable that holds it.
        audience: Audiences;
        /// The way in which the client shows who it is.
        client_authentication: ClientMethod;
        /// The client's secret.
        client_secret: SecretReference;
        /// The header that takes the token alone, where the service expects it there: `X-Shopify-Access-Token`.
        header: String;
        /// The authorization server, whose metadata say where tokens are asked for.
        issuer: EndpointUrl;
        /// The recipient of the client's JWT; the issuer or the token endpoint unless given.
        jwt_audience: String;
        /// Further parameters that the authorization server asks for.
        parameters: Parameters;
        /// The key the client signs its JWT with, as PEM.
        private_key: SecretReference;
        /// The algorithm of the signature; by the key unless given.
        private_key_algorithm: client::SigningAlgorithmWord;
        /// The name by which the authorization server knows the key.
        private_key_id: String;
        /// The recipients of the token, by URL.
        resource: OneOrMore;
        /// The scopes of the token.
        scopes: OneOrMore;
        /// The address where tokens are asked for; under `credentials` the description may say it.
        token_url: EndpointUrl;
    }
}

keys! {
    pub(crate) struct AuthorizationCodeKeys in "`oauth2_authorization_code`" with OAuth2Keys {
        /// The page where a person logs in; the issuer or the description may say it.
        authorization_url: EndpointUrl;
        /// The client, or a reference to a secret that holds its id.
        client_id: SecretOrName, required;
        /// The address where a login on another device begins; the issuer or the description may say it.
        device_authorization_url: EndpointUrl;
        /// The address on this machine that the browser comes back to, where the server takes one only:
        /// `http://127.0.0.1:8400/callback`.
        redirect_url: EndpointUrl;
        /// The address where `callgate logout` gives tokens back; the issuer may say it.
        revocation_url: EndpointUrl;
    }
}

keys! {
    pub(crate) struct ClientCredentialsKeys in "`oauth2_client_credentials`" with OAuth2Keys {
        /// The client, or a reference to a secret that holds its id.
        client_id: SecretOrName, required;
    }
}

keys! {
    pub(crate) struct JwtBearerKeys in "`jwt_bearer`" with OAuth2Keys {
        /// The JWT: `$session.credentials.NAME`.
        assertion: CredentialSource, required;
        /// The client, or a reference to a secret that holds its id.
        client_id: SecretOrName;
    }
}

keys! {
    pub(crate) struct TokenExchangeKeys in "`token_exchange`" with OAuth2Keys {
        /// A token of whoever acts for the user, where the server asks for it.
        actor_token: CredentialSource;
        /// The type of the actor's token.
        actor_token_type: TokenType;
        /// The client, or a reference to a secret that holds its id.
        client_id: SecretOrName;
        /// The type of token that is asked for.
        requested_token_type: TokenType;
        /// The user's token: `$session.credentials.NAME`, or `$caller.token` for the one the caller came with.
        subject_token: Subject, required;
        /// The type of the user's token: `access_token`, `id_token`, `jwt`, `refresh_token`, `saml1`, `saml2`, or a
        /// URI.
        subject_token_type: TokenType;
    }
}

forms! {
    struct AuthorizationCode => AuthConfig, AuthorizationCodeKeys::KIND, |reader, mapping, key| {
        reader.read_several_sections::<AuthorizationCodeKeys, _>(mapping, key, |reader, mapping, keys| {
            report_nonlocal_redirect_url(reader, mapping, keys.redirect_url.as_deref());
            let grant = OAuth2Grant::AuthorizationCode(LoginEndpoints {
                authorization_url: keys.authorization_url,
                device_authorization_url: keys.device_authorization_url,
                revocation_url: keys.revocation_url,
                redirect_url: keys.redirect_url,
            });
            read_grant_credential(reader, mapping, "oauth2_authorization_code", keys.client_id, grant)
        })
    };
    struct ClientCredentials => AuthConfig, ClientCredentialsKeys::KIND, |reader, mapping, key| {
        reader.read_several_sections::<ClientCredentialsKeys, _>(mapping, key, |reader, mapping, keys| {
            let grant = OAuth2Grant::ClientCredentials;
            read_grant_credential(reader, mapping, "oauth2_client_credentials", keys.client_id, grant)
        })
    };
    struct JwtBearer => AuthConfig, JwtBearerKeys::KIND, |reader, mapping, key| {
        reader.read_several_sections::<JwtBearerKeys, _>(mapping, key, |reader, mapping, keys| {
            let grant = OAuth2Grant::JwtBearer { assertion: keys.assertion? };
            read_grant_credential(reader, mapping, "jwt_bearer", keys.client_id, grant)
        })
    };
    struct TokenExchange => AuthConfig, TokenExchangeKeys::KIND, |reader, mapping, key| {
        reader.read_several_sections::<TokenExchangeKeys, _>(mapping, key, |reader, mapping, keys| {
            let type_or_usual = |given: Option<String>| given.unwrap_or_else(|| format!("{TOKEN_TYPE}access_token"));
            let grant = OAuth2Grant::TokenExchange {
                subject: keys.subject_token?,
                subject_type: type_or_usual(keys.subject_token_type),
                actor: keys.actor_token.map(|actor| (actor, type_or_usual(keys.actor_token_type))),
                requested_type: keys.requested_token_type,
            };
            read_grant_credential(reader, mapping, "token_exchange", keys.client_id, grant)
        })
    };
    struct Subject => SubjectToken, Kind::SecretOrCaller, read_subject_token;
    struct EndpointUrl => String, Kind::Setting, |reader, mapping, key| {
        let text = reader.string_or_variable(mapping, key)?;
        check_request_url(reader, mapping, key, &text).then_some(text)
    };
    struct OneOrMore => Vec<String>, Kind::AnyOf(&[Kind::Text, Kind::List(&Kind::Text)]), |reader, mapping, key| {
        match mapping.object.get(key)?.as_str() {
            Some(text) => Some(vec![text.to_owned()]),
            None => reader.get::<Vec<String>>(mapping, key),
        }
    };
    /// One text or several, or the variables that hold them.
    struct Audiences => Vec<String>, OneOrMore::KIND, |reader, mapping, key| {
        let texts = reader.get::<OneOrMore>(mapping, key)?;
        Some(texts.iter().filter_map(|text| reader.text_or_variable(text, || member_pointer(mapping, key))).collect())
    };
    struct Parameters => Vec<(String, String)>, Kind::Map(&Kind::Text), read_parameters;
    /// A type of token: the last word of the URIs of RFC 8693 §3, or any URI.
    struct TokenType => String, Kind::Text, |reader, mapping, key| {
        let text = reader.string(mapping, key)?;
        if TOKEN_TYPES.contains(&text) {
            return Some(format!("{TOKEN_TYPE}{text}"));
        }
        if !text.contains(':') {
            let message = format!("expected a type of token, got: `{text}`");
            let help = format!("write a URI, or `{}`", TOKEN_TYPES.join("`, `"));
            reader.report_fault(SettingCode::WrongValue, member_pointer(mapping, key), message, help);
        }
        Some(text.to_owned())
    };
}

/// The credential of a grant, with the keys that all grants have.
fn read_grant_credential(
    reader: &mut Reader,
    mapping: Mapping<'_>,
    name: &str,
    client_id: Option<SecretReference>,
    grant: OAuth2Grant,
) -> Option<AuthConfig> {
    let mut keys = OAuth2Keys::default();
    OAuth2Keys::fill(&mut keys, reader, mapping);
    let endpoint = take_token_endpoint(reader, mapping, &mut keys);
    let client = client::read_oauth2_client(reader, mapping, client_id, &mut keys);
    Some(AuthConfig::OAuth2(Box::new(OAuth2Config {
        scopes: keys.scopes.unwrap_or_default(),
        audiences: keys.audience.unwrap_or_default(),
        resources: keys.resource.unwrap_or_default(),
        header: keys.header,
        parameters: keys.parameters.unwrap_or_default(),
        name: name.to_owned(),
        endpoint: endpoint?,
        client: client?,
        grant,
    })))
}

fn take_token_endpoint(
    reader: &mut Reader,
    mapping: Mapping<'_>,
    keys: &mut OAuth2Keys,
) -> Option<TokenEndpoint> {
    match (keys.token_url.take(), keys.issuer.take()) {
        (Some(_), Some(_)) => {
            let message = "expected `token_url` or `issuer`, got both";
            reader.report_fault(
                SettingCode::WrongValue,
                member_pointer(mapping, "issuer"),
                message,
                "keep one",
            );
            None
        }
        (Some(url), None) => Some(TokenEndpoint::Url(url)),
        (None, Some(issuer)) => Some(TokenEndpoint::Issuer(issuer)),
        (None, None) => Some(TokenEndpoint::Described),
    }
}

/// Reports an address that a browser comes back to and that is not one of this machine.
fn report_nonlocal_redirect_url(
    reader: &mut Reader,
    mapping: Mapping<'_>,
    redirect_url: Option<&str>,
) {
    let is_local = |url: &Url| {
        url.scheme() == "http"
            && url.query().is_none()
            && matches!(url.host_str(), Some("127.0.0.1" | "[::1]" | "localhost"))
    };
    let url = redirect_url.and_then(|url| Url::parse(url).ok());
    if url.is_some_and(|url| !is_local(&url)) {
        let message = "expected an address on this machine, got another URL";
        let help = "for example `http://127.0.0.1:8400/callback`";
        reader.report_fault(
            SettingCode::WrongValue,
            member_pointer(mapping, "redirect_url"),
            message,
            help,
        );
    }
}

/// The user's token. No description may choose the endpoint that receives a caller's token.
fn read_subject_token(
    reader: &mut Reader,
    mapping: Mapping<'_>,
    key: &str,
) -> Option<SubjectToken> {
    if mapping.object.get(key).and_then(Node::as_str) != Some(CallerToken::PLACE) {
        return read_credential_source(reader, mapping, key).map(SubjectToken::Source);
    }
    reader.session_texts.insert(member_pointer(mapping, key));
    if !["token_url", "issuer"].into_iter().any(|key| mapping.object.contains(key)) {
        let message = "expected `token_url` or `issuer` beside the caller's token, got neither";
        let help = "write `issuer: https://idp.example.com`: no description says where a caller's token is sent";
        reader.report_fault(SettingCode::MissingKey, member_pointer(mapping, key), message, help);
    }
    Some(SubjectToken::Caller)
}

/// True if a text is a URL that requests can be sent to; otherwise reports it.
fn check_request_url(reader: &mut Reader, mapping: Mapping<'_>, key: &str, text: &str) -> bool {
    let parsed = Url::parse(text).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
    let is_plain = |url: &Url| url.fragment().is_none() && url.username().is_empty();
    if parsed.is_some_and(|url| is_plain(&url)) {
        return true;
    }
    // What stands before the colon of a variable's value may be a part of a secret.
    let is_written = mapping.object.get(key).and_then(Node::as_str) == Some(text);
    let scheme = Url::parse(text).ok().filter(|_| is_written);
    let scheme = scheme.map(|url| url.scheme().to_owned());
    let got = match scheme.as_deref() {
        None => "got a text without a scheme or a host".to_owned(),
        Some("http" | "https") => "got one with a user or a fragment".to_owned(),
        Some(scheme) => format!("got one that begins with: `{scheme}:`"),
    };
    let message = format!("expected a URL that begins with `https://`, {got}");
    let help = match key {
        "redirect_url" => "for example `http://127.0.0.1:8400/callback`",
        _ => "for example `https://idp.example.com/token`",
    };
    reader.report_fault(SettingCode::WrongValue, member_pointer(mapping, key), message, help);
    false
}

fn read_parameters(
    reader: &mut Reader,
    mapping: Mapping<'_>,
    key: &str,
) -> Option<Vec<(String, String)>> {
    let (node, pointer) = (mapping.object.get(key)?, member_pointer(mapping, key));
    let Some(object) = node.as_object() else {
        let help = "`{organization: acme}`";
        reader.report_wrong_type(&pointer, "a mapping from names to texts", node, help);
        return None;
    };
    let mut parameters = Vec::new();
    for (name, value) in object.iter() {
        let pointer = format!("{pointer}/{}", pointer_segment(name));
        if OURS.contains(&name.as_ref()) {
            let message =
                format!("expected another parameter than those of callgate, got: `{name}`");
            reader.report_fault(
                SettingCode::WrongValue,
                pointer,
                message,
                "a key of its own says it",
            );
            continue;
        }
        match value.as_str() {
            Some(text) => parameters.push((name.to_string(), text.to_owned())),
            None => reader.report_missing_text(&pointer, "a text", value),
        }
    }
    Some(parameters)
}

const TOKEN_TYPE: &str = "urn:ietf:params:oauth:token-type:";
const TOKEN_TYPES: [&str; 6] =
    ["access_token", "id_token", "jwt", "refresh_token", "saml1", "saml2"];

/// Parameters of a token request that have keys of their own.
const OURS: [&str; 22] = [
    "actor_token",
    "actor_token_type",
    "assertion",
    "audience",
    "client_assertion",
    "client_assertion_type",
    "client_id",
    "client_secret",
    "grant_type",
    "requested_token_type",
    "resource",
    "scope",
    "subject_token",
    "subject_token_type",
    "code",
    "code_challenge",
    "code_challenge_method",
    "code_verifier",
    "redirect_uri",
    "refresh_token",
    "response_type",
    "state",
];
