//! Reports, before a call, the credential that its operation needs, if a bare description is called and no credential
//! is given. The call is still made: services often require less than their descriptions say.

use callgate::config::BuiltToolset;
use callgate_openapi::{Operation, SecurityScheme, SecuritySchemeKind};

use crate::{args::DescriptionArguments, open::description_options, output};

pub(crate) fn tell_missing_credential(
    toolsets: &[BuiltToolset],
    given: &DescriptionArguments,
    tool: &str,
) {
    let [BuiltToolset { name, operations, .. }] = toolsets else { return };
    let operation = operations.iter().find(|operation| &*operation.tool_name.to_string() == tool);
    let Some(operation) = operation.filter(|_| name.is_empty()) else { return };
    if description_options(given).has_credential() {
        return;
    }
    if let Some((schemes, flags)) = required_schemes_and_flags(operation) {
        output::print_message_line(&format!(
            "note: the operation asks for {schemes}, and no credential is named; {flags}"
        ));
    }
}

/// The schemes of an operation's first alternative and the flags for them; `None` if a call without credentials is allowed.
fn required_schemes_and_flags(operation: &Operation) -> Option<(String, String)> {
    let security = &operation.security;
    let alternatives = &*security.alternatives;
    if !security.is_stated || alternatives.iter().any(|one| one.schemes.is_empty()) {
        return None;
    }
    let schemes = &alternatives.first()?.schemes;
    let names = schemes.iter().map(|requirement| format!("`{}`", requirement.scheme.name));
    let names = names.collect::<Vec<_>>().join(" and ");
    let flag = match &**schemes {
        [one] => credential_flag(&one.scheme),
        _ => None,
    };
    let flag = flag.map_or_else(
        || "`callgate init NAME FILE` makes a profile that has it".to_owned(),
        |flag| format!("give it with `{flag}`"),
    );
    Some((names, flag))
}

pub(crate) fn credential_flag(scheme: &SecurityScheme) -> Option<&'static str> {
    match &scheme.kind {
        SecuritySchemeKind::ApiKey { .. } => Some("--api-key env:NAME"),
        SecuritySchemeKind::Http { scheme, .. } if &**scheme == "basic" => {
            Some("--basic USER:env:NAME")
        }
        SecuritySchemeKind::Http { scheme, .. } if &**scheme == "bearer" => {
            Some("--bearer env:NAME")
        }
        SecuritySchemeKind::OAuth2 { .. } | SecuritySchemeKind::OpenIdConnect { .. } => {
            Some("--bearer env:NAME")
        }
        _ => None,
    }
}
