//! Tests of the driver on a real server, which `tests/interop/databases` starts.

mod cancel;
mod catalog;
mod connect;
mod hostile;
mod login;
mod own_login;
mod ratios;
mod run;
mod tokens;
mod values;

use std::{sync::Arc, time::Duration};

use callgate_secret::Secret;
use callgate_testkit::{PostgresDatabase, PostgresServer};
use callgate_transport::{CaCertificates, TlsSettings};
use tokio::time::Instant;

use super::*;
use crate::{
    settings::DatabaseLimits,
    tests::steps::{connecting, one, read, rows, soon, step, value, write},
    transaction::{Expects, Step},
};

async fn connect(database: &PostgresDatabase, login: &str) -> Postgres {
    Postgres::connect(&connecting(&database.url(login))).await.unwrap()
}
