//! A Google account: the keys that name the account whose tokens are requested, wherever an account is named. Nothing
//! is fetched.

use callgate_google::{Account, Endpoints, Identity, Impersonation};
use url::Url;

use super::{Mapping, Reader, at, secret::secret};
use crate::{code::ConfigCode, keys::GOOGLE_ENDPOINTS};

/// Reads the account whose tokens are requested; the default is application default credentials.
pub(crate) fn identity(reader: &mut Reader, mapping: Mapping<'_>) -> Option<Identity> {
    let account = account(reader, mapping);
    let delegates = reader.strings(mapping, "delegates");
    let impersonation = named(reader, mapping, "impersonate").map(|principal| {
        Impersonation::of(principal).through(delegates.iter().map(|&each| each.to_owned()))
    });
    if impersonation.is_none() && !delegates.is_empty() {
        let message = "`delegates` lead to an account, and none is named";
        let help = "name it: `impersonate: NAME@PROJECT.iam.gserviceaccount.com`";
        reader.complain(ConfigCode::MissingKey, at(mapping, "delegates"), message, help);
    }
    let endpoints = endpoints(reader, mapping);
    Some(Identity { account: account?, impersonation, endpoints: endpoints? })
}

/// A text that is not empty.
pub(crate) fn named<'a>(reader: &mut Reader, mapping: Mapping<'a>, key: &str) -> Option<&'a str> {
    let text = reader.string(mapping, key)?;
    if text.trim().is_empty() {
        let message = format!("expected a text in `{key}`, got an empty one");
        reader.complain(ConfigCode::WrongValue, at(mapping, key), message, "leave the key out");
        return None;
    }
    Some(text)
}

fn account(reader: &mut Reader, mapping: Mapping<'_>) -> Option<Account> {
    if mapping.object.contains("key") {
        if mapping.object.contains("account") {
            let message = "expected `key` or `account`, got both";
            reader.complain(ConfigCode::WrongValue, at(mapping, "account"), message, "keep one");
        }
        return secret(reader, mapping, "key").map(Account::Key);
    }
    match reader.string(mapping, "account") {
        None | Some("default") => Some(Account::Default),
        Some("machine") => Some(Account::Machine),
        Some(_) => {
            let message = "expected `default` or `machine`, got a text that is neither";
            let help =
                "`machine` is the metadata server's account; for a key write `key: file:KEY.json`";
            reader.complain(ConfigCode::WrongValue, at(mapping, "account"), message, help);
            None
        }
    }
}

fn endpoints(reader: &mut Reader, mapping: Mapping<'_>) -> Option<Endpoints> {
    let Some(node) = mapping.object.get("endpoints") else { return Some(Endpoints::default()) };
    let pointer = at(mapping, "endpoints");
    let mapping = reader.mapping(node, &pointer, &GOOGLE_ENDPOINTS)?;
    let mut url = |key: &str| -> Option<Option<Url>> {
        let Some(text) = reader.string(mapping, key) else {
            return (!mapping.object.contains(key)).then_some(None);
        };
        let url = Url::parse(text).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
        if url.is_none() {
            let help = "for example `https://secretmanager-pets.p.googleapis.com`";
            reader.complain(ConfigCode::WrongValue, at(mapping, key), "expected a URL", help);
        }
        url.map(Some)
    };
    let iam_credentials = url("iam_credentials");
    let metadata = url("metadata");
    let secret_manager = url("secret_manager");
    let service_directory = url("service_directory");
    let token = url("token");
    Some(Endpoints {
        iam_credentials: iam_credentials?,
        metadata: metadata?,
        secret_manager: secret_manager?,
        service_directory: service_directory?,
        token: token?,
    })
}
