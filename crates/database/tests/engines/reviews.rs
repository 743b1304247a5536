//! Changes that a person approves, on every engine with a server.

use callgate_executor::{Call, Decision, Executor, Reviewed};
use callgate_policy::{ApprovalRules, Approvals, Confirm};
use callgate_tool::{FaultCode, Outcome, ToolCall, Value, json};

use crate::{
    shop::{loaded, settings, user},
    tables::ORDERS,
};

pub(crate) async fn call(
    executor: &Executor,
    (tool, arguments): (&str, &Value),
    of: impl FnOnce(Call<'_>) -> Call<'_>,
) -> Outcome {
    let Value::Object(arguments) = arguments.clone() else { panic!("arguments are an object") };
    let (asked, session) = (ToolCall::new("1", tool, arguments), user("ann"));
    executor.call_with(of(Call::new(&asked, &session))).await.outcome
}

#[tokio::test]
async fn an_approved_change_is_made_if_the_rows_are_those_that_were_seen() {
    let Some((database, loaded)) = loaded("reviews", settings()).await else { return };
    assert_eq!(loaded.findings, []);
    let toolsets = [("shop".to_owned(), Confirm::Writes)].into();
    let approvals = Approvals::new(ApprovalRules { toolsets, ..ApprovalRules::default() });
    let (mut asking, mut plain) = (Executor::builder().middleware(approvals), Executor::builder());
    for tool in loaded.tools {
        asking = asking.shared_backend(std::sync::Arc::clone(&tool));
        plain = plain.shared_backend(tool);
    }
    let (asking, plain) = (asking.build().unwrap(), plain.build().unwrap());
    for (tool, arguments) in [
        ("shop-orders-update", json!({"no": 1, "set": {"note": "new"}})),
        ("shop-orders-delete", json!({"no": 1})),
    ] {
        let asked = (tool, &arguments);
        let outcome = call(&asking, asked, |call| call).await;
        let Outcome::Pending(first) = outcome else { panic!("{outcome:?}") };
        let text = first.request["text"].as_str().unwrap();
        assert!(text.contains(&format!("1 row of {ORDERS}\n- no: 1")), "{text}");
        database.run("update orders set total = total + 1");
        let outcome =
            call(&asking, asked, |call| call.with_decision(&first.id, Decision::Approve)).await;
        let Outcome::Pending(second) = outcome else { panic!("{outcome:?}") };
        let outcome = call(&plain, asked, |call| call.with_extension(Reviewed([0; 32]))).await;
        let Outcome::Failed(fault) = outcome else { panic!("{outcome:?}") };
        assert_eq!(fault.code, FaultCode::RowChanged);
        let outcome =
            call(&asking, asked, |call| call.with_decision(&second.id, Decision::Approve)).await;
        assert!(matches!(outcome, Outcome::Answered(_)), "{outcome:?}");
    }
    assert_eq!(database.run("select count(*) from orders where owner = 'ann'"), "2");
}
