//! Versions of rows of every type that has a next value, without a trigger, on every engine with a server.

use callgate_database::EntitySettings;
use callgate_tool::{FaultCode, json};

use crate::{
    shop::{Shop, entity, settings, user},
    tables::VERSIONS,
};

#[tokio::test]
async fn an_update_with_a_version_that_was_used_is_refused() {
    let mut settings = settings();
    let mut script = String::new();
    for (at, sql_type) in VERSIONS.iter().enumerate() {
        let name = format!("versions{at}");
        script.push_str(&format!(
            "create table {name} (no int primary key, words varchar(9), v {sql_type} not null);
             insert into {name} (no) values (1);
             grant select, insert, update (words, v), delete on {name} to LOGIN;"
        ));
        let version = Some("v".to_owned());
        settings.entities.push(EntitySettings { version, ..entity(&name) });
    }
    let Some(shop) = Shop::with("versions", settings, &script).await else { return };
    let ann = user("ann");
    for (at, sql_type) in VERSIONS.iter().enumerate() {
        let name = format!("shop-versions{at}");
        let read = shop.call(&format!("{name}-get"), json!({"no": 1}), &ann).await;
        let mut version = read["row"]["v"].clone();
        for _ in 0..3 {
            let change = json!({"no": 1, "v": version, "set": {"words": "x"}});
            let changed = shop.call(&format!("{name}-update"), change.clone(), &ann).await;
            let fault = shop.fault(&format!("{name}-update"), change, &ann).await;
            assert_eq!(fault.code, FaultCode::RowChanged, "{sql_type}");
            version = changed["row"]["v"].clone();
        }
    }
}
