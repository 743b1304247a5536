//! A Google account: the keys that name the account whose tokens are requested, wherever an account is named. Nothing
//! is fetched.

use callgate_google::{Account, Endpoints, Identity, Impersonation};
use callgate_secret::SecretReference;
use callgate_settings::{Kind, Mapping, Reader, Section, SettingCode, forms, keys, member_pointer};
use url::Url;

keys! {
    pub(crate) struct IdentityKeys in "an account" {
        /// Application default credentials, or the metadata server's account.
        account: OwnAccount;
        /// The chain of accounts that leads to the one that is stood in for.
        delegates: Vec<String>;
        /// The addresses where Google's services answer, if not the public ones.
        endpoints: EndpointKeys;
        /// The account that is stood in for.
        impersonate: NonEmpty;
        /// A key instead of an account: the text of the key's file.
        key: SecretReference;
    }
}

keys! {
    pub(crate) EndpointKeys over Endpoints, in "`endpoints`" {
        /// The service that stands in for accounts.
        iam_credentials: ServiceUrl;
        /// The metadata server.
        metadata: ServiceUrl;
        /// Secret Manager.
        secret_manager: ServiceUrl;
        /// Service Directory.
        service_directory: ServiceUrl;
        /// The only place a key may be exchanged at.
        token: ServiceUrl;
    }
}

forms! {
    struct OwnAccount => Account, Kind::Choice(&["default", "machine"]), |reader, mapping, key| {
        match reader.string(mapping, key)? {
            "default" => Some(Account::Default),
            "machine" => Some(Account::Machine),
            _ => {
                let message = "expected `default` or `machine`, got a text that is neither";
                let help =
                    "write `machine` for the metadata server's account, or `key: file:KEY.json` in its place";
                reader.report_fault(SettingCode::WrongValue, member_pointer(mapping, key), message, help);
                None
            }
        }
    };
    struct NonEmpty => String, Kind::Text, |reader, mapping, key| {
        let text = reader.string(mapping, key)?;
        if text.trim().is_empty() {
            let message = format!("expected a text in `{key}`, got an empty one");
            reader.report_fault(SettingCode::WrongValue, member_pointer(mapping, key), message, "leave the key out");
        }
        Some(text.to_owned())
    };
    struct ServiceUrl => Url, Kind::Address, |reader, mapping, key| {
        let text = reader.string(mapping, key)?;
        let url = Url::parse(text).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
        if url.is_none() {
            let help = "for example `https://secretmanager-pets.p.googleapis.com`";
            reader.report_fault(SettingCode::WrongValue, member_pointer(mapping, key), "expected a URL", help);
        }
        url
    };
}

/// Reads the account whose tokens are requested; the default is application default credentials.
pub(crate) fn read_identity(reader: &mut Reader, mapping: Mapping<'_>) -> Identity {
    let mut keys = IdentityKeys::default();
    IdentityKeys::fill(&mut keys, reader, mapping);
    let delegates = keys.delegates.unwrap_or_default();
    if !delegates.is_empty() && keys.impersonate.is_none() {
        let message = "`delegates` lead to an account, and none is named";
        let help = "name it: `impersonate: NAME@PROJECT.iam.gserviceaccount.com`";
        reader.report_fault(
            SettingCode::MissingKey,
            member_pointer(mapping, "delegates"),
            message,
            help,
        );
    }
    let has_both = ["key", "account"].iter().all(|key| mapping.object.contains(key));
    if has_both {
        let message = "expected `key` or `account`, got both";
        reader.report_fault(
            SettingCode::WrongValue,
            member_pointer(mapping, "account"),
            message,
            "keep one",
        );
    }
    let account = keys.key.map(Account::Key).or(keys.account).unwrap_or_default();
    let impersonation =
        keys.impersonate.map(|account| Impersonation::new(&account).through(delegates));
    Identity { account, impersonation, endpoints: keys.endpoints.unwrap_or_default() }
}
