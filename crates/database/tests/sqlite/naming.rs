//! Columns by names of the operator's own, in every part of an entity's tools.

use callgate_database::{EntitySettings, FieldSettings, Operation, SessionSource};
use callgate_testkit::rows;
use callgate_tool::{FaultCode, Session, Value, json};

use crate::{
    calls::entity,
    shop::{Shop, counted, folder_with, loaded, settings, user},
};

const TABLES: &str = r#"
    create table sales (
        "Order No" integer primary key,
        "Order Date" text not null,
        "Total (net)" integer not null check ("Total (net)" > 0),
        owner text not null,
        unique ("Order Date", "Total (net)")
    );
    insert into sales values (1, '2024-01-02', 10, 'ann'), (2, '2024-01-03', 20, 'ann'), (3, '2024-01-03', 5, 'bob');
"#;

fn field(name: &str, column: &str, description: &str) -> FieldSettings {
    FieldSettings {
        key: name.to_owned(),
        name: name.to_owned(),
        column: Some(column.to_owned()),
        description: description.to_owned(),
    }
}

fn sales() -> EntitySettings {
    EntitySettings {
        fields: Some(vec![
            field("no", "Order No", ""),
            field("day", "Order Date", "The day of the order. Not of the payment."),
            field("total", "Total (net)", ""),
        ]),
        filter: Some(["no", "day", "total"].map(str::to_owned).to_vec()),
        rows: vec![("owner".to_owned(), SessionSource::Parameter("user".to_owned()))],
        ..counted(entity("sales"))
    }
}

#[tokio::test]
async fn every_operation_knows_columns_by_the_names_of_the_operator() {
    let shop = Shop::within(folder_with(TABLES), settings(vec![sales()]), None).await;
    let ann = user("ann");
    for [tool, arguments, expected] in rows(
        r#"
        shop-sales-list => {"where": {"day": "2024-01-03"}, "sort": ["-no"]} => {"rows": [{"no": 2, "day": "2024-01-03", "total": 20}], "more": false}
        shop-sales-aggregate => {"select": ["sum_total", "count"]} => {"rows": [{"count": 2, "sum_total": 30}], "more": false}
        shop-sales-create => {"no": 9, "day": "2024-02-01", "total": 7} => {"affected": 1, "row": {"no": 9, "day": "2024-02-01", "total": 7}}
        shop-sales-update => {"no": 9, "set": {"total": 8}} => {"affected": 1, "row": {"no": 9, "day": "2024-02-01", "total": 8}}
        shop-sales-get => {"no": 9, "select": ["total"]} => {"row": {"total": 8}}
        shop-sales-delete => {"no": 9} => {"affected": 1}
        "#,
    ) {
        let [arguments, expected] = [arguments, expected].map(|text| Value::parse(text).unwrap());
        assert_eq!(shop.call(tool, arguments, &ann).await, expected, "{tool}");
    }
    let row = json!({"no": 9, "day": "2024-01-03", "total": 20});
    let fault = shop.fault("shop-sales-create", row, &ann).await;
    assert_eq!(fault.code, FaultCode::ConstraintViolated);
    assert!(fault.message.contains(": `day`, `total`;"), "{}", fault.message);
    let fault = shop.fault("shop-sales-list", json!({"where": {"Order Date": 1}}), &ann).await;
    assert_eq!(fault.code, FaultCode::InvalidArguments);
    let list = shop.executor.find("shop-sales-list").unwrap().declaration().unwrap().clone();
    let schema = format!("{:?}", list.input_schema);
    assert!(schema.contains("day: The day of the order"), "{schema}");
}

#[tokio::test]
async fn names_without_a_column_or_of_two_columns_are_findings() {
    for (fields, pointer, words) in [
        (vec![field("day", "Order Dat", "")], "fields/day/column", "`Order Date`"),
        (
            vec![field("total", "Order No", ""), field("total", "Total (net)", "")],
            "fields/total",
            "no other column",
        ),
        (vec![field("owner", "Order No", "")], "fields/owner", "no other column"),
        (vec![field("whose", "owner", "")], "fields/whose", "`rows`"),
    ] {
        let operations = vec![Operation::List];
        let sales = EntitySettings { fields: Some(fields), filter: None, operations, ..sales() };
        let loaded = loaded(&folder_with(TABLES), settings(vec![sales])).await;
        let finding =
            loaded.findings.iter().find(|it| it.pointer == format!("/entities/sales/{pointer}"));
        let Some(finding) = finding else { panic!("{pointer}: {:?}", loaded.findings) };
        let said = format!("{}; {}", finding.message, finding.help);
        assert!(said.contains(words), "{said}");
        assert!(loaded.tools.is_empty());
    }
}

#[tokio::test]
async fn a_session_without_the_owner_reads_nothing_under_other_names() {
    let shop = Shop::within(folder_with(TABLES), settings(vec![sales()]), None).await;
    let fault = shop.fault("shop-sales-list", json!({}), &Session::default()).await;
    assert_eq!(fault.code, FaultCode::MissingSessionValue);
}
