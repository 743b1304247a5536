//! An API key that is given without the name of its security scheme: the description must have exactly one scheme that
//! is a key.

use callgate_openapi::{Loaded, SecuritySchemeKind};
use callgate_secret::SecretReference;
use callgate_settings::Reader;
use callgate_tool::Remedy;

use crate::{
    code::ConfigCode,
    toolset::{SchemeChoice, SchemeCredential},
};

/// The scheme of the key, and its credential.
pub(super) fn only_key_credential(
    reader: &mut Reader,
    loaded: &Loaded,
    key: &SecretReference,
) -> Option<(String, SchemeCredential)> {
    let is_key = |kind: &SecuritySchemeKind| matches!(kind, SecuritySchemeKind::ApiKey { .. });
    let api_key_schemes = loaded.security_schemes.iter().filter(|scheme| is_key(&scheme.kind));
    let names: Vec<_> = api_key_schemes.map(|scheme| scheme.name.to_string()).collect();
    match &*names {
        [name] => {
            let choice = SchemeChoice::ApiKey(key.clone());
            let pointer = OPTION.to_owned();
            Some((name.clone(), SchemeCredential { pointer, kind: "api_key", choice }))
        }
        [] => {
            let message =
                "expected a security scheme of the description that is an API key, got none";
            let remedy = Remedy::SetHeader { header: "X-Api-Key: env:NAME".to_owned() };
            reader.report_fault_with_remedy(ConfigCode::UnknownScheme, OPTION, message, remedy);
            None
        }
        several => {
            let message = format!(
                "expected one security scheme of the description that is an API key, got: `{}`",
                several.join("`, `")
            );
            reader.report_fault_with_remedy(
                ConfigCode::UnknownScheme,
                OPTION,
                message,
                Remedy::NameCredentials,
            );
            None
        }
    }
}

const OPTION: &str = "api_key";
