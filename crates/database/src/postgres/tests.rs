//! Tests of the driver on a real server, which `tests/interop/databases` starts.

mod cancel;
mod catalog;
mod connect;
mod hostile;
mod login;
mod ratios;
mod run;
mod values;

use std::{sync::Arc, time::Duration};

use callgate_secret::Secret;
use callgate_testkit::{PostgresDatabase, PostgresServer};
use callgate_transport::{CaCertificates, Network, TlsSettings};
use tokio::time::Instant;

use super::*;
use crate::{
    settings::DatabaseLimits,
    transaction::{Expects, Step},
};

fn connecting(url: &str) -> Connecting {
    Connecting {
        url: Secret::new(url.to_owned()),
        base: ".".into(),
        limits: DatabaseLimits { connections: 2, ..DatabaseLimits::default() },
        is_read_only: false,
        network: Network::new(),
        tls: TlsSettings::new(),
    }
}

async fn connect(database: &PostgresDatabase, login: &str) -> Postgres {
    Postgres::connect(&connecting(&database.url(login))).await.unwrap()
}

fn soon() -> Instant {
    Instant::now() + Duration::from_secs(10)
}

fn step(text: &str, values: &[&str], expects: Expects) -> Step {
    let values = values.iter().map(|value| Some((*value).to_owned())).collect();
    Step { text: Arc::from(text), values, expects }
}

fn rows(text: &str, values: &[&str]) -> Step {
    step(text, values, Expects::Rows { most: 50 })
}

fn one(text: &str, values: &[&str]) -> Step {
    step(text, values, Expects::Affected { most: 1, some: true })
}

fn read(steps: impl IntoIterator<Item = Step>) -> Transaction {
    Transaction {
        access: Access::Read,
        identity: Vec::new(),
        role: None,
        steps: steps.into_iter().collect(),
        lock_time: Duration::from_millis(200),
    }
}

fn write(steps: impl IntoIterator<Item = Step>) -> Transaction {
    Transaction { access: Access::Write, ..read(steps) }
}

/// The only value of the only row of the last step.
fn value(came: &[Came]) -> &str {
    came.last().unwrap().rows[0][0].as_deref().unwrap()
}
