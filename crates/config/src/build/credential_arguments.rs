//! The key `credential_arguments` of a toolset: parameters that are arguments although they have the name and place of
//! a credential. The check that tools have such parameters runs after the description is loaded.

use callgate_auth::{ApiKeyLocation, AuthConfig, CredentialForm};
use callgate_executor::Callable;
use callgate_kind::KindCode;
use callgate_openapi::{CredentialKind, Input, InputLocation};
use callgate_settings::{Reader, SettingCode};

use crate::toolset::ToolsetConfig;

/// The kind of the credential of every operation, which determines the other places that services read it from.
pub(super) fn credential_kind(auth: Option<&AuthConfig>) -> Option<CredentialKind> {
    match auth?.credential_form() {
        CredentialForm::Basic => Some(CredentialKind::Basic),
        CredentialForm::Key => Some(CredentialKind::Key),
        CredentialForm::None => None,
        CredentialForm::Signature => Some(CredentialKind::AwsSigV4),
        // The places of an unknown form are unknown: it is withheld like the form that is read from most places.
        CredentialForm::Own | CredentialForm::Token => Some(CredentialKind::Token),
    }
}

/// Reports a name at which a credential of the toolset is placed, and warns about a name that no tool has.
pub(super) fn report_credential_arguments(
    reader: &mut Reader,
    config: &ToolsetConfig,
    callables: &[Callable],
) {
    for (index, name) in config.credential_arguments.iter().enumerate() {
        let pointer = format!("{}/credential_arguments/{index}", config.pointer);
        let is_named = |input_name: &str| input_name.eq_ignore_ascii_case(name);
        if let Some(taken) = callables.iter().find(|callable| is_credential_place(name, callable)) {
            let message =
                format!("expected the name of a parameter without a credential, got: `{name}`");
            let help =
                format!("remove it: the credential of `{}` goes there", taken.operation.tool_name);
            reader.report_fault(SettingCode::WrongValue, pointer, message, help);
        } else if !callables
            .iter()
            .any(|callable| callable.operation.inputs.iter().any(|input| is_named(&input.name)))
        {
            let message = format!("expected tools with a parameter `{name}`, got none");
            reader.warn(KindCode::SelectsNothing, pointer, &message, "correct it or remove it");
        }
    }
}

/// The names of these parameters in the description and for the model.
pub(super) fn credential_argument_names(
    config: &ToolsetConfig,
    callables: &[Callable],
) -> Vec<String> {
    let mut names = config.credential_arguments.clone();
    let is_listed = |input: &&Input| {
        config
            .credential_arguments
            .iter()
            .any(|listed_name| input.name.eq_ignore_ascii_case(listed_name))
    };
    let inputs = callables.iter().flat_map(|callable| &callable.operation.inputs);
    names.extend(inputs.filter(is_listed).map(|input| input.argument.to_string()));
    names.sort_unstable();
    names.dedup();
    names
}

/// True if a credential of the operation goes to the only place with this name.
fn is_credential_place(name: &str, callable: &Callable) -> bool {
    let inputs = || {
        let named = |input: &&Input| input.name.eq_ignore_ascii_case(name);
        callable.operation.inputs.iter().filter(named)
    };
    callable.authenticator.places().iter().any(|credential_place| {
        let place = match credential_place.place() {
            ApiKeyLocation::Cookie => InputLocation::Cookie,
            ApiKeyLocation::Query => InputLocation::Query,
            _ => InputLocation::Header,
        };
        credential_place.name().eq_ignore_ascii_case(name)
            && inputs().all(|input| input.place() == place)
    })
}
