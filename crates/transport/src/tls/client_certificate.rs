//! Shows our certificate to a service that asks for one, and records for the request that it asked. In TLS 1.3 a service
//! may reject a certificate after the handshake, when the HTTP client only sees a connection that closes (RFC 8446
//! §4.4.2.4); the record gives the reason.

use std::{cell::Cell, sync::Arc};

use rustls::{SignatureScheme, client::ResolvesClientCert, sign::CertifiedKey};

tokio::task_local! {
    static IS_ASKED: Cell<bool>;
}

/// Runs an exchange and reports whether a service asked for a certificate in it.
pub(crate) async fn run_noting_certificate_ask<T>(exchange: impl Future<Output = T>) -> (T, bool) {
    let noted = async {
        let result = exchange.await;
        (result, IS_ASKED.with(Cell::get))
    };
    IS_ASKED.scope(Cell::new(false), noted).await
}

#[derive(Debug)]
pub(super) struct OfferedCertificate(pub(super) Option<Arc<CertifiedKey>>);

impl ResolvesClientCert for OfferedCertificate {
    fn resolve(&self, _: &[&[u8]], _: &[SignatureScheme]) -> Option<Arc<CertifiedKey>> {
        // A connection that is made ahead of any request has no record to write.
        let _unheard = IS_ASKED.try_with(|is_asked| is_asked.set(true));
        self.0.clone()
    }

    fn has_certs(&self) -> bool {
        self.0.is_some()
    }
}
