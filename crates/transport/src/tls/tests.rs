//! Certificates and keys in every form that operators have, and a clear message for every fault.

use base64::{Engine, engine::general_purpose::STANDARD};
use callgate_secret::Secret;
use pkcs8::{LineEnding, PrivateKeyInfoRef, SecretDocument, pkcs5::pbes2};
use rcgen::{KeyPair, PKCS_ED25519, PKCS_RSA_SHA256};

use super::*;
use crate::{
    ErrorKind,
    test_tls::{Authority, When},
};

const PASSPHRASE: &str = "canary passphrase";

#[test]
fn certificates_are_read_as_pem_der_and_base64() {
    let (one, two) = (Authority::new("one").certificate, Authority::new("two").certificate);
    let both = format!("Bag Attributes: x\r\n{}\n# and\n{}", one.pem(), two.pem());
    let base64 = STANDARD.encode(one.der());
    let broken_lines = base64.as_bytes().chunks(64).map(<[u8]>::to_vec).collect::<Vec<_>>();
    for (text, n_read) in [
        (one.pem().into_bytes(), 1),
        (one.pem().replace("\r\n", "\n").into_bytes(), 1),
        (both.into_bytes(), 2),
        (one.der().to_vec(), 1),
        (base64.into_bytes(), 1),
        (broken_lines.join(&b'\n'), 1),
    ] {
        assert_eq!(CaCertificates::read(&text).unwrap().iter().count(), n_read);
    }
}

#[test]
fn a_text_that_is_no_certificate_is_refused_and_not_shown() {
    let issued = Authority::new("ours").issue("callgate", When::Now);
    let key = issued.key.serialize_pem();
    let begin = "-----BEGIN CERTIFICATE-----\n";
    let end = "\n-----END CERTIFICATE-----\n";
    for text in [
        "",
        "canary",
        &key,
        &format!("{begin}canary!{end}"),
        &format!("{begin}Y2FuYXJ5{end}"),
        "\u{30}canary",
        &STANDARD.encode(b"\x30canary"),
    ] {
        let error = CaCertificates::read(text.as_bytes()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Certificate, "{text}");
        assert!(!format!("{error:?}").contains("canary"), "{error:?}");
    }
}

fn forms(key: &KeyPair) -> Vec<(&'static str, String)> {
    let der = key.serialize_der();
    let pkcs8 = PrivateKeyInfoRef::try_from(&*der).unwrap();
    let pem = |label, der: Vec<u8>| {
        let document = SecretDocument::try_from(der).unwrap();
        document.to_pem(label, LineEnding::LF).unwrap().to_string()
    };
    let mut forms = vec![("PKCS#8", key.serialize_pem())];
    let inner = pkcs8.private_key.as_bytes();
    if key.algorithm() == &PKCS_RSA_SHA256 {
        forms.push(("PKCS#1", pem("RSA PRIVATE KEY", inner.to_vec())));
    } else if key.algorithm() == &rcgen::PKCS_ECDSA_P256_SHA256 {
        // RFC 5915: in PKCS#8 only the outer header names the curve.
        let (start, rest) = inner.split_at(39);
        let curve = [0xa0, 0x0a, 0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07];
        let mut sec1 = [start, &curve, rest].concat();
        sec1[1] += u8::try_from(curve.len()).unwrap();
        let sec1 = pem("EC PRIVATE KEY", sec1);
        let parameters =
            "-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n";
        forms.push(("SEC1", sec1.clone()));
        forms.push(("SEC1 with parameters", format!("{parameters}{sec1}")));
    }
    forms
}

fn encrypted(key: &KeyPair, parameters: &pbes2::Parameters) -> String {
    let der = key.serialize_der();
    let pkcs8 = PrivateKeyInfoRef::try_from(&*der).unwrap();
    let encrypted = pkcs8.encrypt_with_params(parameters.clone(), PASSPHRASE).unwrap();
    encrypted.to_pem("ENCRYPTED PRIVATE KEY", LineEnding::LF).unwrap().to_string()
}

