//! Tests of the findings about logins: each is mended by its remedy.

use super::*;
use crate::{
    login::{StatementWords, TableNeeds},
    tests::logins::{self, names, remedy},
};

const SCRIPT: &str = "create table orders (no int auto_increment primary key, owner varchar(9), total int, note text);
    create table secrets (n int);
    create table log (n int) engine = myisam;
    create table items (no int, order_no int, foreign key (order_no) references orders (no));
    create function rich() returns int return 1;
    create procedure all_of() select 1;";

fn needs(database: &MariadbDatabase) -> Needs {
    logins::needs(&database.name)
}

const GRANTS: &str =
    "grant select (no, owner, total), insert (owner, total), update (total), delete on orders to L";

fn shop(name: &str) -> Option<(MariadbDatabase, String)> {
    let database = MariadbServer::of_machine()?.database(name, SCRIPT);
    let login = database.login("a");
    let shop = (database, login);
    shop.0.run(&of(&shop, GRANTS));
    Some(shop)
}

/// The text with the names of this test: `L` its login, `D` its database.
fn of((database, login): &(MariadbDatabase, String), text: &str) -> String {
    let account = format!("`{login}`@`%`");
    let text =
        text.replace("L_", &format!("{login}_")).replace("D.", &format!("{}.", database.name));
    let text = text.replace("`D`", &format!("`{}`", database.name));
    let words = text.split(' ').map(|word| match word {
        "L" => account.clone(),
        "L;" => format!("{account};"),
        other => other.to_owned(),
    });
    words.collect::<Vec<_>>().join(" ")
}

/// The findings as lines: the grade, the name, the remedy.
async fn lines((database, login): &(MariadbDatabase, String), needs: &Needs) -> Vec<String> {
    let mysql = connect(database, login).await;
    logins::lines(&mysql.check_login(needs).await.unwrap())
}

/// Runs the remedies of all findings, as lines name them.
fn mend(database: &MariadbDatabase, lines: &[String]) {
    for line in lines {
        database.run(remedy(line));
    }
}

#[tokio::test]
async fn a_login_with_exactly_what_its_tools_need_has_no_finding() {
    let Some(shop) = shop("m_exact") else { return };
    assert_eq!(lines(&shop, &needs(&shop.0)).await, [""; 0]);
}

