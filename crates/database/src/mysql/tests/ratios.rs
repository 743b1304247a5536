//! The time of a transaction of a tool, compared with a plain prepared query and with the statements of the transaction. All of
//! them are commands of one client, so that one flight has no more to compare than the pool and the checks around it.

use super::{
    client::{Beyond, BoundValue, Control, PreparedStatement, RowFormat},
    connection::Connection,
    *,
};
use crate::{
    pool::Dial as _,
    tests::ratios::{Bars, Way, Ways, check},
    transaction::Rows,
};

const GET: &str = "select cast(no as char), owner, left(cast(total as char), 8193), left(note, 8193) from orders \
    where owner = ? and no = ? limit 2";
const LIST: &str = "select cast(no as char), owner, left(cast(total as char), 8193), left(note, 8193) from orders \
    where owner = ? and no > ? order by no limit 51";

/// One query in all ways.
struct Queries {
    bare: Connection,
    prepared: Arc<PreparedStatement>,
    mysql: Mysql,
    text: &'static str,
    most: u32,
}

impl Queries {
    async fn new(connecting: &Connecting, text: &'static str, most: u32) -> Self {
        let mysql = Mysql::connect(connecting).await.unwrap();
        let mut bare = Dialling::new(connecting).unwrap().open().await.unwrap();
        bare.meter.reset_allowance(bare.allowance);
        bare.prepare_missing(&[&Arc::from(text)]).await.unwrap();
        let prepared = bare.prepared_statement(text).unwrap();
        Self { bare, prepared, mysql, text, most }
    }

    fn query(&mut self, no: &str) {
        let values = [BoundValue::Text(Some("ann")), BoundValue::Text(Some(no))];
        self.bare.client.write_execute(&self.prepared, &values);
    }

    async fn send(&mut self) {
        self.bare.client.send().await.unwrap();
    }

    async fn done(&mut self) {
        self.bare.client.read_ok().await.unwrap();
    }

    async fn reply(&mut self) -> Rows {
        let reply = self.bare.client.read_reply(RowFormat::Binary, usize::MAX, Beyond::Count);
        reply.await.unwrap().rows
    }
}

impl Ways for Queries {
    async fn rows(&mut self, way: Way, no: &str) -> Rows {
        self.bare.meter.reset_allowance(self.bare.allowance);
        match way {
            Way::Plain => {
                self.query(no);
                self.send().await;
                self.reply().await
            }
            Way::Flight => {
                self.bare.client.write_control(Control::BeginRead);
                self.query(no);
                self.bare.client.write_control(Control::Rollback);
                self.send().await;
                self.done().await;
                let rows = self.reply().await;
                self.done().await;
                rows
            }
            Way::Steps => {
                self.bare.client.write_control(Control::BeginRead);
                self.send().await;
                self.done().await;
                self.query(no);
                self.send().await;
                let rows = self.reply().await;
                self.bare.client.write_control(Control::Rollback);
                self.send().await;
                self.done().await;
                rows
            }
            Way::Tool => {
                let step = step(self.text, &["ann", no], Expects::Rows { most: self.most });
                self.mysql.run(read([step]), soon()).await.unwrap().remove(0).rows.to_texts()
            }
        }
    }
}

#[tokio::test]
async fn a_transaction_takes_little_more_than_its_statements_in_one_flight() {
    let Some(server) = MariadbServer::of_machine() else { return };
    let database = server.database(
        "m_ratios",
        "create table orders (no bigint primary key, owner varchar(40), total decimal(20, 4), note varchar(200));
         insert into orders select seq, 'ann', seq * 1.5, repeat('x', 40) from seq_1_to_10000;
         analyze table orders",
    );
    let login = database.login("a");
    database.run(&format!("grant select on orders to {login}"));
    let connecting = Connecting { is_read_only: true, ..connecting(&database.url(&login)) };
    // There are three steps only, and one of them takes most of the time.
    for (text, name, most, plain) in
        [(GET, "MariaDB, get", 2, 1.8), (LIST, "MariaDB, list of 50", 51, 1.5)]
    {
        let mut ways = Queries::new(&connecting, text, most).await;
        check(name, &mut ways, Bars { plain, flight: 1.5, steps: 1.0 }).await;
    }
}
