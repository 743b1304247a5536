//! Random values that calls write and read on PostgreSQL.

use callgate_testkit::PostgresServer;

use crate::{
    calls::{Tools, loaded_in, settings_at},
    written_values_of_engines::{Words, check, script, with_tools},
};

#[tokio::test]
async fn every_random_value_is_read_as_it_was_written_and_as_the_server_writes_it() {
    let Some(server) = PostgresServer::of_machine() else { return };
    let database = server.database("written_values", &script());
    let login = database.login("tools");
    let columns = "no, c0, c1, c2, c3, c4, c5, c6, c7";
    database.run(&format!("grant select, insert ({columns}) on written to {login}"));
    let settings = with_tools(settings_at(&database.url(&login), Vec::new()));
    let tools = Tools::of(loaded_in(".".as_ref(), settings).await, None);
    let words = Words {
        digits: "upper(encode(convert_to(@::text, 'UTF8'), 'hex'))",
        truths: ["false", "true"],
    };
    check(&tools, words, |sql| database.run(sql)).await;
}
