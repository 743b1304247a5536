//! The secret of the addresses: drawn by the first process that uses the server, sealed, and shared by all. It is read again
//! over each new connection, since the server may have lost it, or be another one.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use callgate_session::{Error, Sealer};
use redis::Value as Reply;

use super::{failure, layout::Layout, route::Route, script::Script, server::Connection};
use crate::{address::Addresses, error};

pub(super) struct SharedAddresses {
    cache: Mutex<Option<CachedAddresses>>,
    /// The sealer without older keys.
    current: Sealer,
}

struct CachedAddresses {
    secret: [u8; 32],
    addresses: Arc<Addresses>,
    /// The connection over which it was read.
    over: Weak<Connection>,
}

impl SharedAddresses {
    pub(super) fn new(current: Sealer) -> Self {
        Self { cache: Mutex::default(), current }
    }

    pub(super) async fn load_addresses(
        &self,
        route: &Route,
        layout: &Layout,
        sealer: &Sealer,
    ) -> Result<Arc<Addresses>, Error> {
        let (tag, name) = layout.secret_key();
        let connection = route.connection(tag).await;
        let cached_secret = {
            let cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
            // While that node of a cluster is away, the others have what they had.
            let is_current = |entry: &&CachedAddresses| {
                connection.as_ref().is_ok_and(|it| entry.is_over_connection(it))
            };
            if let Some(entry) = cache.as_ref().filter(|it| connection.is_err() || is_current(it)) {
                return Ok(Arc::clone(&entry.addresses));
            }
            cache.as_ref().map(|entry| entry.secret)
        };
        let connection = connection?;
        let drawn = cached_secret.map_or_else(random_secret, Ok)?;
        let sealed = sealer.seal(&drawn, PLACE)?;
        let mut set = redis::cmd("SET");
        set.arg(&name).arg(&sealed).arg("NX");
        let is_ours = route.send_command(tag, &set).await? == Reply::Okay;
        let stored = if is_ours {
            sealed
        } else {
            let got = route.send_command(tag, redis::cmd("GET").arg(&name)).await?;
            failure::reply_bytes(got)?.ok_or_else(error::unreadable_record_error)?
        };
        let secret = sealer.open(&stored, PLACE).map_err(|_| error::another_key_of_server())?;
        let secret: [u8; 32] = secret.try_into().map_err(|_| error::unreadable_record_error())?;
        if self.current.open(&stored, PLACE).is_err() {
            // Sealed anew, so that an old key can be removed once nothing else is sealed with it.
            let sealed = sealer.seal(&secret, PLACE)?;
            let replaced =
                Script::replace_value_if_equal().command_in_full(&[&name], &[&stored, &sealed]);
            route.send_command(tag, &replaced).await?;
        }
        let addresses = Arc::new(Addresses::new(&secret));
        let entry = CachedAddresses {
            secret,
            addresses: Arc::clone(&addresses),
            over: Arc::downgrade(&connection),
        };
        *self.cache.lock().unwrap_or_else(PoisonError::into_inner) = Some(entry);
        Ok(addresses)
    }
}

impl CachedAddresses {
    fn is_over_connection(&self, connection: &Arc<Connection>) -> bool {
        self.over.as_ptr() == Arc::as_ptr(connection) && self.over.strong_count() > 0
    }
}

fn random_secret() -> Result<[u8; 32], Error> {
    let mut secret = [0; 32];
    getrandom::fill(&mut secret).map_err(|_| error::no_random())?;
    Ok(secret)
}

/// The place that the secret of the addresses is sealed for.
const PLACE: &[u8] = b"addresses";