/// Rights that make a login too mighty, and the findings about them.
const MIGHTY: &str = "
    grant file on *.* to L => Dangerous file:*.* REVOKE FILE ON *.* FROM L
    grant super on *.* to L => Dangerous super:*.* REVOKE SUPER ON *.* FROM L
    grant process on *.* to L => Dangerous process:*.* REVOKE PROCESS ON *.* FROM L
    grant reload on *.* to L => Dangerous reload:*.* REVOKE RELOAD ON *.* FROM L
    grant shutdown on *.* to L => Dangerous shutdown:*.* REVOKE SHUTDOWN ON *.* FROM L
    grant create user on *.* to L => Dangerous create-user:*.* REVOKE CREATE USER ON *.* FROM L
    grant connection admin on *.* to L => Dangerous connection-admin:*.* REVOKE CONNECTION ADMIN ON *.* FROM L
    grant select on *.* to L => Dangerous select:*.* REVOKE SELECT ON *.* FROM L; GRANT SELECT (`no`, `owner`, `total`) ON `D`.`orders` TO L
    grant select on mysql.user to L => Dangerous select:mysql.user REVOKE SELECT ON `mysql`.`user` FROM L
    grant all privileges on D.* to L => Dangerous all-privileges:D.* REVOKE ALL PRIVILEGES ON `D`.* FROM L; GRANT SELECT (`no`, `owner`, `total`), INSERT (`owner`, `total`), UPDATE (`total`), DELETE ON `D`.`orders` TO L
    grant usage on D.* to L with grant option => Dangerous grant-option:D.* REVOKE GRANT OPTION ON `D`.* FROM L
    grant create routine on D.* to L => Dangerous create-routine:D.* REVOKE CREATE ROUTINE ON `D`.* FROM L
    grant execute on D.* to L => Dangerous execute:D.* REVOKE EXECUTE ON `D`.* FROM L
    grant event on D.* to L => Dangerous event:D.* REVOKE EVENT ON `D`.* FROM L
    grant drop on D.orders to L => Dangerous drop:D.orders REVOKE DROP ON `D`.`orders` FROM L
    grant alter on D.* to L => Dangerous alter:D.* REVOKE ALTER ON `D`.* FROM L
    grant trigger on D.orders to L => Dangerous trigger:D.orders REVOKE TRIGGER ON `D`.`orders` FROM L
    grant insert on D.* to L => Dangerous insert:D.* REVOKE INSERT ON `D`.* FROM L; GRANT INSERT (`owner`, `total`) ON `D`.`orders` TO L
    grant insert on D.secrets to L => Dangerous insert:D.secrets REVOKE INSERT ON `D`.`secrets` FROM L
    grant delete on D.secrets to L => Dangerous delete:D.secrets REVOKE DELETE ON `D`.`secrets` FROM L
    grant update (n) on D.secrets to L => Dangerous update:D.secrets REVOKE UPDATE (`n`) ON `D`.`secrets` FROM L
    grant update on D.orders to L => Dangerous update:D.orders REVOKE UPDATE ON `D`.`orders` FROM L; GRANT UPDATE (`total`) ON `D`.`orders` TO L
    grant insert (note) on D.orders to L => Dangerous insert:D.orders REVOKE INSERT (`note`) ON `D`.`orders` FROM L
    grant update on D.secrets to public => Dangerous update:D.secrets REVOKE UPDATE ON `D`.`secrets` FROM PUBLIC
    create role L_boss; grant delete on D.secrets to L_boss; create role L_group; grant L_boss to L_group; grant L_group to L => Dangerous delete:D.secrets REVOKE DELETE ON `D`.`secrets` FROM `L_boss`
    create role L_friend; grant L_friend to L with admin option => Dangerous grant-option:L_friend REVOKE ADMIN OPTION FOR `L_friend` FROM L
    grant execute on function D.rich to L => Unused execute:function:D.rich REVOKE EXECUTE ON FUNCTION `D`.`rich` FROM L
    grant create temporary tables on D.* to L => Unused create-temporary-tables:D.* REVOKE CREATE TEMPORARY TABLES ON `D`.* FROM L
    grant lock tables on D.* to L => Unused lock-tables:D.* REVOKE LOCK TABLES ON `D`.* FROM L
    grant references on D.orders to L => Unused references:D.orders REVOKE REFERENCES ON `D`.`orders` FROM L
    ";

#[tokio::test]
async fn each_right_beyond_the_tools_is_found_and_its_remedy_takes_it_away() {
    let Some(shop) = shop("m_mighty") else { return };
    for [grant, expected] in callgate_testkit::rows(MIGHTY) {
        shop.0.run(&of(&shop, grant));
        let found = lines(&shop, &needs(&shop.0)).await;
        let expected = of(&shop, expected);
        assert!(found.contains(&expected), "{grant}: {expected}: {found:#?}");
        mend(&shop.0, &found);
        assert_eq!(lines(&shop, &needs(&shop.0)).await, [""; 0], "{grant}");
    }
}

#[tokio::test]
async fn a_right_that_is_allowed_by_name_is_no_finding_unless_it_is_dangerous() {
    let Some(shop) = shop("m_allowed") else { return };
    shop.0.run(&of(
        &shop,
        "grant lock tables on D.* to L; grant drop on D.orders to L; grant show view on D.* to L",
    ));
    let allowed = names(&["lock-tables:m_allowed.*", "drop:m_allowed.orders"]);
    let found = lines(&shop, &Needs { allowed, ..needs(&shop.0) }).await;
    assert_eq!(found, [of(&shop, "Dangerous drop:D.orders REVOKE DROP ON `D`.`orders` FROM L")]);
    shop.0.run(&of(&shop, "revoke drop on D.orders from L; revoke lock tables on D.* from L; grant update on D.secrets to L"));
    // The functions that the operator's own statements call may need it.
    let own = |sql: &str| Needs { own_writes: vec![StatementWords::new(sql)], ..needs(&shop.0) };
    let found = lines(&shop, &own("delete from others")).await;
    assert!(found.len() == 1 && found[0].starts_with("Unused update:"), "{found:?}");
    let columns = shop.0.run("select group_concat(column_name) from information_schema.columns where table_schema = 'm_allowed' and table_name = 'secrets'");
    let sql = format!("update secrets set x = ({columns})");
    assert_eq!(lines(&shop, &own(&sql)).await, [""; 0]);
}

