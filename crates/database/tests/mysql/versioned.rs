//! Tables with system versioning: the column that says until when a row holds is no part of what identifies a row.

use callgate_tool::{FaultCode, json};

use crate::shop::{Shop, entity, settings, user};

/// Tables with periods of the server's own, of times, and of transactions.
const TABLES: &str = "
    create table hidden (no int primary key, code int not null unique, name varchar(20)) with system versioning;
    create table timed (no int primary key, code int not null unique, name varchar(20),
        begun timestamp(6) generated always as row start, ended timestamp(6) generated always as row end,
        period for system_time (begun, ended)) with system versioning;
    create table counted (no int primary key, code int not null unique, name varchar(20),
        begun bigint unsigned generated always as row start invisible, ended bigint unsigned generated always as row end invisible,
        period for system_time (begun, ended)) with system versioning;
";
const NAMES: [&str; 3] = ["hidden", "timed", "counted"];

#[tokio::test]
async fn a_row_with_a_history_is_read_and_changed_by_its_own_key() {
    let mut settings = settings();
    for (name, key) in NAMES.iter().flat_map(|name| [(name, None), (name, Some("code"))]) {
        let mut entity = entity(name);
        if let Some(key) = key {
            entity.name = format!("{name}_by_{key}");
            entity.key = Some(vec![key.to_owned()]);
        }
        settings.entities.push(entity);
    }
    let mut script = TABLES.to_owned();
    for name in NAMES {
        script += &format!(
            "insert into {name} (no, code, name) values (1, 10, 'old'), (2, 20, 'new');
             grant select, insert (no, code, name), update (no, code, name), delete on {name} to LOGIN;"
        );
    }
    let Some(shop) = Shop::with("my_versioned", settings, &script).await else { return };
    let ann = user("ann");
    for name in NAMES {
        let tool = |operation: &str| format!("shop-{name}-{operation}");
        let by_code = |operation: &str| format!("shop-{name}_by_code-{operation}");
        let change = json!({"no": 1, "set": {"name": "mended"}});
        let changed = shop.call(&tool("update"), change, &ann).await;
        assert_eq!((&changed["affected"], &changed["row"]["name"]), (&json!(1), &json!("mended")));
        let read = shop.call(&by_code("get"), json!({"code": 10}), &ann).await["row"].clone();
        assert_eq!((&read["no"], &read["name"]), (&json!(1), &json!("mended")), "{name}");
        // An order without two equal rows has pages.
        let page = shop.call(&by_code("list"), json!({"limit": 1}), &ann).await;
        let next = json!({"limit": 1, "page": page["next"]});
        let last = shop.call(&by_code("list"), next, &ann).await;
        assert_eq!((&last["rows"][0]["no"], &last["more"]), (&json!(2), &json!(false)), "{name}");
        assert_eq!(shop.call(&tool("delete"), json!({"no": 1}), &ann).await["affected"], 1);
        let fault = shop.fault(&tool("get"), json!({"no": 1}), &ann).await;
        assert_eq!(fault.code, FaultCode::NotFound, "{name}");
        let history = format!("select count(*) from {name} for system_time all where no = 1");
        assert_eq!(shop.database.run(&history), "2", "{name}");
    }
}
