//! Changes that a person approves.

use std::sync::Arc;

use callgate_database::{DatabaseSettings, EntitySettings};
use callgate_executor::{Call, Decision, Reviewed};
use callgate_policy::{ApprovalRules, Approvals, Confirm};
use callgate_tool::{FaultCode, Outcome, Value, json};

use crate::shop::{Shop, asked, entity, own_orders, settings, user};

async fn shop(orders: EntitySettings) -> Shop {
    let settings: DatabaseSettings = settings(vec![orders]);
    let toolsets = [("shop".to_owned(), Confirm::Writes)].into();
    let rules = ApprovalRules { toolsets, ..ApprovalRules::default() };
    Shop::with(settings, Some(Arc::new(Approvals::new(rules)))).await
}

async fn call(shop: &Shop, tool: &str, arguments: &Value, approval: Option<&str>) -> Outcome {
    let (asked, session) = (asked(tool, arguments.clone()), user("ann"));
    let mut call = Call::new(&asked, &session);
    if let Some(approval) = approval {
        call = call.with_decision(approval, Decision::Approve);
    }
    shop.executor.call_with(call).await.outcome
}

/// The id of the approval that a call waits for, and what a person sees.
async fn waiting(shop: &Shop, tool: &str, arguments: &Value) -> (String, String) {
    match call(shop, tool, arguments, None).await {
        Outcome::Pending(pending) => {
            (pending.id, pending.request["text"].as_str().unwrap().to_owned())
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_person_sees_the_rows_that_would_change() {
    let shop = shop(own_orders()).await;
    let change = json!({"no": 1, "set": {"note": "new\nline", "total": 11}});
    let (approval, text) = waiting(&shop, "shop-orders-update", &change).await;
    let expected =
        "changes 1 row of orders\n- no: 1\n  total: 10 → 11\n  note: \"red\" → \"new\\nline\"";
    assert_eq!(text, expected);
    assert_eq!(shop.sql("select note from orders where no = 1"), ["red"]);
    let outcome = call(&shop, "shop-orders-update", &change, Some(&approval)).await;
    assert_eq!(Shop::result(outcome)["affected"], 1);
    assert_eq!(shop.sql("select note from orders where no = 1"), ["new\nline"]);
    let (_, text) = waiting(&shop, "shop-orders-delete", &json!({"no": 2})).await;
    assert!(text.starts_with("removes 1 row of orders\n- no: 2\n  total: 20"), "{text}");
    assert!(!text.contains("owner"), "{text}");
}

#[tokio::test]
async fn a_changed_row_needs_another_approval() {
    let shop = shop(own_orders()).await;
    for (tool, arguments) in [
        ("shop-orders-update", json!({"no": 1, "set": {"note": "new"}})),
        ("shop-orders-delete", json!({"no": 1})),
    ] {
        let (approval, _) = waiting(&shop, tool, &arguments).await;
        shop.sql("update orders set total = total + 1");
        let outcome = call(&shop, tool, &arguments, Some(&approval)).await;
        let Outcome::Pending(again) = outcome else { panic!("{outcome:?}") };
        assert_ne!(again.id, approval);
    }
    assert_eq!(shop.sql("select note from orders where no = 1"), ["red"]);
}

#[tokio::test]
async fn a_change_of_other_rows_than_those_seen_is_not_made() {
    let shop = Shop::new(vec![own_orders()]).await;
    for (tool, arguments) in [
        ("shop-orders-update", json!({"no": 1, "set": {"note": "new"}})),
        ("shop-orders-delete", json!({"no": 1})),
    ] {
        let (asked, session) = (asked(tool, arguments), user("ann"));
        let call = Call::new(&asked, &session).with_extension(Reviewed([0; 32]));
        let outcome = shop.executor.call_with(call).await.outcome;
        let Outcome::Failed(fault) = outcome else { panic!("{outcome:?}") };
        assert_eq!(fault.code, FaultCode::RowChanged);
    }
    assert_eq!(shop.sql("select note from orders where no = 1"), ["red"]);
}

#[tokio::test]
async fn a_person_sees_the_values_of_a_new_row() {
    let shop = shop(own_orders()).await;
    let row = json!({"total": 5, "note": "it's\nnew"});
    let (approval, text) = waiting(&shop, "shop-orders-create", &row).await;
    assert_eq!(text, "adds a row to orders\n  total: 5\n  note: \"it's\\nnew\"");
    let outcome = call(&shop, "shop-orders-create", &row, Some(&approval)).await;
    assert_eq!(Shop::result(outcome)["affected"], 1);
}

#[tokio::test]
async fn absent_rows_and_too_many_rows_need_no_approval() {
    let filter = Some(vec!["no".to_owned()]);
    let shop = shop(EntitySettings { many: true, affected: 2, filter, ..entity("orders") }).await;
    for (arguments, expected) in [
        (json!({"no": 77, "set": {"note": "x"}}), FaultCode::NotFound),
        (json!({"where": {"no": {"lte": 3}}, "set": {"note": "x"}}), FaultCode::TooManyRows),
        (json!({"where": {"no": "x"}, "set": {"note": "x"}}), FaultCode::InvalidArguments),
    ] {
        let outcome = call(&shop, "shop-orders-update", &arguments, None).await;
        let Outcome::Failed(fault) = outcome else { panic!("{outcome:?}") };
        assert_eq!(fault.code, expected);
    }
    let change = json!({"where": {"no": {"lte": 2}}, "set": {"state": "paid"}});
    let (approval, text) = waiting(&shop, "shop-orders-update", &change).await;
    assert!(text.starts_with("changes 2 rows of orders\n- no: 1\n"), "{text}");
    let outcome = call(&shop, "shop-orders-update", &change, Some(&approval)).await;
    assert_eq!(Shop::result(outcome), json!({"affected": 2}));
}
