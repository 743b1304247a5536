//! No secret is in anything a process writes. A child of this program makes calls with every kind of credential, good ones
//! and bad ones, with every trace switched on, and prints all it has in hand; what it wrote is then searched for every
//! secret it used, in every spelling that answers are masked by. Threat 32 of `SECURITY.md`.

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that is a program of its own: it prints, and stops at the first surprise"
)]

#[expect(dead_code, reason = "the other tests use the rest")]
#[path = "../integration/identity_provider.rs"]
mod identity_provider;
mod scenario;

use std::{
    borrow::Cow,
    collections::BTreeSet,
    env,
    process::{Command, Stdio},
};

use callgate::Secret;
use callgate_secret::Masker;

fn main() {
    if env::args().nth(1).as_deref() == Some("child") {
        return scenario::run();
    }
    let key = rcgen::KeyPair::generate_for(&rcgen::PKCS_ED25519).unwrap().serialize_pem();
    let child = Command::new(env::current_exe().unwrap())
        .arg("child")
        .env("CANARY_ENVIRONMENT", "canary-in-the-environment-8")
        .env("CANARY_KEY", &key)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let written = [child.stdout, child.stderr].concat();
    let text = String::from_utf8_lossy(&written);
    assert!(child.status.success(), "{text}");
    for witness in ["TRACE", "auth_failed", "Bearer ****", "a panic shows", "call ended"] {
        assert!(text.contains(witness), "the child wrote nothing of `{witness}`");
    }
    let secrets = scenario::secrets(&key);
    let masker = Masker::new(secrets.iter().cloned().map(Secret::new).collect::<Vec<_>>());
    // Most of it is printed again and again: each part is searched once. No secret goes on behind the end of a part.
    assert!(!secrets.iter().any(|secret| secret.contains(SEPARATOR)));
    let parts: BTreeSet<&str> = text.lines().flat_map(|line| line.split(SEPARATOR)).collect();
    for part in parts {
        let masked = masker.mask_text(part);
        assert!(matches!(masked, Cow::Borrowed(_)), "a secret is in: {part}");
    }
    println!("{} bytes written, {} secrets, none found", written.len(), secrets.len());
}

/// What stands between the parts of a value that is printed for debugging.
const SEPARATOR: &str = ", ";
