//! Tests of addresses, logins, TLS and the settings of connections.

use callgate_testkit::rounds;

use super::*;

async fn refused(connecting: &Connecting) -> Error {
    let error = Postgres::connect(connecting).await.unwrap_err();
    assert!(!format!("{error:?}").contains("secret"), "{error:?}");
    error
}

#[tokio::test]
async fn a_connection_over_tls_is_bound_to_the_certificate_of_the_server() {
    let Some(server) = PostgresServer::of_machine() else { return };
    let database = server.database("c_tls", "");
    let login = database.login("a");
    let url = database.url(&login).replace("127.0.0.1", "localhost");
    let url = format!("{url}?sslmode=verify-full&channel_binding=require");
    let ca = CaCertificates::read(&server.authority()).unwrap();
    let trusting = Connecting { tls: TlsSettings::new().trust_only_ca(ca), ..connecting(&url) };
    let postgres = Postgres::connect(&trusting).await.unwrap();
    let came = postgres
        .run(
            read([rows("select ssl::text from pg_stat_ssl where pid = pg_backend_pid()", &[])]),
            soon(),
        )
        .await;
    assert_eq!(value(&came.unwrap()), "true");
    // The machine does not trust the authority of the tests, and the certificate is for another name.
    let error = refused(&connecting(&url)).await;
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    let other = Connecting { url: Secret::new(url.replace("localhost", "127.0.0.1")), ..trusting };
    assert_eq!(refused(&other).await.kind(), ErrorKind::Unavailable);
}

#[tokio::test]
async fn a_wrong_password_and_a_wrong_database_are_refused() {
    let Some(server) = PostgresServer::of_machine() else { return };
    let database = server.database("c_wrong", "");
    let login = database.login("a");
    let url = database.url(&login);
    for (url, kind) in [
        (url.replace(":secret", ":other-secret"), ErrorKind::Denied),
        (url.replace("/c_wrong", "/c_nowhere"), ErrorKind::Denied),
        (url.replace(&server.port().to_string(), "1"), ErrorKind::Unavailable),
    ] {
        assert_eq!(refused(&connecting(&url)).await.kind(), kind, "{url}");
    }
}

#[tokio::test]
async fn a_unix_socket_is_an_address() {
    let Some(server) = PostgresServer::of_machine() else { return };
    let folder = server.socket();
    let url =
        format!("postgres://postgres@/postgres?host={}&port={}", folder.display(), server.port());
    let postgres = Postgres::connect(&connecting(&url)).await.unwrap();
    let came = postgres.run(read([rows("select current_user::text", &[])]), soon()).await;
    assert_eq!(value(&came.unwrap()), "postgres");
}

#[tokio::test]
async fn the_settings_of_a_connection_precede_those_of_the_login() {
    let Some(server) = PostgresServer::of_machine() else { return };
    let database = server.database("c_settings", "");
    let login = database.login("a");
    database.run(&format!(
        "alter role {login} set search_path = public; alter role {login} set timezone = 'Asia/Tokyo';
         alter role {login} set default_transaction_read_only = off; alter role {login} set row_security = off"
    ));
    let postgres = connect(&database, &login).await;
    let shown = "select concat_ws('|', current_setting('search_path'), current_setting('timezone'),
        current_setting('default_transaction_read_only'), current_setting('row_security'))";
    let came = postgres.run(read([rows(shown, &[])]), soon()).await.unwrap();
    assert_eq!(value(&came), "pg_catalog,pg_temp|UTC|on|on");
}

#[tokio::test]
async fn a_call_waits_for_a_connection_until_its_deadline() {
    let Some(server) = PostgresServer::of_machine() else { return };
    let database = server.database("c_pool", "");
    let login = database.login("a");
    let postgres = connect(&database, &login).await;
    let slow = || postgres.run(read([rows("select pg_sleep(1)::text", &[])]), soon());
    let third =
        postgres.run(read([rows("select '1'", &[])]), Instant::now() + Duration::from_millis(300));
    let (one, two, three) = tokio::join!(slow(), slow(), third);
    assert!(one.is_ok() && two.is_ok());
    assert_eq!(three.unwrap_err(), Failure::Busy);
}

#[tokio::test]
async fn a_connection_that_the_server_closed_is_replaced() {
    let Some(server) = PostgresServer::of_machine() else { return };
    let database = server.database("c_closed", "create table public.t (n int)");
    let login = database.login("a");
    database.run(&format!("grant insert on public.t to {login}"));
    let postgres = connect(&database, &login).await;
    let n_rounds = rounds(20, 4);
    for _ in 0..n_rounds {
        database.run("select pg_terminate_backend(pid) from pg_stat_activity where datname = 'c_closed' and pid <> pg_backend_pid()");
        postgres.run(read([rows("select '1'", &[])]), soon()).await.unwrap();
        database.run("select pg_terminate_backend(pid) from pg_stat_activity where datname = 'c_closed' and pid <> pg_backend_pid()");
        postgres
            .run(write([one("insert into public.t values ($1::int)", &["1"])]), soon())
            .await
            .unwrap();
    }
    assert_eq!(database.run("select count(*) from t"), n_rounds.to_string());
}

#[tokio::test]
async fn a_pooler_that_drops_the_settings_of_a_connection_is_refused_with_the_reason() {
    let Some(server) = PostgresServer::of_machine() else { return };
    let database = server.database("c_pooler", "");
    let login = database.login("a");
    for port in server.poolers() {
        let url = database.url(&login).replace(&server.port().to_string(), &port.to_string());
        let error = refused(&connecting(&url)).await;
        assert_eq!(error.kind(), ErrorKind::Denied);
        assert!(error.to_string().starts_with("a pooler such as PgBouncer"), "{error}");
    }
}

/// The address itself may ask for a password in the clear: over TLS, or on this machine.
#[tokio::test]
async fn older_ways_to_sign_in_work_on_this_machine() {
    let Some(server) = PostgresServer::of_machine() else { return };
    let database = server.database(
        "c_old",
        "create role plain login password 'secret';
        set password_encryption = md5; create role md5 login password 'secret'",
    );
    for login in ["plain", "md5"] {
        let postgres = connect(&database, login).await;
        let came = postgres.run(read([rows("select current_user", &[])]), soon()).await;
        assert_eq!(value(&came.unwrap()), login);
    }
}
