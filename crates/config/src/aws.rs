//! The settings that everything of AWS has: a region, and keys, which are named or found where AWS puts them for a
//! process.

use std::env;

use callgate_secret::SecretReference;
use callgate_settings::{Kind, Mapping, Reader, Section, SettingCode, forms, keys, member_pointer};
use callgate_store::aws::{KeySource, NamedKeys};

keys! {
    pub(crate) struct AwsKeys in "`aws`" {
        /// The id of the access key; keys are found where AWS puts them unless named.
        access_key_id: SecretReference;
        /// The region; `AWS_REGION` unless given.
        region: Region;
        /// The secret access key.
        secret_access_key: SecretReference;
        /// The session token of temporary keys.
        session_token: SecretReference;
    }
}

forms! {
    struct Region => String, Kind::Text, |reader, mapping, key| {
        let region = reader.string(mapping, key)?;
        let is_legal = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
        if region.is_empty() || !region.bytes().all(is_legal) {
            let message = format!("expected a region such as `eu-west-1`, got: `{region}`");
            let help = "regions are written in letters, digits and `-`";
            reader.report_fault(SettingCode::WrongValue, member_pointer(mapping, key), message, help);
        }
        Some(region.to_owned())
    };
}

pub(crate) const AWS_SECRETS: [&str; 3] = ["access_key_id", "secret_access_key", "session_token"];

/// The region, or the one that AWS sets for a process; and named keys, either all of them or none.
pub(crate) fn read_region_and_key_source(
    reader: &mut Reader,
    mapping: Mapping<'_>,
) -> (Option<String>, Option<KeySource>) {
    let mut keys = AwsKeys::default();
    AwsKeys::fill(&mut keys, reader, mapping);
    #[expect(clippy::disallowed_methods, reason = "a region is no secret")]
    let usual = || ["AWS_REGION", "AWS_DEFAULT_REGION"].iter().find_map(|name| env::var(name).ok());
    let region = keys.region.or_else(usual);
    if region.is_none() && !mapping.object.contains("region") {
        let message = "expected the key `region`, got none";
        let help = "add `region: eu-west-1`, or set the variable `AWS_REGION`";
        reader.report_fault(SettingCode::MissingKey, mapping.pointer, message, help);
    }
    if !AWS_SECRETS.iter().any(|name| mapping.object.contains(name)) {
        let source = KeySource::Environment { region: region.clone().unwrap_or_default() };
        return (region, Some(source));
    }
    reader.report_missing_key(mapping, "access_key_id");
    reader.report_missing_key(mapping, "secret_access_key");
    let named = keys.access_key_id.zip(keys.secret_access_key);
    let source = named.map(|(access_key_id, secret_access_key)| {
        let session_token = keys.session_token;
        KeySource::Named(Box::new(NamedKeys { access_key_id, secret_access_key, session_token }))
    });
    (region, source)
}
