//! Texts that are equal to others by the collation of their column.

use callgate_tool::{FaultCode, Value, json};

use crate::shop::{Shop, entity, settings, user};

/// Under the collation of the column all of these equal `ann`.
const OTHERS: [&str; 4] = ["ANN", "ann ", "ánn", "Ann"];

#[tokio::test]
async fn a_key_a_condition_and_a_version_are_equal_to_the_same_bytes_alone() {
    let mut settings = settings();
    let mut people = entity("people");
    people.version = Some("stamp".to_owned());
    people.filter = Some(vec!["name".to_owned(), "tag".to_owned()]);
    settings.entities.push(people);
    let script = "create table people (name varchar(20) primary key, tag char(9) not null, stamp varchar(9) not null);
        insert into people values ('ann', 'red', 'v');
        grant select, insert, update (tag), delete on people to LOGIN;";
    let Some(shop) = Shop::with("my_entities_keys", settings, script).await else { return };
    let ann = user("ann");
    let n_rows = async |condition: Value| {
        let list = shop.call("shop-people-list", json!({"where": condition}), &ann).await;
        list["rows"].as_array().unwrap().len()
    };
    for other in OTHERS {
        for (tool, arguments) in [
            ("shop-people-get", json!({"name": other})),
            ("shop-people-update", json!({"name": other, "stamp": "v", "set": {"tag": "x"}})),
            ("shop-people-delete", json!({"name": other, "stamp": "v"})),
        ] {
            let fault = shop.fault(tool, arguments, &ann).await;
            assert!(
                matches!(fault.code, FaultCode::NotFound | FaultCode::RowChanged),
                "{other}: {fault:?}"
            );
        }
        for condition in [
            json!({"name": other}),
            json!({"name": {"in": [other]}}),
            json!({"name": {"like": other}}),
        ] {
            assert_eq!(n_rows(condition).await, 0, "{other}");
        }
        assert_eq!(n_rows(json!({"name": {"neq": other}})).await, 1, "{other}");
    }
    assert_eq!(n_rows(json!({"tag": "RED"})).await, 0);
    assert_eq!(n_rows(json!({"name": "ann", "tag": "red"})).await, 1);
    let change = json!({"name": "ann", "stamp": "V", "set": {"tag": "x"}});
    assert_eq!(shop.fault("shop-people-update", change, &ann).await.code, FaultCode::RowChanged);
    let change = json!({"name": "ann", "stamp": "v", "set": {"tag": "new"}});
    assert_eq!(shop.call("shop-people-update", change, &ann).await["row"]["tag"], "new");
    assert_eq!(shop.database.run("select * from people"), "ann|new|v");
}