#[test]
fn private_keys_are_read_in_every_form() {
    let authority = Authority::new("ours");
    for algorithm in [&PKCS_RSA_SHA256, &rcgen::PKCS_ECDSA_P256_SHA256, &PKCS_ED25519] {
        let issued = authority.issue_with("callgate", When::Now, algorithm);
        let chain = issued.certificate.pem();
        for (form, text) in forms(&issued.key) {
            let read = ClientIdentity::new(chain.as_bytes(), &Secret::new(text), None);
            assert!(read.is_ok(), "{form} {algorithm:?}: {read:?}");
        }
        let together = Secret::new(format!("{chain}{}", issued.key.serialize_pem()));
        assert!(ClientIdentity::new(chain.as_bytes(), &together, None).is_ok());
    }
}

#[test]
fn an_encrypted_key_is_opened_by_its_passphrase() {
    let issued = Authority::new("ours").issue("callgate", When::Now);
    let chain = issued.certificate.pem();
    let scrypt = pkcs8::pkcs5::scrypt::Params::new(4, 8, 1).unwrap();
    for parameters in [
        pbes2::Parameters::generate_pbkdf2_sha256_aes256cbc(2048, b"saltsalt", [7; 16]).unwrap(),
        pbes2::Parameters::generate_scrypt_aes256cbc(scrypt, b"saltsalt", [7; 16]).unwrap(),
    ] {
        let key = Secret::new(encrypted(&issued.key, &parameters));
        let open = |passphrase: Option<&str>| {
            let passphrase = passphrase.map(|text| Secret::new(text.to_owned()));
            ClientIdentity::new(chain.as_bytes(), &key, passphrase.as_ref())
        };
        open(Some(PASSPHRASE)).unwrap();
        check_told(open(None), "client_key_passphrase");
        check_told(open(Some("another canary")), "the passphrase is wrong");
    }
}

#[track_caller]
fn check_told(read: Result<ClientIdentity, Error>, word: &str) {
    let error = read.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Certificate);
    let shown = format!("{error} {error:?}");
    assert!(shown.contains(word), "{word}: {shown}");
    assert!(!shown.contains("canary") && !shown.contains("PRIVATE"), "{shown}");
}

#[test]
fn every_fault_of_a_client_identity_has_its_own_message() {
    let authority = Authority::new("ours");
    let read = |when, chain: Option<&str>, key: Option<&str>| {
        let issued = authority.issue("callgate", when);
        let chain = chain.map_or_else(|| issued.certificate.pem(), ToOwned::to_owned);
        let key = key.map_or_else(|| issued.key.serialize_pem(), ToOwned::to_owned);
        ClientIdentity::new(chain.as_bytes(), &Secret::new(key), None)
    };
    let other = authority.issue("other", When::Now).key.serialize_pem();
    let traditional = "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\ncanary\n-----END RSA PRIVATE KEY-----\n";
    check_told(read(When::Past, None, None), "has expired");
    check_told(read(When::Future, None, None), "is not valid yet");
    check_told(read(When::Now, None, Some(&other)), "do not belong together");
    check_told(read(When::Now, Some("canary"), None), "expected a certificate");
    check_told(read(When::Now, None, Some("canary")), "expected a private key");
    check_told(read(When::Now, None, Some(traditional)), "openssl pkcs8 -topk8");
    read(When::Now, None, None).unwrap();
}

#[test]
fn debug_output_of_an_identity_shows_no_private_key() {
    let issued = Authority::new("ours").issue("callgate", When::Now);
    let settings = TlsSettings::new().with_identity(issued.identity());
    let key = issued.key.serialize_der();
    let config = settings
        .clone()
        .trust_only_ca(Authority::new("ours").ca_certificates())
        .client_config(None);
    let shown = format!("{settings:?} {settings:#?} {:?}", config.unwrap());
    assert!(shown.contains("ClientIdentity(****)"), "{shown}");
    let inner = PrivateKeyInfoRef::try_from(&*key).unwrap().private_key.as_bytes();
    let secret = &inner[7..39];
    for form in [format!("{secret:?}"), STANDARD.encode(secret)] {
        assert!(!shown.contains(form.trim_matches(['[', ']'])), "{shown}");
    }
}
