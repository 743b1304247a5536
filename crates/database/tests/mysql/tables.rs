//! The tables of the shop, and what the tests of all engines see of MariaDB alone.

use callgate_database::DatabaseSettings;
pub(crate) use callgate_testkit::{MariadbDatabase as Database, MariadbServer as Server};
use callgate_tool::{Value, json};

use crate::{
    aggregates,
    calls::{entity, own_orders, settings_at},
    written_values,
};

pub(crate) const TABLES: &str = "
    create table orders (
        no bigint auto_increment primary key,
        owner varchar(40) not null,
        total decimal(20, 4) not null check (total >= 0),
        note varchar(200),
        state enum('new', 'paid') not null default 'new',
        made timestamp(3) not null default current_timestamp(3),
        tags set('red', 'new', 'big'),
        more json,
        unique (owner, note),
        key (owner)
    );
    create table items (
        id uuid primary key default uuid(),
        order_no bigint not null,
        name varchar(40) not null,
        foreign key (order_no) references orders (no)
    );
    insert into orders (owner, total, note) values
        ('ann', 10, 'red'), ('ann', 1234567890123456.0001, 'blue'), ('bob', 30, 'red'), ('ann', 20, null);
";

pub(crate) const GRANTS: &str = "
    grant select, insert (owner, total, note, state, made, tags, more), update (total, note, state, made, tags, more), delete
        on orders to LOGIN;
    grant select, insert (id, order_no, name), update (order_no, name), delete on items to LOGIN;
";

/// The orders of the session's user, and all items.
pub(crate) fn settings() -> DatabaseSettings {
    settings_at("", vec![own_orders(), entity("items")])
}

/// The name of the table in what a person sees.
pub(crate) const ORDERS: &str = "reviews.orders";

pub(crate) const WITHOUT_NOTE: &str = "alter table orders drop index owner, drop column note";

/// Several values in one column.
pub(crate) fn tags() -> Value {
    json!("red,big")
}

/// The columns of sorting, and the numbers of `ann`'s orders in each order.
pub(crate) const SORTED: &[(&str, [u32; 3])] = &[
    ("total", [1, 4, 2]),
    ("-total", [2, 4, 1]),
    ("note", [4, 2, 1]),
    ("-note", [1, 2, 4]),
    ("state", [1, 2, 4]),
    ("made -no", [4, 2, 1]),
];

/// The types of versions that callgate writes, with defaults.
pub(crate) const VERSIONS: [&str; 7] = [
    "int default 1",
    "decimal(9) default 1",
    "timestamp default current_timestamp",
    "datetime default current_timestamp",
    "datetime(3) default '2037-01-01 00:00:00'",
    "timestamp(6) default current_timestamp(6)",
    "uuid default uuid()",
];

pub(crate) const AGGREGATES: aggregates::Words = aggregates::Words {
    exact: "(@ collate utf8mb4_nopad_bin)",
    text: "cast(@ as char)",
    contains: "locate(cast(? as binary), cast(@ as binary)) > 0",
    has_ties: true,
};

pub(crate) const WRITTEN: written_values::Words =
    written_values::Words { digits: "hex(cast(@ as char))", truths: ["0", "1"] };

/// The beginning of a script whose results have the texts of tools.
pub(crate) const SHOWN: &str = "set names utf8mb4;\n";

/// The limit of recursions, the text of the number `i`, and the statement that counts rows.
pub(crate) const LOG: [&str; 3] =
    ["set max_recursive_iterations = 100000;", "concat('n', i % 1000)", "analyze table"];

/// The name of the table `log` in a statement.
pub(crate) const LOG_NAME: &str = "log";
