//! The end point of a server for a channel binding: the digest of its certificate (RFC 5929 §4.1). A protocol that signs in
//! over TLS includes it, so that nobody in between can pass the sign-in on.

use rustls::pki_types::CertificateDer;
use sha2::{Digest as _, Sha256, Sha384, Sha512};

use super::certificates;

/// The digest by the hash function of the certificate's signature; `None` if that uses none, or is unknown.
pub(crate) fn channel_binding_digest(certificate: &CertificateDer<'_>) -> Option<Vec<u8>> {
    let read = certificates::parse_x509(certificate).ok()?;
    let digest = match &*read.signature_algorithm().oid.to_string() {
        // MD5 and SHA-1 are replaced by SHA-256.
        "1.2.840.113549.1.1.4"
        | "1.2.840.113549.1.1.5"
        | "1.2.840.10045.4.1"
        | "1.2.840.113549.1.1.11"
        | "1.2.840.10045.4.3.2" => Sha256::digest(certificate).to_vec(),
        "1.2.840.113549.1.1.12" | "1.2.840.10045.4.3.3" => Sha384::digest(certificate).to_vec(),
        "1.2.840.113549.1.1.13" | "1.2.840.10045.4.3.4" => Sha512::digest(certificate).to_vec(),
        _ => return None,
    };
    Some(digest)
}

#[cfg(test)]
mod tests {
    use rcgen::{
        CertificateParams, KeyPair, PKCS_ECDSA_P256_SHA256, PKCS_ECDSA_P384_SHA384, PKCS_ED25519,
        SignatureAlgorithm,
    };

    use super::*;

    #[track_caller]
    fn check(algorithm: &'static SignatureAlgorithm, expected: fn(&[u8]) -> Option<Vec<u8>>) {
        let key = KeyPair::generate_for(algorithm).unwrap();
        let certificate = CertificateParams::default().self_signed(&key).unwrap();
        assert_eq!(channel_binding_digest(certificate.der()), expected(certificate.der()));
    }

    #[test]
    fn an_end_point_is_the_digest_by_the_hash_of_the_signature() {
        check(&PKCS_ECDSA_P256_SHA256, |der| Some(Sha256::digest(der).to_vec()));
        check(&PKCS_ECDSA_P384_SHA384, |der| Some(Sha384::digest(der).to_vec()));
        check(&PKCS_ED25519, |_| None);
        assert_eq!(channel_binding_digest(&CertificateDer::from(vec![1, 2])), None);
    }
}
