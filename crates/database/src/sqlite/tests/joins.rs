//! Joins by `USING` and `NATURAL`, of whose columns the engine's authorizer hears nothing.

use proptest::{prelude::*, strategy::ValueTree as _, test_runner::TestRunner};

use super::{Shop, name, read};
use crate::{
    login::{Needs, TableNeeds},
    sqlite::Sqlite,
};

/// Tables that share columns, some of them withheld, with one withheld value or the other.
fn shop(withheld: i64) -> Shop {
    Shop::new(&format!(
        "create table people (id integer primary key, name text, pay int, team int);
         insert into people values (1, 'ann', {withheld}, 1), (2, 'bob', 2, 2), (3, 'kim', 2, 1);
         create table teams (team int, name text, pay int);
         insert into teams values (1, 'ann', 1), (2, 'red', {withheld});
         create table kept (id int, pay int, name text);
         insert into kept values ({withheld}, 2, 'ann');
         create view kept_view as select id, pay as name from kept;
         create view by_using as select people.name from people join kept using (id);
         create view by_natural as select people.name from people natural join kept_view;
         create view over as select name as n from by_natural;
         create view by_on as select people.name from people join teams on teams.team = people.team;
         create view harmless as select people.name, team from people join teams using (team);"
    ))
}

async fn driver(shop: &Shop, tables: &[(&str, &[&str])]) -> Sqlite {
    let driver = shop.connect_with(|settings| settings.is_read_only = true).await;
    let names: Vec<_> = tables.iter().map(|(table, _)| name(table)).collect();
    driver.read_tables(&names).await.unwrap();
    let needs = |columns: &[&str]| TableNeeds {
        selects: columns.iter().map(|column| (*column).to_owned()).collect(),
        ..TableNeeds::default()
    };
    let needs = Needs {
        tables: tables.iter().map(|(table, columns)| (name(table), needs(columns))).collect(),
        is_for_query: true,
        withheld: [name("kept"), name("kept_view")].into(),
        ..Needs::default()
    };
    let findings = driver.check_login(&needs).await.unwrap();
    let views = findings.iter().filter(|it| format!("{it:?}").contains("view:"));
    let is_view =
        tables.iter().any(|(table, _)| ["by_using", "by_natural", "over"].contains(table));
    assert_eq!(views.count() > 0, is_view, "{tables:?}: {findings:?}");
    driver
}

const TABLES: [(&str, &[&str]); 2] =
    [("people", &["id", "name", "team"]), ("teams", &["team", "name"])];

#[tokio::test]
async fn a_view_that_joins_a_kept_table_unheard_is_a_finding() {
    let shop = shop(2);
    for view in ["by_using", "by_natural"] {
        driver(&shop, &[(view, &["name"])]).await;
    }
    driver(&shop, &[("over", &["n"])]).await;
    driver(&shop, &[("by_on", &["name"])]).await;
    driver(&shop, &[("harmless", &["name", "team"])]).await;
}

#[tokio::test]
async fn joins_by_listed_columns_pass_and_others_say_how_to_write_them() {
    let shop = shop(2);
    let driver = driver(&shop, &TABLES).await;
    for text in [
        "select people.name from people join teams using (team)",
        "select 'natural', \"name\" as \"using pay\" from people -- using (pay)",
        "select name from people /* natural */ join (select 1 as id) using ([id])",
    ] {
        assert_eq!(driver.refused_part(text), None, "{text}");
        assert!(!read(&driver, text).await.unwrap().is_empty(), "{text}");
    }
    for (text, withheld) in [
        ("select name from people natural join (select 2 as pay)", "natural"),
        ("select name from people join (select 2 as pay) using (pay)", "pay"),
        ("select name from people join (select 2 as pay)\u{feff}USING('Pay')", "pay"),
        ("select 1 from people join \"Kept\" using (id)", "kept"),
        ("select 1 from (select 'kept' as name) join sqlite_schema using (name)", "kept"),
        (
            "select 1 from (select 1 as type) join pragma_table_list using (type)",
            "pragma_table_list",
        ),
        ("select $a('), 1 from people join (select 2 as pay) using (pay) --')", "placeholders"),
    ] {
        let refused = driver.refused_part(text).unwrap_or_default();
        assert!(refused.contains(withheld), "{text}: {refused}");
    }
}

/// Parts of texts: tables, joins, what hides a keyword from a reader of texts, and what ends the hiding.
fn part() -> impl Strategy<Value = String> {
    let select = |texts: &'static str| prop::sample::select(texts.split('|').collect::<Vec<_>>());
    let table = select(
        "people|teams p|kept|[kept]|'kept'|kept_view|(select 1 as pay, 1 as team)|(select 2 as id, 2 as name)|\"people\" as q|\
        main.kept|sqlite_schema|by_on|c",
    );
    let join = select(" join | left join | full join |, | NATURAL JOIN | natural left join ");
    let using = select(
        "| using (team)| USING(pay)|\u{feff}using ('pay')| using (id)| using ([name])| on true",
    );
    let hidden = select("|||/* ' */|-- '\n|/*/ natural */| [as'] | `x` |'|/* |\u{feff}");
    (join, table, hidden, using)
        .prop_map(|(join, table, hidden, using)| format!("{join}{table}{hidden}{using}"))
}

#[test]
fn no_answer_depends_on_a_withheld_value() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let shops = [shop(1), shop(2)];
    let drivers = runtime
        .block_on(async { [driver(&shops[0], &TABLES).await, driver(&shops[1], &TABLES).await] });
    let mut n_joined = 0;
    let texts = prop::collection::vec(part(), 1..3);
    let mut runner = TestRunner::deterministic();
    for _ in 0..3_000 {
        let parts = texts.new_tree(&mut runner).unwrap().current().concat();
        let text = format!("with c(team, id) as (values (1, 2)) select 1 from people{parts}");
        if drivers[0].refused_part(&text).is_some() {
            continue;
        }
        let [one, other] = drivers.each_ref().map(|driver| runtime.block_on(read(driver, &text)));
        assert_eq!(one, other, "{text}");
        n_joined += u32::from(one.is_ok() && text.to_lowercase().contains("using"));
    }
    assert!(n_joined > 10, "{n_joined} joins were read");
}
