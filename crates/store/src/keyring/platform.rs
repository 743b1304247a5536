//! Opens the keyrings of the platforms. Reads no secrets.

use std::sync::Arc;

use callgate_secret::{Error, ErrorKind};
use keyring_core::CredentialStore;

use super::KeyringBackend;

pub(super) type Keyring = Arc<CredentialStore>;

/// Fails as `Unsupported` if this platform does not have this keyring.
pub(super) fn check_is_supported(backend: KeyringBackend) -> Result<(), Error> {
    let is_there = match backend {
        KeyringBackend::Kernel => cfg!(target_os = "linux"),
        KeyringBackend::Platform => {
            cfg!(any(windows, all(unix, not(any(target_os = "ios", target_os = "android")))))
        }
    };
    if is_there {
        return Ok(());
    }
    let message = format!("this platform has no such keyring: {backend:?}");
    Err(Error::new(ErrorKind::Unsupported, message))
}

/// Opens a keyring. Blocks.
pub(super) fn open_keyring(backend: KeyringBackend) -> keyring_core::Result<Keyring> {
    match backend {
        KeyringBackend::Kernel => open_kernel_keyring(),
        KeyringBackend::Platform => open_platform_keyring(),
    }
}

#[cfg(target_os = "linux")]
fn open_kernel_keyring() -> keyring_core::Result<Keyring> {
    Ok(linux_keyutils_keyring_store::Store::new()?)
}

#[cfg(not(target_os = "linux"))]
fn open_kernel_keyring() -> keyring_core::Result<Keyring> {
    Err(keyring_core::Error::NoDefaultStore)
}

#[cfg(target_os = "macos")]
fn open_platform_keyring() -> keyring_core::Result<Keyring> {
    Ok(apple_native_keyring_store::keychain::Store::new()?)
}

#[cfg(windows)]
fn open_platform_keyring() -> keyring_core::Result<Keyring> {
    Ok(windows_native_keyring_store::Store::new()?)
}

#[cfg(all(unix, not(any(target_os = "macos", target_os = "ios", target_os = "android"))))]
fn open_platform_keyring() -> keyring_core::Result<Keyring> {
    Ok(zbus_secret_service_keyring_store::Store::new()?)
}

#[cfg(any(not(any(unix, windows)), target_os = "ios", target_os = "android"))]
fn open_platform_keyring() -> keyring_core::Result<Keyring> {
    Err(keyring_core::Error::NoDefaultStore)
}
