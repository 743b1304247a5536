//! Tests the store against the keyring of this machine's kernel, and the errors for failures.

use std::{io, sync::Arc};

use callgate_secret::{Error, ErrorKind, Secret, SecretReference, SecretStore};
use keyring_core::Error as Found;
use tokio::task::JoinSet;
use zeroize::Zeroizing;

use super::{KeyringBackend, KeyringStore, entry, platform};

fn reference() -> SecretReference {
    "keyring:pets/rex".parse().unwrap()
}

#[track_caller]
fn check(read: Result<Secret, Error>, expected: Result<&str, (ErrorKind, &str)>) {
    match (read, expected) {
        (Ok(secret), Ok(expected)) => assert_eq!(secret.expose(), expected),
        (Err(error), Err((kind, words))) => {
            assert_eq!(error.kind(), kind, "{error}");
            assert!(error.to_string().contains(words), "{error}");
            assert!(error.to_string().contains("`keyring:pets/rex`"), "{error}");
            assert!(!format!("{error:?}").contains("canary"), "{error:?}");
            assert!(!format!("{error:?}").contains("99, 97, 110"), "{error:?}");
        }
        (read, expected) => panic!("{read:?} {expected:?}"),
    }
}

#[test]
fn a_stored_text_loses_its_last_line_break() {
    let read = |bytes: &[u8]| entry::secret_of_bytes(Zeroizing::new(bytes.to_vec()), &reference());
    check(read(b"abc"), Ok("abc"));
    check(read("gr\u{fc}n\n".as_bytes()), Ok("gr\u{fc}n"));
    assert!(read(b"abc\n").unwrap().note().is_some());
    check(read(b""), Err((ErrorKind::Invalid, "empty")));
    check(read(b"canary\xff"), Err((ErrorKind::Invalid, "UTF-8 text")));
}

#[test]
fn failures_have_different_kinds_and_show_no_stored_value() {
    let failed = |error| Err(entry::keyring_failure(error, &reference()));
    let source = || Box::new(io::Error::other("no daemon"));
    let bytes = || b"canary".to_vec();
    check(failed(Found::NoEntry), Err((ErrorKind::NotFound, "no such entry")));
    check(failed(Found::Ambiguous(Vec::new())), Err((ErrorKind::Invalid, "several")));
    check(failed(Found::BadEncoding(bytes())), Err((ErrorKind::Invalid, "understood")));
    check(failed(Found::BadDataFormat(bytes(), source())), Err((ErrorKind::Invalid, "understood")));
    check(failed(Found::TooLong("user".to_owned(), 9)), Err((ErrorKind::Invalid, "such a name")));
    check(failed(Found::NoStorageAccess(source())), Err((ErrorKind::Unreadable, "locked")));
    check(failed(Found::PlatformFailure(source())), Err((ErrorKind::Unreadable, "reached")));
    check(failed(Found::NoDefaultStore), Err((ErrorKind::Unreadable, "cannot be used")));
}

#[tokio::test]
async fn a_reference_of_another_scheme_is_refused_by_the_keyring() {
    let store = KeyringStore::new(KeyringBackend::Kernel).unwrap();
    let error = store.get(&"env:X".parse().unwrap()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
}

/// Needs a kernel that lets this process have keys; otherwise the test prints that and compares nothing.
#[tokio::test]
#[expect(clippy::print_stderr, reason = "what is not compared is said")]
async fn an_entry_of_the_kernel_keyring_is_read_at_each_call() {
    let user = format!("test-{}", std::process::id());
    let entry = platform::open_keyring(KeyringBackend::Kernel)
        .and_then(|keyring| keyring.build("callgate", &user, None));
    let written = entry.and_then(|entry| entry.set_secret(b"canary-1\n").map(|()| entry));
    let entry = match written {
        Ok(entry) => entry,
        Err(error) => return eprintln!("the kernel lends no keyring here: {error}"),
    };
    let store = Arc::new(KeyringStore::new(KeyringBackend::Kernel).unwrap());
    let reference: SecretReference = format!("keyring:callgate/{user}").parse().unwrap();
    let first = store.get(&reference).await.unwrap();
    assert_eq!((first.expose(), first.note().is_some()), ("canary-1", true));
    entry.set_secret(b"canary-2").unwrap();
    assert_eq!(store.get(&reference).await.unwrap().expose(), "canary-2");
    let mut reads = JoinSet::new();
    for _ in 0..50 {
        let (store, reference) = (Arc::clone(&store), reference.clone());
        reads.spawn(async move { store.get(&reference).await.unwrap() });
    }
    while let Some(read) = reads.join_next().await {
        assert_eq!(read.unwrap().expose(), "canary-2");
    }
    let missing: SecretReference = format!("keyring:callgate/{user}-none").parse().unwrap();
    assert_eq!(store.get(&missing).await.unwrap_err().kind(), ErrorKind::NotFound);
    entry.delete_credential().unwrap();
    assert!(!format!("{store:?} {first:?}").contains("canary"));
}
