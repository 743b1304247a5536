//! Tests of the driver on real files.

mod attacks;
mod catalog;
mod joins;
mod limits;
mod locks;
mod shares;
mod transactions;

use std::{path::PathBuf, sync::Arc, time::Duration};

use callgate_secret::Secret;
use callgate_transport::{Network, TlsSettings};
use tempfile::TempDir;
use tokio::time::Instant;

use super::Sqlite;
use crate::{
    endpoint::Connecting,
    login::{Needs, TableNeeds},
    settings::{DatabaseLimits, TableName},
    transaction::{Access, Expects, Failure, Step, StepResult, Transaction},
};

/// A file with a schema, in a folder that ends with the test.
struct Shop {
    folder: TempDir,
}

impl Shop {
    fn new(schema: &str) -> Self {
        let shop = Self { folder: tempfile::tempdir().unwrap() };
        shop.batch(schema);
        shop
    }

    fn orders() -> Self {
        Self::new(ORDERS)
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("shop.db")
    }

    /// A connection of another program.
    fn other(&self) -> rusqlite::Connection {
        rusqlite::Connection::open(self.file()).unwrap()
    }

    fn batch(&self, text: &str) {
        self.other().execute_batch(text).unwrap();
    }

    fn text(&self, query: &str) -> String {
        let value =
            self.other().query_row(query, [], |row| row.get::<_, rusqlite::types::Value>(0));
        match value.unwrap() {
            rusqlite::types::Value::Text(text) => text,
            rusqlite::types::Value::Integer(number) => number.to_string(),
            other => format!("{other:?}"),
        }
    }

    fn settings(&self) -> Connecting {
        Connecting {
            url: Secret::new("sqlite:shop.db".to_owned()),
            base: self.folder.path().to_owned(),
            limits: DatabaseLimits::default(),
            is_read_only: false,
            network: Network::new(),
            tls: TlsSettings::new(),
        }
    }

    async fn connect(&self) -> Sqlite {
        self.connect_with(|_| {}).await
    }

    async fn connect_with(&self, change: impl FnOnce(&mut Connecting)) -> Sqlite {
        let mut settings = self.settings();
        change(&mut settings);
        Sqlite::connect(&settings).await.unwrap()
    }

    /// A driver whose rights are those for orders.
    async fn with_orders(&self) -> Sqlite {
        let driver = self.connect().await;
        driver.read_tables(&[name("orders")]).await.unwrap();
        driver.check_login(&orders_needs()).await.unwrap();
        driver
    }
}

fn name(table: &str) -> TableName {
    TableName { schema: None, name: table.to_owned() }
}

fn orders_needs() -> Needs {
    let columns = ["no", "owner", "total", "note"].map(str::to_owned);
    let needs = TableNeeds {
        selects: columns.clone().into(),
        inserts: columns.clone().into(),
        updates: columns.into(),
        deletes: true,
    };
    Needs { tables: [(name("orders"), needs)].into(), ..Needs::default() }
}

fn step(text: &str, values: &[Option<&str>], expects: Expects) -> Step {
    let values = values.iter().map(|value| value.map(str::to_owned)).collect();
    Step { text: Arc::from(text), values, expects }
}

fn rows(text: &str) -> Step {
    step(text, &[], Expects::Rows { most: 100 })
}

fn affected(text: &str, most: u64) -> Step {
    step(text, &[], Expects::Affected { most, some: true })
}

async fn run(
    driver: &Sqlite,
    access: Access,
    steps: Vec<Step>,
) -> Result<Vec<StepResult>, Failure> {
    run_within(driver, access, steps, Duration::from_secs(10)).await
}

async fn run_within(
    driver: &Sqlite,
    access: Access,
    steps: Vec<Step>,
    time: Duration,
) -> Result<Vec<StepResult>, Failure> {
    let transaction = Transaction {
        principal: "".into(),
        access,
        identity: Vec::new(),
        role: None,
        steps,
        lock_time: Duration::from_millis(100),
        stands_alone: false,
    };
    driver.run(transaction, Instant::now() + time).await
}

async fn read(driver: &Sqlite, text: &str) -> Result<Vec<Vec<Option<String>>>, Failure> {
    let came = run(driver, Access::Read, vec![rows(text)]).await?;
    Ok(came.into_iter().next().unwrap().rows.to_texts())
}

async fn write(driver: &Sqlite, text: &str) -> Result<u64, Failure> {
    let came = run(driver, Access::Write, vec![affected(text, 1)]).await?;
    Ok(came[0].affected)
}

fn texts(rows: &[&[&str]]) -> Vec<Vec<Option<String>>> {
    let text = |text: &&str| Some((*text).to_owned());
    rows.iter().map(|row| row.iter().map(text).collect()).collect()
}

const ORDERS: &str = "
    create table orders (
        no integer primary key,
        owner text not null,
        total numeric(10,2) constraint not_negative check (total >= 0),
        note text unique
    );
    insert into orders values (1, 'ann', 10, 'first'), (2, 'bob', 20, 'second'), (3, 'ann', 30, null);
    create table secrets (word text);
    insert into secrets values ('hunter2');
";
