//! An operator's edits of tools (`tools: {edit: …}`): what is declared, what is sent, what faults say, and what a
//! configuration may not ask for.

mod findings;
mod functions;
mod generated;
mod names;

use crate::prelude::*;

use callgate_tool::PlannedRequest;

pub(crate) const DESCRIPTION: &str = concat!("\n", include_str!("edits.yaml"));

/// An executor with these entries below `edit`, and further settings.
pub(crate) fn edited(edit: &str, more: &str) -> Executor {
    target::executor(DESCRIPTION, "https://a.example/v1", &settings(edit, more))
}

fn settings(edit: &str, more: &str) -> String {
    format!("tools: {{edit: {{{edit}}}}}\n{more}")
}

/// The dry run of a call.
pub(crate) async fn dry_run(executor: &Executor, tool: &str, arguments: Value) -> ToolResult {
    executor.dry_run(&asked(tool, arguments), &Session::default()).await
}

/// The request of a dry run: its method, the URL without the server, and the body.
#[track_caller]
pub(crate) fn planned(outcome: Outcome) -> String {
    let Outcome::Planned(planned) = outcome else { panic!("no plan: {outcome:?}") };
    let Preview::Request(PlannedRequest { method, url, body, .. }) = *planned else {
        panic!("no request: {planned:?}")
    };
    let path = url.strip_prefix("https://a.example/v1").unwrap().to_owned();
    let body = body.map(|body| format!(" {body}")).unwrap_or_default();
    format!("{method} {path}{body}")
}

/// Findings of a configuration with these edits: severity, pointer below the edits, message and help.
pub(crate) fn found(edit: &str, more: &str) -> Vec<String> {
    let settings = format!("server: https://a.example/v1\n{}", settings(edit, more));
    let found = crate::built::found(toolset(DESCRIPTION, &settings));
    found.iter().map(|line| line.replacen(" /tools/edit", " ", 1)).collect()
}

fn schema(executor: &Executor, tool: &str) -> Value {
    executor.find(tool).unwrap().declaration().unwrap().input_schema.to_value()
}

fn properties(executor: &Executor, tool: &str) -> Vec<String> {
    schema(executor, tool)["properties"].as_object().unwrap().keys().cloned().collect()
}

#[track_caller]
fn check_wire(edit: &str, tool: &str, arguments: Value, expected: &str) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let session = Session::new("s");
    let result = runtime
        .block_on(async { edited(edit, "").dry_run(&asked(tool, arguments), &session).await });
    assert_eq!(planned(result.outcome), expected, "{edit}");
}

#[test]
fn a_fixed_value_is_always_sent_and_a_default_where_the_model_gives_none() {
    // A default makes no body, since the body is optional; a fixed value does. Defaults of the description are not put into a value
    // of the operator. The default of a path is not sent with a write, but the operator's is.
    check_rows(
        r#"
        listOrders: {fix: {tenant: acme}} => listOrders => {} => GET /orders?tenant=acme&call=s
        listOrders: {fix: {tenant: acme}, defaults: {limit: 5}} => listOrders => {"status": "new"} => GET /orders?tenant=acme&status=new&limit=5&call=s
        listOrders: {fix: {tenant: acme}, defaults: {limit: 5}} => listOrders => {"limit": 7} => GET /orders?tenant=acme&limit=7&call=s
        listOrders: {defaults: {tenant: beta}} => listOrders => {"tenant": null} => GET /orders?tenant=beta&call=s
        createOrder: {fix: {note: web}} => createOrder => {"item": "a"} => POST /orders {"item":"a","note":"web"}
        createOrder: {defaults: {note: web}} => createOrder => {} => POST /orders
        createOrder: {fix: {item: a}} => createOrder => {} => POST /orders {"item":"a"}
        createOrder: {fix: {ship: {way: sea}, item: a}} => createOrder => {} => POST /orders {"item":"a","ship":{"way":"sea"}}
        replaceOrder: {fix: {id: '7', body: [1, 2]}} => replaceOrder => {} => PUT /orders/7 [1,2]
        searchOrders: {defaults: {text: x}} => searchOrders => {} => POST /orders:search {"text":"x"}
        listOrders: {hide: [status, user], fix: {tenant: acme}} => listOrders => {} => GET /orders?tenant=acme&call=s
        "#,
        |[edit, tool, arguments, expected]| {
            check_wire(edit, tool, Value::parse(arguments).unwrap(), expected);
        },
    );
}

#[tokio::test]
async fn the_session_still_gives_a_hidden_value() {
    let executor = edited("listOrders: {hide: [user], fix: {tenant: acme}}", "");
    let session = Session::new("s")
        .with_parameters([("user".to_owned(), json!("ada"))].into_iter().collect());
    let result = executor.dry_run(&asked("listOrders", json!({})), &session).await;
    assert_eq!(planned(result.outcome), "GET /orders?tenant=acme&user=ada&call=s");
}

