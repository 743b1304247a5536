//! Tests of the driver on a real server, which `tests/interop/mariadb` starts.

mod cancel;
mod connect;
mod hostile;
mod limits;
mod login;
mod ratios;
mod run;

use std::{sync::Arc, time::Duration};

use callgate_testkit::{MariadbDatabase, MariadbServer};
use callgate_transport::{CaCertificates, TlsSettings};
use tokio::time::Instant;

use super::*;
use crate::{
    settings::DatabaseLimits,
    tests::steps::{connecting, one, read, rows, soon, step, value, write},
    transaction::{Expects, Step},
};

async fn connect(database: &MariadbDatabase, login: &str) -> Mysql {
    Mysql::connect(&connecting(&database.url(login))).await.unwrap()
}
