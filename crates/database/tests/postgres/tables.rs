//! The tables of the shop, and what the tests of all engines see of PostgreSQL alone.

use callgate_database::DatabaseSettings;
pub(crate) use callgate_testkit::{PostgresDatabase as Database, PostgresServer as Server};
use callgate_tool::{Value, json};

use crate::{
    aggregates,
    calls::{entity, of_user, own_orders, settings_at},
    written_values,
};

pub(crate) const TABLES: &str = "
    create type state as enum ('new', 'paid');
    create domain at as timestamptz(0);
    create table orders (
        no bigint generated always as identity primary key,
        owner text not null,
        total numeric(20, 4) not null check (total >= 0),
        note text,
        state state not null default 'new',
        made timestamptz not null default now(),
        tags text[],
        more jsonb,
        unique (owner, note)
    );
    create table items (
        id uuid primary key default gen_random_uuid(),
        order_no bigint not null references orders (no),
        name text not null
    );
    insert into orders (owner, total, note) values
        ('ann', 10, 'red'), ('ann', 1234567890123456.0001, 'blue'), ('bob', 30, 'red'), ('ann', 20, null);
    alter table orders enable row level security;
    create policy own on orders using (owner = current_setting('app.user', true));
";

pub(crate) const GRANTS: &str = "
    grant select, insert (owner, total, note, state, made, tags, more), update (total, note, state, made, tags, more), delete
        on orders to LOGIN;
    grant select, insert, update (order_no, name), delete on items to LOGIN;
";

/// The orders of the session's user, and all items.
pub(crate) fn settings() -> DatabaseSettings {
    let settings = settings_at("", vec![own_orders(), entity("items")]);
    DatabaseSettings { identity: vec![("app.user".to_owned(), of_user())], ..settings }
}

/// The name of the table in what a person sees.
pub(crate) const ORDERS: &str = "public.orders";

pub(crate) const WITHOUT_NOTE: &str = "alter table orders drop column note";

/// Several values in one column.
pub(crate) fn tags() -> Value {
    json!(["a,b", "{c}", null])
}

/// The columns of sorting, and the numbers of `ann`'s orders in each order.
pub(crate) const SORTED: &[(&str, [u32; 3])] = &[
    ("total", [1, 4, 2]),
    ("-total", [2, 4, 1]),
    ("note", [2, 1, 4]),
    ("-note", [4, 1, 2]),
    ("made -no", [4, 2, 1]),
];

/// The types of versions that callgate writes, with defaults.
pub(crate) const VERSIONS: [&str; 7] = [
    "int default 1",
    "numeric(9) default 1",
    "timestamptz default now()",
    "timestamptz(0) default now()",
    "timestamp(3) default now() + interval '1 day'",
    "at default now()",
    "uuid default gen_random_uuid()",
];

pub(crate) const AGGREGATES: aggregates::Words = aggregates::Words {
    exact: "@",
    text: "(@)::text",
    contains: "position(? in @) > 0",
    has_ties: false,
};

pub(crate) const WRITTEN: written_values::Words = written_values::Words {
    digits: "upper(encode(convert_to(@::text, 'UTF8'), 'hex'))",
    truths: ["false", "true"],
};

/// The beginning of a script whose results have the texts of tools.
pub(crate) const SHOWN: &str = "";

/// The limit of recursions, the text of the number `i`, and the statement that counts rows.
pub(crate) const LOG: [&str; 3] = ["", "'n' || (i % 1000)", "analyze"];

/// The name of the table `log` in a statement.
pub(crate) const LOG_NAME: &str = "public.log";
