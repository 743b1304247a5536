//! Tests that what one principal stores and reads does not stand before the requests of another.

use std::{
    future::pending,
    sync::atomic::{AtomicUsize, Ordering},
};

use bytes::Bytes;
use callgate_secret::Secret;
use callgate_session::Owner;
use callgate_tool::{Principal, Session};
use futures_util::{FutureExt, future::join_all};

use super::*;
use crate::address::Address;

/// An engine that never ends a change, and answers reads.
#[derive(Debug, Default)]
struct Stuck {
    n_changes: Arc<AtomicUsize>,
}

#[async_trait]
impl Engine for Stuck {
    const IS_SHARED: bool = false;

    async fn addresses(&self, _: &Sealer) -> Result<Arc<Addresses>, Error> {
        Ok(Arc::new(Addresses::new(&[7; 32])))
    }

    async fn get(&self, _: Address, _: Instant, _: QueuePermit) -> Result<Option<Row>, Error> {
        Ok(None)
    }

    async fn list(&self, _: Page, _: Instant, _permit: QueuePermit) -> Result<Rows, Error> {
        self.n_changes.fetch_add(1, Ordering::SeqCst);
        pending().await
    }

    async fn count(&self, _: &'static str, _: Instant, _: QueuePermit) -> Result<usize, Error> {
        Ok(0)
    }

    async fn put(&self, _: Put, _: Instant, _permit: QueuePermit) -> Result<(), Error> {
        self.n_changes.fetch_add(1, Ordering::SeqCst);
        pending().await
    }

    async fn remove(
        &self,
        _: Address,
        _: Expected,
        _: Instant,
        _: QueuePermit,
    ) -> Result<bool, Error> {
        Ok(false)
    }
}

#[tokio::test]
async fn large_records_and_listings_of_one_principal_leave_the_store_to_another() {
    let engine = Stuck::default();
    let n_changes = Arc::clone(&engine.n_changes);
    let sealer = Sealer::with_key(&Secret::new("a key of at least thirty-two bytes".to_owned()));
    let store = Sealed::new(engine, sealer.unwrap());
    let now = tokio::time::Instant::now().into_std();
    let session = Session::new("s");
    let key = |who: &Principal| Key::new(Space::Session, Owner::new(Some(who), &session), "a");
    let (kim, lee) = (Principal::new("kim"), Principal::new("lee"));
    let large = || Record::new("text/plain", Bytes::from(vec![0; 900_000]));

    let (of_kim, group) = (key(&kim), Group::of_principal(Space::Session, Some(&kim)));
    let mut puts = join_all((0..24).map(|_| store.put(&of_kim, large(), Expected::Any, now)));
    let mut lists = join_all((0..24).map(|_| store.list(&group, None, 9, now)));
    assert!((&mut puts).now_or_never().is_none() && (&mut lists).now_or_never().is_none());
    assert_eq!(n_changes.load(Ordering::SeqCst), 2, "the others wait for them");
    let got = store.get(&of_kim, now).now_or_never();
    assert!(got.is_none(), "what one principal does decides about that principal");
    assert!(store.get(&key(&lee), now).now_or_never().unwrap().unwrap().is_none());

    let most = join_all((0..8192).map(|_| store.get(&of_kim, now)));
    let refused = most.now_or_never();
    assert!(refused.is_none());
    assert!(store.get(&key(&lee), now).now_or_never().is_some_and(|got| got.is_ok()));
    drop((puts, lists));
    assert!(store.get(&of_kim, now).await.unwrap().is_none(), "who leaves frees its share");
}
