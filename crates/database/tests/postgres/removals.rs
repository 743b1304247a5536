//! Removals that a person approves.

use callgate_database::Operation;
use callgate_database::{DatabaseSettings, EntitySettings};
use callgate_executor::{Decision, Executor};
use callgate_policy::{ApprovalRules, Approvals, Confirm};
use callgate_tool::{Outcome, json};

use crate::{
    calls::own_orders,
    reviews::call,
    shop::{loaded_with, settings},
};

#[tokio::test]
async fn a_login_that_may_only_remove_rows_removes_those_that_were_seen() {
    let operations = vec![Operation::List, Operation::Delete];
    let orders = EntitySettings { operations, many: true, affected: 5, ..own_orders() };
    let settings = DatabaseSettings { entities: vec![orders], ..settings() };
    let Some((database, loaded)) = loaded_with("reviews_delete", settings, DELETES).await else {
        return;
    };
    assert_eq!(loaded.findings, []);
    let toolsets = [("shop".to_owned(), Confirm::Writes)].into();
    let approvals = Approvals::new(ApprovalRules { toolsets, ..ApprovalRules::default() });
    let mut asking = Executor::builder().middleware(approvals);
    for tool in loaded.tools {
        asking = asking.shared_backend(tool);
    }
    let asking = asking.build().unwrap();
    let arguments = json!({"where": {"no": {"lte": 3}}});
    let asked = ("shop-orders-delete", &arguments);
    let approved = async |id: &str| {
        call(&asking, asked, |call| call.with_decision(id, Decision::Approve)).await
    };
    let Outcome::Pending(first) = call(&asking, asked, |call| call).await else { panic!() };
    assert!(first.request["text"].as_str().unwrap().starts_with("removes 2 rows"), "{first:?}");
    // A row that changed, one more row, one row less: a person is asked again each time, and nothing is removed.
    let mut last = first;
    for change in [
        "update orders set note = 'green' where no = 1",
        "update orders set owner = 'ann' where no = 3",
        "update orders set owner = 'bob' where no = 2",
    ] {
        database.run(change);
        let Outcome::Pending(next) = approved(&last.id).await else { panic!("{change}") };
        assert_eq!(database.run("select count(*) from orders"), "4", "{change}");
        last = next;
    }
    let outcome = approved(&last.id).await;
    assert!(matches!(outcome, Outcome::Answered(_)), "{outcome:?}");
    assert_eq!(database.run("select string_agg(no::text, ',' order by no) from orders"), "2,4");
}

/// A login that reads and removes orders, without the right to lock them.
const DELETES: &str = "grant select, delete on orders to LOGIN;";
