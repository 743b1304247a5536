//! From the `credentials:` of a toolset to one credential for each security scheme it names. The description declares
//! the schemes, and is not read yet: the place and the name of an API key come from there.

use std::collections::BTreeMap;

use callgate_settings::{
    Kind, Reader, Section, SettingCode, forms, member_pointer, read_required_secret,
};
use callgate_tree::Node;
use url::Url;

use crate::{
    credential::{self, ApiKeyKeys, AuthKeys, SchemeKeys},
    toolset::{SchemeChoice, SchemeCredential},
};

forms! {
    struct Schemes => BTreeMap<String, SchemeCredential>, Kind::Map(&Scheme::KIND), |reader, mapping, key| {
        let help = "`{SCHEME: {bearer: {token: env:NAME}}}`";
        reader.named_values::<Scheme, _>(mapping, key, "a mapping from security schemes to credentials", help)
    };
    struct Scheme => SchemeCredential, SchemeKeys::KIND, |reader, mapping, key| {
        read_scheme_credential(reader, mapping.object.get(key)?, member_pointer(mapping, key))
    };
    struct Origins => Vec<Url>, Kind::List(&Kind::Address), |reader, mapping, key| {
        let wrong = |text: &str| format!("expected an origin: `https://`, a host, and perhaps a port, got: `{text}`");
        let help = "for example `https://uploads.example.com`";
        Some(reader.parsed_strings(mapping, key, help, |text| bare_http_origin(text).ok_or_else(|| wrong(text))))
    };
}

fn read_scheme_credential(
    reader: &mut Reader,
    node: &Node,
    pointer: String,
) -> Option<SchemeCredential> {
    let kinds = || AuthKeys::TABLE.names().filter(|kind| node.get(kind).is_some());
    let kind = kinds().next().unwrap_or_default();
    let choice = match node.get("api_key").filter(|_| kinds().count() == 1) {
        Some(key) => {
            reader.checked_mapping(node, &pointer, &AuthKeys::TABLE)?;
            let pointer = format!("{pointer}/api_key");
            read_api_key(reader, key, &pointer)?
        }
        None => {
            SchemeChoice::Other(Box::new(credential::read_auth_config(reader, node, &pointer)?))
        }
    };
    Some(SchemeCredential { pointer, kind, choice })
}

fn read_api_key(reader: &mut Reader, node: &Node, pointer: &str) -> Option<SchemeChoice> {
    let mapping = reader.checked_mapping(node, pointer, &ApiKeyKeys::TABLE)?;
    for key in ["in", "name"].into_iter().filter(|key| mapping.object.contains(key)) {
        let message = format!("expected `value` alone, got: `{key}`");
        let help = "remove it; the description says where the key of a security scheme goes";
        reader.report_fault(SettingCode::WrongValue, member_pointer(mapping, key), message, help);
    }
    read_required_secret(reader, mapping, "value").map(SchemeChoice::ApiKey)
}

fn bare_http_origin(text: &str) -> Option<Url> {
    let url = Url::parse(text).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
    let is_bare = url.path() == "/"
        && url.query().is_none()
        && url.fragment().is_none()
        && url.username().is_empty()
        && url.password().is_none();
    is_bare.then_some(url)
}
