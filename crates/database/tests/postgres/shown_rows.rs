//! The rows of offered tables and views for a model's SQL: none shows rows that an entity's `rows` or a row policy keeps from the session.

use std::path::Path;

use callgate_database::QueryFunctions;
use callgate_testkit::PostgresServer;

use crate::{
    calls::{loaded_in, own_orders, table},
    queries::columns,
    query::{TABLES, settings},
};

/// Ways to the rows of `orders`, which an entity offers with `rows`, and to those of tables with row policies: `guarded`, whose owner skips
/// them, and `forced`, whose owner does not.
const WAYS: &str = "
    create table orders_child () inherits (orders);
    create view orders_invoker with (security_invoker = true) as select no from orders;
    create view orders_owner as select no from orders;
    create view orders_deep with (security_invoker = true) as select no from orders_owner where exists (select from partly);
    create materialized view orders_kept as select no from orders;
    create function orders_of_function() returns setof int language sql begin atomic select no from orders; end;
    create view orders_called as select orders_of_function() as no;
    create function order_above(int, int) returns int language sql stable begin atomic select min(no) from orders where no > $1 + $2; end;
    create operator <!> (leftarg = int, rightarg = int, function = order_above);
    create view orders_operator as select no from partly where no <!> 0 > 0;
    create aggregate last_order(int) (sfunc = order_above, stype = int, initcond = '0');
    create view orders_aggregate as select last_order(no) as no from partly;
    create domain order_no as int check (order_above(value, 0) is not null);
    create view orders_domain as select no::order_no as no from partly;
    create type number as (no int);
    create type digits as (no int);
    create function digits_of(number) returns digits language sql stable begin atomic select row(no)::digits from orders where no = ($1).no; end;
    create cast (number as digits) with function digits_of(number);
    create view orders_cast as select (row(no)::number::digits).no as no from partly;
    create function compared(number, number) returns int language sql immutable begin atomic select order_above(($1).no, ($2).no); end;
    create function is_less(number, number) returns bool language sql immutable begin atomic select ($1).no < ($2).no; end;
    create operator < (leftarg = number, rightarg = number, function = is_less);
    create operator class numbers default for type number using btree as operator 1 <, function 1 compared;
    create view orders_class as select no from partly order by row(no)::number;
    create function of_any(orders) returns int language sql immutable begin atomic select 1; end;
    create view orders_row as select of_any(null) as no from partly;
    create foreign data wrapper elsewhere;
    create server elsewhere foreign data wrapper elsewhere;
    create foreign table orders_far (no int) server elsewhere options (schema_name 'public', table_name 'orders_invoker');
    create table forced (no int, owner text);
    alter table forced enable row level security;
    alter table forced force row level security;
    create policy own on forced using (owner = current_setting('app.user', true));
    create table forced_child () inherits (forced);
    create view forced_invoker with (security_invoker = true) as select no from forced;
    create view forced_owner as select no from forced;
    create view forced_deep with (security_invoker = true) as select no from forced_owner;
    create view guarded_invoker with (security_invoker = true) as select no from guarded;
    create table parts (no int) partition by range (no);
    create table parts_1 partition of parts for values from (1) to (9);
    create view parts_invoker with (security_invoker = true) as select no from parts;
    alter table parts_1 enable row level security;
    create view partly_owner as select no from partly;
";

/// The offered relations, each with the finding about it and its remedy; none where it shows no such rows.
const OFFERED: &[(&str, &str, &str)] = &[
    ("orders_child", "`rows:public.orders_child`", "leave `public.orders_child` out"),
    ("orders_invoker", "`view:public.orders_invoker`", "leave `public.orders_invoker` out"),
    ("orders_owner", "`view:public.orders_owner`", "leave `public.orders_owner` out"),
    ("orders_deep", "`view:public.orders_deep`", "leave"),
    ("orders_kept", "`view:public.orders_kept`", "leave"),
    ("orders_called", "`view:public.orders_called`", "leave"),
    ("orders_operator", "`view:public.orders_operator`", "leave"),
    ("orders_aggregate", "`view:public.orders_aggregate`", "leave"),
    ("orders_domain", "`view:public.orders_domain`", "leave"),
    ("orders_cast", "`view:public.orders_cast`", "leave"),
    ("orders_class", "`view:public.orders_class`", "leave"),
    ("orders_row", "", ""),
    ("orders_far", "`rows:public.orders_far`", "leave"),
    ("guarded", "`policy:public.guarded`", "ALTER TABLE public.guarded FORCE ROW LEVEL SECURITY"),
    ("guarded_invoker", "row policies of `public.guarded`", "ALTER TABLE public.guarded FORCE"),
    ("guarded_plain", "row policies of `public.guarded`", "leave"),
    ("forced", "", ""),
    ("forced_invoker", "", ""),
    ("forced_owner", "row policies of `public.forced`", "leave"),
    ("forced_deep", "row policies of `public.forced`", "leave `public.forced_deep` out"),
    ("forced_child", "row policies of `public.forced`", "leave"),
    ("parts", "row policies of `public.parts_1`", "leave"),
    ("parts_invoker", "row policies of `public.parts_1`", "leave"),
    ("partly", "", ""),
    ("partly_owner", "", ""),
];

#[tokio::test]
async fn no_way_to_rows_that_rules_keep_is_offered() {
    let Some(server) = PostgresServer::of_machine() else { return };
    let database = server.database("shown_rows", &format!("{TABLES}{WAYS}"));
    let (tools, login) = (database.login("tools"), database.login("query"));
    database.run(&format!(
        "grant select, insert (no, owner, total, note), update (total, note), delete on orders to {tools};
         grant select on all tables in schema public to {login};
         alter table orders owner to {login}; alter table guarded owner to {login}; alter table forced owner to {login};
         alter table parts owner to {login}; alter table parts_1 owner to {login}"
    ));
    let mut settings = settings(&database);
    settings.entities = vec![own_orders()];
    let query = settings.query.as_mut().unwrap();
    query.functions = QueryFunctions::Listed;
    for (name, message, help) in OFFERED {
        let mut settings = settings.clone();
        settings.query.as_mut().unwrap().tables = vec![(table(name), columns(&["no"]))];
        let loaded = loaded_in(Path::new("."), settings).await;
        let findings: Vec<_> =
            loaded.findings.iter().filter(|it| it.pointer.starts_with("/query")).collect();
        match findings.as_slice() {
            [] => assert!(message.is_empty(), "{name}: expected a finding"),
            [finding] => {
                let is_it = !message.is_empty() && finding.message.contains(message);
                assert!(is_it && finding.help.contains(help), "{name}: {finding:?}");
            }
            _ => panic!("{name}: {findings:#?}"),
        }
    }
    // A login that reads this part alone shows all of its rows, too.
    let query = settings.query.as_mut().unwrap();
    query.functions = QueryFunctions::Granted(Vec::new());
    query.tables = vec![(table("orders_child"), columns(&["no"]))];
    let loaded = loaded_in(Path::new("."), settings).await;
    let is_refused =
        loaded.findings.iter().any(|it| it.message.contains("`rows:public.orders_child`"));
    assert!(is_refused, "{:#?}", loaded.findings);
}
