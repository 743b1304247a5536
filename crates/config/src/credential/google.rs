//! `google_access_token:` and `google_id_token:`: tokens of a Google account.

use callgate_auth::{AuthConfig, GoogleToken};
use callgate_google::{Account, Endpoints, Identity, Impersonation};
use callgate_tree::Node;
use url::Url;

use super::secret::secret;
use crate::{
    keys::{GOOGLE_ACCESS_TOKEN, GOOGLE_ENDPOINTS, GOOGLE_ID_TOKEN},
    reader::{Mapping, Reader, at},
};

/// Reads whose access token it is, and for which scopes.
pub(super) fn access_token(reader: &mut Reader, node: &Node, pointer: &str) -> Option<AuthConfig> {
    let mapping = reader.mapping(node, pointer, &GOOGLE_ACCESS_TOKEN)?;
    let identity = identity(reader, mapping);
    let scopes: Vec<_> =
        reader.strings(mapping, "scopes").into_iter().map(ToOwned::to_owned).collect();
    // None at all would mean everything, which nobody asks for by an empty list.
    let is_bare_list =
        mapping.object.get("scopes").and_then(Node::as_array).is_some_and(<[_]>::is_empty);
    if is_bare_list || scopes.iter().any(String::is_empty) {
        let message = "expected scopes, got an empty list or an empty text";
        let help = "leave the key out for everything in Google Cloud";
        reader.complain("wrong-value", at(mapping, "scopes"), message, help);
        return None;
    }
    Some(AuthConfig::Google {
        identity: Box::new(identity?),
        token: GoogleToken::Access { scopes },
    })
}

/// Reads whose identity token it is, and for whom.
pub(super) fn id_token(reader: &mut Reader, node: &Node, pointer: &str) -> Option<AuthConfig> {
    let mapping = reader.mapping(node, pointer, &GOOGLE_ID_TOKEN)?;
    let identity = identity(reader, mapping);
    let audience = named(reader, mapping, "audience");
    let audience = match audience {
        Some(text) => Some(reader.filled(text, || at(mapping, "audience"))?),
        None => None,
    };
    Some(AuthConfig::Google { identity: Box::new(identity?), token: GoogleToken::Id { audience } })
}

/// Whose tokens are asked for; application default credentials where nothing is said.
pub(crate) fn identity(reader: &mut Reader, mapping: Mapping<'_>) -> Option<Identity> {
    let account = account(reader, mapping);
    let delegates = reader.strings(mapping, "delegates");
    let impersonation = named(reader, mapping, "impersonate").map(|principal| {
        Impersonation::of(principal).through(delegates.iter().map(|&each| each.to_owned()))
    });
    if impersonation.is_none() && !delegates.is_empty() {
        let message = "`delegates` lead to an account, and none is named";
        let help = "name it: `impersonate: NAME@PROJECT.iam.gserviceaccount.com`";
        reader.complain("missing-key", at(mapping, "delegates"), message, help);
    }
    let endpoints = endpoints(reader, mapping);
    Some(Identity { account: account?, impersonation, endpoints: endpoints? })
}

/// A text that is not empty.
fn named<'a>(reader: &mut Reader, mapping: Mapping<'a>, key: &str) -> Option<&'a str> {
    let text = reader.string(mapping, key)?;
    if text.trim().is_empty() {
        let message = format!("expected a text in `{key}`, got an empty one");
        reader.complain("wrong-value", at(mapping, key), message, "leave the key out");
        return None;
    }
    Some(text)
}

fn account(reader: &mut Reader, mapping: Mapping<'_>) -> Option<Account> {
    if mapping.object.contains("key") {
        if mapping.object.contains("account") {
            let message = "expected `key` or `account`, got both";
            reader.complain("wrong-value", at(mapping, "account"), message, "keep one");
        }
        return secret(reader, mapping, "key").map(Account::Key);
    }
    match reader.string(mapping, "account") {
        None | Some("default") => Some(Account::Default),
        Some("machine") => Some(Account::Machine),
        Some(_) => {
            let message = "expected `default` or `machine`, got another text";
            let help =
                "`machine` is the metadata server's account; for a key write `key: file:KEY.json`";
            reader.complain("wrong-value", at(mapping, "account"), message, help);
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
            reader.complain("wrong-value", at(mapping, key), "expected a URL", help);
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
