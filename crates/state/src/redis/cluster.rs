//! The nodes of a cluster. A node that is asked for what another one has names that one; nothing else says where something
//! is.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use redis::{Cmd, Value};

use super::{
    RedisAddress,
    failure::Failure,
    layout::Tag,
    server::{Care, Dialling, Server},
};

pub(super) struct Cluster {
    /// Nodes that are asked where something is; others are learnt from them.
    named: Vec<RedisAddress>,
    dialling: Arc<Dialling>,
    servers: Mutex<BTreeMap<RedisAddress, Arc<Server>>>,
    owners: Mutex<BTreeMap<Tag, RedisAddress>>,
}

impl Cluster {
    pub(super) fn new(named: Vec<RedisAddress>, dialling: Arc<Dialling>) -> Self {
        Self { named, dialling, servers: Mutex::default(), owners: Mutex::default() }
    }

    /// The node that is known to have a tag, or one that may know it.
    pub(super) async fn server_for_tag(&self, tag: Tag) -> Result<Arc<Server>, Failure> {
        let mut away = Failure::Away("no node of the cluster is named".to_owned());
        for address in self.candidate_addresses(tag) {
            let server = self.server_or_new(&address);
            match server.open_or_new_connection().await {
                Ok(_) => return Ok(server),
                Err(failure) => away = failure,
            }
        }
        Err(away)
    }

    pub(super) async fn send_command(
        &self,
        tag: Tag,
        command: &Cmd,
        care: Care,
    ) -> Result<Value, Failure> {
        let mut candidates = self.candidate_addresses(tag).into_iter();
        let mut next = candidates.next();
        let mut last = Failure::Away("no node of the cluster is named".to_owned());
        for _ in 0..MOST_ASKED {
            let Some(address) = next.take() else { break };
            let asked = self.server_or_new(&address).send_command_once(command, care).await;
            let owner = match &asked {
                Err(failure) if failure.has_code("MOVED") => redirect_address(failure, &address),
                // A replica may have become the owner.
                Err(failure) if failure.is_server_unusable() => None,
                _ => Some(address),
            };
            self.set_owner(tag, owner.clone());
            next = match asked {
                Err(failure) if failure.has_code("MOVED") => {
                    last = failure;
                    owner
                }
                // It was not sent.
                Err(failure @ Failure::Away(_)) => {
                    last = failure;
                    candidates.next()
                }
                asked => return asked,
            };
        }
        Err(last)
    }

    /// The addresses to ask for a tag, the most likely first.
    fn candidate_addresses(&self, tag: Tag) -> Vec<RedisAddress> {
        let owner = self.owners.lock().unwrap_or_else(PoisonError::into_inner).get(&tag).cloned();
        let servers = self.servers.lock().unwrap_or_else(PoisonError::into_inner);
        let mut all: Vec<_> = owner.into_iter().collect();
        for address in self.named.iter().chain(servers.keys()) {
            if !all.contains(address) {
                all.push(address.clone());
            }
        }
        all
    }

    fn set_owner(&self, tag: Tag, owner: Option<RedisAddress>) {
        let mut owners = self.owners.lock().unwrap_or_else(PoisonError::into_inner);
        match owner {
            Some(owner) => owners.insert(tag, owner),
            None => owners.remove(&tag),
        };
    }

    fn server_or_new(&self, address: &RedisAddress) -> Arc<Server> {
        let mut servers = self.servers.lock().unwrap_or_else(PoisonError::into_inner);
        let cached_server = servers.get(address).cloned();
        cached_server.unwrap_or_else(|| {
            let server = Arc::new(Server::new(address.clone(), Arc::clone(&self.dialling)));
            servers.insert(address.clone(), Arc::clone(&server));
            server
        })
    }
}

/// The node that a refusal names: `MOVED 3999 10.0.0.2:6379`. Without a host, it is that of the node that refuses.
fn redirect_address(failure: &Failure, by: &RedisAddress) -> Option<RedisAddress> {
    let Failure::Refused { code, detail } = failure else { return None };
    if code != "MOVED" {
        return None;
    }
    let (host, port) = detail.split_whitespace().last()?.rsplit_once(':')?;
    RedisAddress::from_host_and_port(if host.is_empty() { &by.host } else { host }, port)
}

const MOST_ASKED: usize = 8;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_that_names_another_node_is_followed_and_any_other_is_not() {
        let by = RedisAddress::new("10.0.0.1", 6379);
        let to = |code: &str, detail: &str| {
            let failure = Failure::Refused { code: code.to_owned(), detail: detail.to_owned() };
            redirect_address(&failure, &by).map(|address| address.to_string())
        };
        assert_eq!(to("MOVED", "3999 10.0.0.2:6380").unwrap(), "10.0.0.2:6380");
        assert_eq!(to("MOVED", "3999 :6381").unwrap(), "10.0.0.1:6381");
        assert_eq!(to("MOVED", "3999 ::1:6381").unwrap(), "[::1]:6381");
        assert_eq!(to("MOVED", "3999 node-2.internal:1").unwrap(), "node-2.internal:1");
        for (code, detail) in [("ASK", "3999 10.0.0.2:6380"), ("MOVED", ""), ("MOVED", "1 a:b")] {
            assert_eq!(to(code, detail), None);
        }
    }
}
