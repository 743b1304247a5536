//! The sidecars that share a store. Each keeps a record of its configuration there, and reports another one that serves a
//! different configuration.

use std::{sync::Arc, time::Duration};

use callgate_session::{Error, Expected, Group, Key, Owner, Record, Space, Store};
use callgate_tool::Session;
use serde::{Deserialize, Serialize};
use tokio::{
    task::JoinHandle,
    time::{Instant, sleep},
};

use crate::{gateway::Gateway, observe::prometheus};

/// The record of this sidecar, while it serves.
#[derive(Debug)]
pub(super) struct Replicas(Option<JoinHandle<()>>);

#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
struct Replica {
    configuration: u32,
}

#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
struct Others {
    n_equal: usize,
    n_different: usize,
}

struct Member {
    store: Arc<dyn Store>,
    key: Key,
}

impl Replicas {
    /// Does nothing where no other process uses the store.
    pub(super) fn start(gateway: &Gateway) -> Self {
        let built = gateway.current_build();
        let store = built.state_store().filter(|store| store.is_shared()).cloned();
        Self(
            store
                .and_then(Member::new)
                .map(|member| tokio::spawn(register_and_compare_replicas(member, gateway.clone()))),
        )
    }
}

impl Drop for Replicas {
    fn drop(&mut self) {
        if let Some(task) = &self.0 {
            task.abort();
        }
    }
}

impl Member {
    /// A member with a name of its own; `None` if the system gives no random bytes.
    fn new(store: Arc<dyn Store>) -> Option<Self> {
        let mut name = [0; 8];
        getrandom::fill(&mut name).ok()?;
        let name = format!("{:016x}", u64::from_le_bytes(name));
        let key = Key::new(Space::Replica, Owner::new(None, &Session::default()), &name);
        Some(Self { store, key })
    }

    async fn store_and_count_replicas(&self, own: Replica) -> Result<Others, Error> {
        let now = Instant::now().into_std();
        let record = Record::json(&own)?.with_time_to_live(LIFE);
        self.store.put(&self.key, record, Expected::Any, now).await?;
        let group = Group::of_space(Space::Replica);
        let mut others = Others::default();
        for (key, stored) in self.store.list(&group, None, MOST, now).await? {
            // A record in another form is that of another release.
            let is_equal = stored.record.read::<Replica>().is_ok_and(|replica| replica == own);
            if key != self.key {
                others.n_equal += usize::from(is_equal);
                others.n_different += usize::from(!is_equal);
            }
        }
        Ok(others)
    }
}

async fn register_and_compare_replicas(member: Member, gateway: Gateway) {
    let mut last = Others::default();
    loop {
        let digest = gateway.current_build().digest();
        // While the store is away, its users report it.
        if let Ok(others) =
            member.store_and_count_replicas(Replica { configuration: digest.number() }).await
        {
            report_replicas(&digest.to_string(), others, last);
            last = others;
        }
        sleep(PAUSE).await;
    }
}

fn report_replicas(digest: &str, others: Others, last: Others) {
    let n_different = others.n_different;
    prometheus::set_replica_metrics(others.n_equal + 1, n_different);
    match (n_different, last.n_different) {
        (1.., 0) => warn_of_other_digest(digest, n_different),
        (0, 1..) => tracing::info!(digest, "all sidecars on this store serve this configuration"),
        _ => {}
    }
}

fn warn_of_other_digest(digest: &str, n_different: usize) {
    tracing::warn!(
        digest,
        n_different,
        "other sidecars on this store serve another configuration: reload or update them"
    );
}

/// The life of a record whose sidecar is gone.
const LIFE: Duration = Duration::from_secs(30);
/// The time between two looks.
const PAUSE: Duration = Duration::from_secs(10);
const MOST: usize = 1000;

#[cfg(test)]
mod tests {
    use callgate_session::{Bounds, Memory};

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn sidecars_with_another_configuration_are_counted_until_their_records_end() {
        let store: Arc<dyn Store> = Arc::new(Memory::new(Bounds { records: 9, bytes: 4096 }));
        let member = || Member::new(Arc::clone(&store)).unwrap();
        let (own, equal, different) = (member(), member(), member());
        let of = |configuration| Replica { configuration };
        assert_eq!(own.store_and_count_replicas(of(1)).await.unwrap(), Others::default());
        assert_eq!(
            equal.store_and_count_replicas(of(1)).await.unwrap(),
            Others { n_equal: 1, n_different: 0 }
        );
        assert_eq!(
            different.store_and_count_replicas(of(2)).await.unwrap(),
            Others { n_equal: 0, n_different: 2 }
        );
        assert_eq!(
            own.store_and_count_replicas(of(1)).await.unwrap(),
            Others { n_equal: 1, n_different: 1 }
        );
        let foreign = Record::json("a later form").unwrap().with_time_to_live(LIFE);
        let now = Instant::now().into_std();
        store.put(&different.key, foreign, Expected::Any, now).await.unwrap();
        assert_eq!(
            own.store_and_count_replicas(of(1)).await.unwrap(),
            Others { n_equal: 1, n_different: 1 }
        );
        sleep(LIFE).await;
        assert_eq!(own.store_and_count_replicas(of(2)).await.unwrap(), Others::default());
    }
}
