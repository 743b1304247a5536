//! One entry of a keyring: its bytes as a secret, its failures as our errors. Blocks.

use callgate_secret::{Error, ErrorKind, Secret, SecretReference};
use keyring_core::Entry;
use zeroize::{Zeroize, Zeroizing};

use super::platform::Keyring;

pub(super) fn read_secret(keyring: &Keyring, reference: &SecretReference) -> Result<Secret, Error> {
    let secret_bytes = keyring_entry(keyring, reference)?.get_secret();
    secret_of_bytes(
        secret_bytes.map(Zeroizing::new).map_err(|error| keyring_failure(error, reference))?,
        reference,
    )
}

pub(super) fn write_secret(
    keyring: &Keyring,
    reference: &SecretReference,
    secret: &Secret,
) -> Result<(), Error> {
    let written = keyring_entry(keyring, reference)?.set_secret(secret.expose().as_bytes());
    written.map_err(|error| keyring_failure(error, reference))
}

pub(super) fn remove_secret(
    keyring: &Keyring,
    reference: &SecretReference,
) -> Result<Secret, Error> {
    let stored_secret = read_secret(keyring, reference)?;
    let removed = keyring_entry(keyring, reference)?.delete_credential();
    removed.map(|()| stored_secret).map_err(|error| keyring_failure(error, reference))
}

fn keyring_entry(keyring: &Keyring, reference: &SecretReference) -> Result<Entry, Error> {
    let parts = match reference {
        SecretReference::Remote { scheme: "keyring", secret, .. } => secret.name.rsplit_once('/'),
        _ => None,
    };
    let Some((service, user)) = parts else {
        let message = format!("the keyring holds no secrets of `{}:`", reference.scheme());
        return Err(Error::new(ErrorKind::Unsupported, message));
    };
    keyring.build(service, user, None).map_err(|error| keyring_failure(error, reference))
}

/// The secret in a stored text; one line break at its end is not part of the secret.
pub(super) fn secret_of_bytes(
    mut bytes: Zeroizing<Vec<u8>>,
    reference: &SecretReference,
) -> Result<Secret, Error> {
    let text = String::from_utf8(std::mem::take(&mut *bytes));
    let text = text.map_err(|refused| {
        refused.into_bytes().zeroize();
        invalid_secret_error("the secret must be UTF-8 text", reference)
    })?;
    let secret = Secret::from_stored_text(text);
    if secret.is_empty() {
        return Err(invalid_secret_error("the secret is empty", reference));
    }
    Ok(secret)
}

/// The error for a keyring's failure. Errors that contain stored bytes are dropped.
pub(super) fn keyring_failure(error: keyring_core::Error, reference: &SecretReference) -> Error {
    use keyring_core::Error as Found;
    let (kind, message) = match error {
        Found::NoEntry => (ErrorKind::NotFound, "the keyring has no such entry"),
        Found::Ambiguous(_) => (ErrorKind::Invalid, "the keyring has several such entries"),
        Found::BadEncoding(mut bytes) | Found::BadDataFormat(mut bytes, _) => {
            bytes.zeroize();
            (ErrorKind::Invalid, "the keyring's entry cannot be understood")
        }
        Found::TooLong(..) | Found::Invalid(..) => {
            (ErrorKind::Invalid, "the keyring has no entries of such a name")
        }
        Found::NoStorageAccess(source) | Found::PlatformFailure(source) => {
            let message = format!(
                "the keyring of this machine cannot be reached or is locked: `{reference}`"
            );
            return Error::new(ErrorKind::Unreadable, message).with_source(source);
        }
        _ => (ErrorKind::Unreadable, "the keyring of this machine cannot be used"),
    };
    Error::new(kind, format!("{message}: `{reference}`"))
}

fn invalid_secret_error(message: &str, reference: &SecretReference) -> Error {
    Error::new(ErrorKind::Invalid, format!("{message}: `{reference}`"))
}
