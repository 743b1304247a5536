//! The tables of the shop, and what the tests of all engines see of MariaDB alone.

use callgate_database::DatabaseSettings;
pub(crate) use callgate_testkit::{MariadbDatabase as Database, MariadbServer as Server};
use callgate_tool::{Value, json};

use crate::calls::{entity, own_orders, settings_at};

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
