//! `google_access_token:` and `google_id_token:`: tokens of a Google account.

use callgate_auth::{AuthConfig, GoogleToken};
use callgate_settings::{Kind, SettingCode, forms, keys, member_pointer};
use callgate_tree::Node;

use crate::identity::{IdentityKeys, NonEmpty, read_identity};

keys! {
    pub(crate) struct GoogleAccessTokenKeys in "`google_access_token`" with IdentityKeys {
        /// The scopes of the token; everything in Google Cloud unless given.
        scopes: TokenScopes;
    }
}

keys! {
    pub(crate) struct GoogleIdTokenKeys in "`google_id_token`" with IdentityKeys {
        /// The recipient of the token; scheme and host of the server unless given; `env:NAME` for the variable that holds it.
        audience: Audience;
    }
}

forms! {
    struct AccessToken => AuthConfig, GoogleAccessTokenKeys::KIND, |reader, mapping, key| {
        reader.read_several_sections::<GoogleAccessTokenKeys, _>(mapping, key, |reader, mapping, keys| {
            let scopes = keys.scopes.unwrap_or_default();
            let identity = Box::new(read_identity(reader, mapping));
            Some(AuthConfig::Google { identity, token: GoogleToken::Access { scopes } })
        })
    };
    struct IdToken => AuthConfig, GoogleIdTokenKeys::KIND, |reader, mapping, key| {
        reader.read_several_sections::<GoogleIdTokenKeys, _>(mapping, key, |reader, mapping, keys| {
            let identity = Box::new(read_identity(reader, mapping));
            Some(AuthConfig::Google { identity, token: GoogleToken::Id { audience: keys.audience } })
        })
    };
    /// Scopes. An empty list would mean every scope, which its author does not intend.
    struct TokenScopes => Vec<String>, Kind::List(&Kind::Text), |reader, mapping, key| {
        let scopes = reader.get::<Vec<String>>(mapping, key)?;
        let is_bare_list = mapping.object.get(key).and_then(Node::as_array).is_some_and(<[_]>::is_empty);
        if is_bare_list || scopes.iter().any(String::is_empty) {
            let message = "expected scopes, got an empty list or an empty text";
            let help = "leave the key out for everything in Google Cloud";
            reader.report_fault(SettingCode::WrongValue, member_pointer(mapping, key), message, help);
        }
        Some(scopes)
    };
    /// A text that is not empty, or the variable that holds it.
    struct Audience => String, Kind::Text, |reader, mapping, key| {
        let text = reader.get::<NonEmpty>(mapping, key)?;
        reader.text_or_variable(&text, || member_pointer(mapping, key))
    };
}
