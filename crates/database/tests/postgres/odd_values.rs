//! Values that a database could take for others.

use callgate_testkit::PostgresServer;

use crate::{
    calls::{Tools, loaded_in},
    odd,
};

#[tokio::test]
async fn no_odd_value_gives_a_row_of_another() {
    let Some(server) = PostgresServer::of_machine() else { return };
    let database = server.database("odd_values", odd::TABLES);
    let login = database.login("tools");
    database.run(&format!(
        "grant select, insert, update (mark), delete on notes, accounts to {login}; grant select, insert, update (mark), delete on names to {login}"
    ));
    let mut settings = odd::settings(&database.url(&login));
    for entity in &mut settings.entities {
        entity.input_fields =
            [(callgate_database::Operation::Update, vec!["mark".to_owned()])].into();
    }
    settings.entities[2].input_fields = [].into();
    let loaded = loaded_in(std::path::Path::new("."), settings).await;
    odd::no_row_of_another(&Tools::of(loaded, None)).await;
    assert_eq!(database.run("select string_agg(mark, ' ' order by no) from notes"), "ann bob 0 7");
    assert_eq!(database.run("select string_agg(mark, ' ' order by no) from accounts"), "0 7 8");
    assert_eq!(database.run("select count(*) from names"), "4");
}