#[tokio::test]
async fn an_operators_default_is_sent_whatever_the_toolset_says_of_defaults() {
    let edit = "searchOrders: {defaults: {text: x}}, replaceOrder: {defaults: {id: '7'}}";
    for defaults in ["safe", "required", "all"] {
        let executor = edited(edit, &format!("defaults: {defaults}"));
        let result = dry_run(&executor, "searchOrders", json!({})).await;
        assert_eq!(planned(result.outcome), r#"POST /orders:search {"text":"x"}"#, "{defaults}");
        let result = dry_run(&executor, "replaceOrder", json!({"body": [1]})).await;
        assert_eq!(planned(result.outcome), "PUT /orders/7 [1]", "{defaults}");
    }
}

#[test]
fn a_declaration_has_the_operators_texts_and_no_hidden_argument() {
    let executor = edited(
        "listOrders: {name: find_orders, description: Finds orders., effect: write, fix: {tenant: acme}, hide: [X_Trace], \
         defaults: {limit: 5}, describe: {status: new or sold}, examples: [{status: new}]}",
        "",
    );
    let tool = executor.find("find_orders").unwrap().declaration().unwrap();
    assert_eq!((tool.description.as_str(), tool.effect), ("Finds orders.", Effect::Write));
    let expected = json!({
        "type": "object",
        "properties": {
            "status": {"type": "string", "description": "new or sold"},
            "limit": {"type": "integer", "maximum": 50, "default": 5},
            "user": {"type": "string"},
        },
        "additionalProperties": false,
        "examples": [{"status": "new"}],
    });
    assert_eq!(tool.input_schema.to_value(), expected);
    let brief = executor.find("find_orders").unwrap().brief();
    assert_eq!(brief, "Finds orders.");
}

#[test]
fn a_fixed_member_makes_the_others_of_its_optional_body_required() {
    assert_eq!(schema(&edited("", ""), "createOrder").get("required"), None);
    let executor = edited("createOrder: {fix: {note: web}}", "");
    assert_eq!(schema(&executor, "createOrder")["required"], json!(["item"]));
    let executor = edited("createOrder: {fix: {item: a}}", "");
    assert_eq!(schema(&executor, "createOrder").get("required"), None);
    assert_eq!(schema(&executor, "createOrder").get("dependentRequired"), None);
}

#[tokio::test]
async fn a_hidden_argument_is_unknown_and_no_fault_suggests_it() {
    let edit = "listOrders: {name: find_orders, fix: {tenant: acme}, hide: [limit]}";
    let executor = edited(edit, "");
    for (given, suggestion) in [
        ("tenant", None),
        ("limit", None),
        ("tenantt", None),
        ("limt", None),
        ("statuss", Some("`status`")),
    ] {
        let arguments = [(given.to_owned(), json!("x"))].into_iter().collect();
        let wrong =
            fault(dry_run(&executor, "find_orders", Value::Object(arguments)).await.outcome);
        let [problem] = &*wrong.problems else { panic!("{wrong:?}") };
        assert_eq!((&*problem.at, &*problem.got), (given, "an unknown argument"));
        assert_eq!(problem.suggestion.as_deref(), suggestion, "{given}");
        assert_eq!(problem.expected, "one of `status`, `X_Trace`, `user`");
    }
}

#[tokio::test]
async fn a_result_names_what_the_configuration_filled_in() {
    let executor = edited("listOrders: {fix: {tenant: acme}, defaults: {limit: 5}}", "");
    let result = dry_run(&executor, "listOrders", json!({})).await;
    assert_eq!(result.journal.defaults().collect::<Vec<_>>(), ["tenant", "limit"]);
    let result = dry_run(&executor, "listOrders", json!({"limit": 7})).await;
    assert_eq!(result.journal.defaults().collect::<Vec<_>>(), ["tenant"]);
}

#[tokio::test]
async fn another_fixed_value_is_another_call() {
    let of = |value: &str| edited(&format!("listOrders: {{fix: {{tenant: {value}}}}}"), "");
    let (asked, session) = (asked("listOrders", json!({})), Session::default());
    let print = |executor: Executor| executor.fingerprint(&Call::new(&asked, &session));
    assert_eq!(print(of("acme")), print(of("acme")));
    assert_ne!(print(of("acme")), print(of("beta")));
    assert_ne!(print(of("acme")), print(edited("", "")));
}

#[tokio::test]
async fn an_effect_decides_what_is_selected_and_approved_but_not_what_is_repeated() {
    let more = "confirm: writes";
    let executor = edited("searchOrders: {effect: read}, listOrders: {effect: write}", more);
    assert_eq!(executor.find("searchOrders").unwrap().effect(), Effect::Read);
    let operation = executor.find("searchOrders").unwrap().operation().unwrap();
    assert_eq!(operation.retry_effect(), Effect::Write);
    let operation = executor.find("listOrders").unwrap().operation().unwrap();
    assert_eq!(operation.retry_effect(), Effect::Write);
    let settings = "server: https://a.example/v1\ntools: {read_only: true, edit: {searchOrders: {effect: read}}}";
    let built = toolset(DESCRIPTION, settings).unwrap();
    let names: Vec<_> = built.executor.entries().map(|entry| entry.name().to_string()).collect();
    assert_eq!(names, ["listOrders", "searchOrders"]);
}

#[tokio::test]
async fn an_interrupted_post_that_is_called_a_read_is_not_repeated() {
    let settings = "tools: {edit: {searchOrders: {effect: read}}}\nlimits: {timeout: 1s}";
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}/v1", silent.local_addr().unwrap());
    let read = target::executor(DESCRIPTION, &address, settings);
    let plain = target::executor(DESCRIPTION, &address, "limits: {timeout: 1s}");
    let search = async |executor| call(executor, "searchOrders", json!({"text": "x"})).await;
    let (failed, unedited) = tokio::join!(search(&read), search(&plain));
    let (failed, unedited) = (fault(failed.outcome), fault(unedited.outcome));
    assert_eq!((failed.next, failed.reached), (unedited.next, unedited.reached));
    assert_ne!(failed.next, Next::TryLater);
}

#[tokio::test]
async fn a_rule_of_an_edit_about_approvals_counts_like_one_of_confirm() {
    let executor =
        edited("listOrders: {name: find_orders, confirm: always, fix: {tenant: acme}}", "");
    let result = call(&executor, "find_orders", json!({})).await;
    let Outcome::Pending(pending) = result.outcome else { panic!("{result:?}") };
    assert_eq!(pending.kind, PendingKind::Approval);
    assert!(pending.request.to_string().contains("tenant=acme"), "{}", pending.request);
}
