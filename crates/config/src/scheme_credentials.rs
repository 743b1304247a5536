//! From the `credentials:` of a toolset to one credential for each security scheme it names. The description declares
//! the schemes, and is not read yet: the place and the name of an API key come from there.

use std::collections::BTreeMap;

use callgate_tree::Node;
use url::Url;

use crate::{
    code::ConfigCode,
    credential,
    keys::{API_KEY, AUTH},
    reader::{Mapping, Reader, at, escaped, secret::secret},
    toolset::{Credentials, SchemeChoice, SchemeCredential},
};

/// Reads `auth:`, `credentials:` and `credential_origins:`.
pub(crate) fn credentials(reader: &mut Reader, toolset: Mapping<'_>) -> Credentials {
    Credentials {
        auth: credential::auth(reader, toolset),
        api_key: None,
        lacks_own: false,
        schemes: schemes(reader, toolset),
        origins: origins(reader, toolset),
    }
}

fn schemes(
    reader: &mut Reader,
    toolset: Mapping<'_>,
) -> Option<BTreeMap<String, SchemeCredential>> {
    let node = toolset.object.get("credentials")?;
    let pointer = at(toolset, "credentials");
    let Some(object) = node.as_object() else {
        let help = "`{SCHEME: {bearer: {token: env:NAME}}}`";
        reader.expected(&pointer, "a mapping from security schemes to credentials", node, help);
        return None;
    };
    let mut schemes = BTreeMap::new();
    for (name, node) in object.iter() {
        let pointer = format!("{pointer}/{}", escaped(name));
        if let Some(credential) = scheme(reader, node, pointer) {
            schemes.insert(name.to_string(), credential);
        }
    }
    Some(schemes)
}

fn scheme(reader: &mut Reader, node: &Node, pointer: String) -> Option<SchemeCredential> {
    let kinds = || AUTH.names().filter(|kind| node.get(kind).is_some());
    let kind = kinds().next().unwrap_or_default();
    let choice = match node.get("api_key").filter(|_| kinds().count() == 1) {
        Some(key) => {
            reader.mapping(node, &pointer, &AUTH)?;
            let pointer = format!("{pointer}/api_key");
            api_key(reader, key, &pointer)?
        }
        None => SchemeChoice::Other(Box::new(credential::one(reader, node, &pointer)?)),
    };
    Some(SchemeCredential { pointer, kind, choice })
}

fn api_key(reader: &mut Reader, node: &Node, pointer: &str) -> Option<SchemeChoice> {
    let mapping = reader.mapping(node, pointer, &API_KEY)?;
    for key in ["in", "name"].into_iter().filter(|key| mapping.object.contains(key)) {
        let message = format!("expected `value` alone, got: `{key}`");
        let help = "remove it; the description says where the key of a security scheme goes";
        reader.complain(ConfigCode::WrongValue, at(mapping, key), message, help);
    }
    secret(reader, mapping, "value").map(SchemeChoice::ApiKey)
}

/// Origins in comparable form.
fn origins(reader: &mut Reader, toolset: Mapping<'_>) -> Vec<Url> {
    let pointer = at(toolset, "credential_origins");
    let texts = reader.strings(toolset, "credential_origins");
    let mut origins = Vec::new();
    for text in texts {
        match origin(text) {
            Some(origin) => origins.push(origin),
            None => reader.complain(
                ConfigCode::WrongValue,
                &pointer,
                format!(
                    "expected an origin: `https://`, a host, and perhaps a port, got: `{text}`"
                ),
                "for example `https://uploads.example.com`",
            ),
        }
    }
    origins
}

fn origin(text: &str) -> Option<Url> {
    let url = Url::parse(text).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
    let is_bare = url.path() == "/"
        && url.query().is_none()
        && url.fragment().is_none()
        && url.username().is_empty()
        && url.password().is_none();
    is_bare.then_some(url)
}
