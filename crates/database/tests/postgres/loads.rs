//! Loads: how long they take, which connections they take over, and passwords that were rotated.

use std::sync::Arc;

use callgate_database::{DatabaseSettings, Renewal, Resources, Surroundings, load_with};
use callgate_secret::{MemoryStore, Secret, SecretReference, SecretStore};
use callgate_testkit::{PostgresDatabase, PostgresServer};
use callgate_tool::json;
use callgate_transport::{Network, TlsSettings};

use crate::{
    calls::{Tools, user},
    many,
    shop::{loaded, settings},
};

/// A thousand tables of ten columns, each with a key, an index and a reference to the one before.
#[tokio::test]
async fn a_thousand_tables_load_in_two_seconds_and_are_found_by_search() {
    let Some(server) = PostgresServer::of_machine() else { return };
    let database = server.database(
        "loads_many",
        "do $$ begin for n in 1..1000 loop execute format('create table t%s (no int primary key, other int references t%s,
            a text, b text, c numeric, d date, e bool, f jsonb, g uuid, h int)', n, greatest(n - 1, 1)); end loop; end $$;
         comment on table t500 is 'Lighthouse keepers and their shifts'",
    );
    let login = database.login("tools");
    database.run(&format!(
        "grant select, insert, update (a, b), delete on all tables in schema public to {login}"
    ));
    let settings = many::settings(&database.url(&login));
    let tools = many::load("PostgreSQL", settings).await;
    let result = tools.call("shop-t500-list", json!({}), &user("ann")).await;
    assert_eq!(result["rows"], json!([]));
}

fn around(network: &Network) -> Surroundings {
    Surroundings {
        network: network.clone(),
        tls: TlsSettings::new(),
        base: ".".into(),
        sealer: None,
    }
}

/// The processes of the server that serve a login.
fn backends(database: &PostgresDatabase) -> String {
    database.run("select string_agg(pid::text, ' ' order by pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()")
}

#[tokio::test]
async fn a_load_takes_over_the_connections_of_the_one_before_if_nothing_about_them_changed() {
    let Some((database, first)) = loaded("loads_again", settings()).await else { return };
    let url = Secret::new(database.url(&format!("{}_tools", database.name)));
    let settings = DatabaseSettings { url, ..settings() };
    let network = Network::new();
    drop(first);
    let first = load_with(settings.clone(), around(&network), Resources::default()).await;
    let before = backends(&database);
    let resources = || Resources { earlier: first.connections.clone(), ..Resources::default() };
    let second = load_with(settings.clone(), around(&network), resources()).await;
    assert_eq!(second.tools.len(), first.tools.len());
    assert_eq!(backends(&database), before);
    let other = load_with(settings, around(&Network::new()), resources()).await;
    assert_eq!(other.tools.len(), first.tools.len());
    assert_ne!(backends(&database), before);
}

#[tokio::test]
async fn a_rotated_password_is_read_again_when_the_server_refuses_the_login() {
    let Some((database, _)) = loaded("loads_rotated", settings()).await else { return };
    let login = format!("{}_tools", database.name);
    let url = |password: &str| {
        Secret::new(database.url(&login).replace(":secret@", &format!(":{password}@")))
    };
    let reference: SecretReference = "env:SHOP_DATABASE".parse().unwrap();
    let store = |password: &str| {
        Arc::new(MemoryStore::new().with(&reference, url(password))) as Arc<dyn SecretStore>
    };
    database.run(&format!("alter role {login} password 'second'"));
    let settings = DatabaseSettings { url: url("secret"), ..settings() };
    let network = Network::new();
    let load = async |password: &str| {
        let renewal = Some(Renewal { store: store(password), reference: reference.clone() });
        load_with(settings.clone(), around(&network), Resources { renewal, ..Resources::default() })
            .await
    };
    let refused = load("secret").await;
    assert!(refused.tools.is_empty() && refused.findings[0].code == "database-address");
    let renewed = load("second").await;
    let tools = Tools::of(renewed, None);
    tools.call("shop-orders-list", json!({}), &user("ann")).await;
    // While it serves, too: the server ends the connections, and knows the new password alone.
    database.run(&format!(
        "alter role {login} password 'third'; select pg_terminate_backend(pid) from pg_stat_activity where usename = '{login}'"
    ));
    let fault = tools.fault("shop-orders-list", json!({}), &user("ann")).await;
    assert_eq!(fault.code.as_str(), "unreachable");
    database.run(&format!("alter role {login} password 'second'"));
    tools.call("shop-orders-list", json!({}), &user("ann")).await;
}