#[tokio::test]
async fn a_right_that_is_missing_is_granted_by_its_remedy() {
    let Some(shop) = shop("m_missing") else { return };
    shop.0.run(&of(
        &shop,
        "revoke all privileges, grant option from L; grant select (no) on orders to L",
    ));
    let found = lines(&shop, &needs(&shop.0)).await;
    let expected = [
        "Missing delete:D.orders GRANT DELETE ON `D`.`orders` TO L",
        "Missing insert:D.orders GRANT INSERT (`owner`, `total`) ON `D`.`orders` TO L",
        "Missing select:D.orders GRANT SELECT (`owner`, `total`) ON `D`.`orders` TO L",
        "Missing update:D.orders GRANT UPDATE (`total`) ON `D`.`orders` TO L",
    ];
    assert_eq!(found, expected.map(|line| of(&shop, line)));
    mend(&shop.0, &found);
    assert_eq!(lines(&shop, &needs(&shop.0)).await, [""; 0]);
}

#[tokio::test]
async fn a_table_without_transactions_is_not_written_and_hidden_foreign_keys_are_missed() {
    let Some(shop) = shop("m_engine") else { return };
    shop.0.run(&of(&shop, "grant select, insert on log to L; grant select (no, order_no), insert (no, order_no) on items to L"));
    let table = |name: &str| TableName { schema: Some(shop.0.name.clone()), name: name.to_owned() };
    let mut needs = needs(&shop.0);
    let inserts = |columns: &[&str]| TableNeeds {
        selects: names(columns),
        inserts: names(columns),
        ..TableNeeds::default()
    };
    needs.tables.insert(table("log"), inserts(&["n"]));
    needs.tables.insert(table("items"), inserts(&["no", "order_no"]));
    let found = lines(&shop, &needs).await;
    let expected = [
        "Dangerous engine:D.log ALTER TABLE `D`.`log` ENGINE = InnoDB",
        "Missing show-view:D.items GRANT SHOW VIEW ON `D`.`items` TO L",
    ];
    assert_eq!(found, expected.map(|line| of(&shop, line)));
    mend(&shop.0, &found);
    assert_eq!(lines(&shop, &needs).await, [""; 0]);
    let mysql = connect(&shop.0, &shop.1).await;
    let items =
        mysql.read_tables(&[table("items")]).await.unwrap().remove(&table("items")).unwrap();
    assert_eq!(items.foreign_keys[0].columns, ["order_no"]);
}

#[tokio::test]
async fn a_superuser_keeps_its_rights_and_gets_a_login_of_its_own_for_the_tools() {
    let Some(shop) = shop("m_superuser") else { return };
    shop.0.run(&of(&shop, "grant all privileges on *.* to L with grant option"));
    let found = lines(&shop, &needs(&shop.0)).await;
    let [finding] = &*found else { panic!("{found:?}") };
    let (_, statements) = finding.split_once(" make: ").unwrap();
    assert!(
        finding.starts_with("Dangerous superuser") && !statements.contains("REVOKE"),
        "{finding}"
    );
    shop.0.run(&statements.replace("callgate_agent", "m_superuser_own").replace('…', "secret"));
    let own = (shop.0.clone(), "m_superuser_own".to_owned());
    assert_eq!(lines(&own, &needs(&own.0)).await, [""; 0], "{statements}");
}
