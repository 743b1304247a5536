//! Tests of the ways to connect and to sign in.

use super::*;
use crate::error::ErrorKind;

async fn version(connecting: &Connecting) -> Result<(), Error> {
    let mysql = Mysql::connect(connecting).await?;
    let transaction = read([rows("select version()", &[])]);
    let came = mysql.run(transaction, soon()).await.unwrap();
    assert!(value(&came).contains("MariaDB"));
    Ok(())
}

#[tokio::test]
async fn a_server_is_reached_by_its_port_its_socket_and_over_tls() {
    let Some(server) = MariadbServer::of_machine() else { return };
    let database = server.database("m_connect", "");
    let login = database.login("a");
    database.run(&format!("grant select on m_connect.* to {login}"));
    version(&connecting(&database.url(&login))).await.unwrap();
    let socket = server.socket().to_str().unwrap().replace('/', "%2F");
    let url = format!("mariadb://{login}:secret@/m_connect?socket={socket}");
    version(&connecting(&url)).await.unwrap();
    // No other connection is taken for this account.
    database.run(&format!("alter user {login} require ssl"));
    let refused = version(&connecting(&database.url(&login))).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Denied);
    let port = server.port();
    let url = format!("mysql://{login}:secret@localhost:{port}/m_connect?ssl-mode=VERIFY_IDENTITY");
    let trusting =
        TlsSettings::new().trust_only_ca(CaCertificates::read(&server.authority()).unwrap());
    version(&Connecting { tls: trusting.clone(), ..connecting(&url) }).await.unwrap();
    // The machine does not know the authority, and the certificate is for another name.
    let unknown = version(&connecting(&url)).await.unwrap_err();
    assert_eq!(unknown.kind(), ErrorKind::Unavailable);
    let url = url.replace("localhost", "127.0.0.1");
    let unnamed = version(&Connecting { tls: trusting, ..connecting(&url) }).await.unwrap_err();
    assert_eq!(unnamed.kind(), ErrorKind::Unavailable);
}

#[tokio::test]
async fn a_wrong_login_is_refused_without_its_password_in_the_error() {
    let Some(server) = MariadbServer::of_machine() else { return };
    let database = server.database("m_refused", "");
    let login = database.login("a");
    for url in [
        database.url(&login).replace(":secret", ":s3cr3t"),
        database.url(&login).replace(":secret", ""),
        database.url("m_nobody"),
        format!("mysql://{login}:secret@127.0.0.1:{}/m_nothing", server.port()),
    ] {
        let refused = version(&connecting(&url)).await.unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::Denied, "{url}");
        assert!(!format!("{refused:?}").contains("s3cr3t"), "{refused:?}");
    }
    let closed = connecting("mysql://a:b@127.0.0.1:1/d");
    assert_eq!(version(&closed).await.unwrap_err().kind(), ErrorKind::Unavailable);
}

#[tokio::test]
async fn a_connection_that_the_server_closed_is_replaced() {
    let Some(server) = MariadbServer::of_machine() else { return };
    let database = server.database("m_closed", "create table t (n int)");
    let login = database.login("a");
    database.run(&format!("grant select, insert on m_closed.t to {login}"));
    let mysql = connect(&database, &login).await;
    let id = read([rows("select connection_id()", &[])]);
    let before = value(&mysql.run(id.clone(), soon()).await.unwrap()).to_owned();
    database.run(&format!("kill {before}"));
    let insert = write([one("insert into m_closed.t values (1)", &[])]);
    mysql.run(insert, soon()).await.unwrap();
    assert_ne!(value(&mysql.run(id, soon()).await.unwrap()), before);
    assert_eq!(database.run("select count(*) from t"), "1");
}
