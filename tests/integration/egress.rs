//! What a description may lead to, through the whole of a call: security rows 13 and 53 from the side of the caller.

use crate::prelude::*;

async fn called(servers: &str, settings: &str) -> ToolResult {
    let call = ToolCall::new("1", "a", Arguments::new());
    built(servers, settings).executor.call(&call, &Session::default()).await
}

fn built(servers: &str, settings: &str) -> Built {
    let description = format!(
        "openapi: 3.0.3\ninfo: {{ title: t, version: '1' }}\nservers: [{{ url: '{servers}' }}]\n\
         paths: {{ /a: {{ get: {{ operationId: a, responses: {{ 200: {{ description: ok }} }} }} }} }}\n"
    );
    // A mapping may be empty, a text may not.
    let built = toolset(&description, &format!("prefix: ''\n{settings}"));
    built.unwrap()
}

#[tokio::test]
async fn a_server_of_a_description_that_is_not_public_https_is_refused_with_the_exact_fix() {
    let server = Server::start().await;
    let credential = "auth: { bearer: { token: file:nowhere } }";
    for named in [
        server.url("/v1"),
        server.url("/v1").replace("http:", "https:"),
        "https://[::1]:1/v1".to_owned(),
    ] {
        let result = called(&named, credential).await;
        let Outcome::Failed(fault) = &result.outcome else { panic!("{result:?}") };
        assert_eq!((fault.code.as_str(), fault.reached), ("refused", Reached::No), "{fault:?}");
        assert!(fault.message.contains("`server:`"), "{fault:?}");
        assert!(!fault.message.contains("127.0.0.1"), "a model is shown no host: {fault:?}");
        let journal: Vec<_> = result.journal.events().iter().map(ToString::to_string).collect();
        assert!(journal.join("\n").contains(&format!("`server: {named}`")), "{journal:?}");
    }
    assert_eq!(server.total(), 0);
}

#[tokio::test]
async fn a_dry_run_says_that_the_destination_would_be_refused() {
    for (named, settings, is_refused) in [
        ("http://127.0.0.1:1/v1", "", true),
        ("http://api.example.com", "", true),
        ("https://[::1]:1/v1", "", true),
        ("https://api.example.com/v1", "", false),
        ("http://127.0.0.1:1/v1", "server: http://127.0.0.1:1/v1", false),
        ("http://127.0.0.1:1/v1", "egress: { allow: [127.0.0.1] }", false),
    ] {
        let call = ToolCall::new("1", "a", Arguments::new());
        let prepared = built(named, settings).executor.dry_run(&call, &Session::default()).await;
        let journal = prepared.journal.events().iter().map(ToString::to_string);
        let journal = journal.collect::<Vec<_>>().join("\n");
        assert_eq!(journal.contains("a call would not be sent"), is_refused, "{named}: {journal}");
        let step = format!("`server: {named}`");
        assert_eq!(journal.contains(&step), is_refused, "{named}: {journal}");
    }
}

#[tokio::test]
async fn a_name_of_this_machine_is_refused_in_a_description() {
    let result = called("https://localhost:1/v1", "").await;
    let Outcome::Failed(fault) = &result.outcome else { panic!("{result:?}") };
    assert_eq!((fault.code.as_str(), fault.reached), ("refused", Reached::No), "{fault:?}");
}

#[tokio::test]
async fn a_metadata_service_is_refused_for_the_operator_too() {
    let result = called("https://api.example.com", "server: http://169.254.169.254/v1").await;
    let Outcome::Failed(fault) = &result.outcome else { panic!("{result:?}") };
    assert_eq!((fault.code.as_str(), fault.reached), ("refused", Reached::No), "{fault:?}");
    let journal: Vec<_> = result.journal.events().iter().map(ToString::to_string).collect();
    assert!(journal.join("\n").contains("allow: [169.254.169.254]"), "{journal:?}");
}

#[tokio::test]
async fn a_description_may_name_addresses_that_the_operator_allows() {
    let server = Server::start().await;
    let result = called(&server.url(""), "egress: { allow: [127.0.0.1] }").await;
    assert!(matches!(result.outcome, Outcome::Answered(_)), "{result:?}");
    let result = called(&server.url(""), "egress: { allow: [127.0.0.2, 10.0.0.0/8] }").await;
    assert!(matches!(result.outcome, Outcome::Failed(_)), "{result:?}");
    assert_eq!(server.total(), 1);
}

#[test]
fn an_invalid_address_range_is_reported_with_its_position() {
    let settings = "egress:\n  allow: [10.0.0.0/8, 10.0.0.0/40]\n";
    let error = toolset("openapi: 3.0.3", settings).unwrap_err();
    let [finding] = error.findings() else { panic!("{error}") };
    assert_eq!((finding.code, finding.pointer.as_str()), ("wrong-value", "/egress/allow/1"));
}

/// What an operator names leads to no link-local address unless `egress` allows it, for each kind of service.
#[tokio::test]
async fn services_of_every_kind_are_dialled_where_egress_allows_it() {
    for service in services() {
        for (egress, is_refused) in
            [(json!({"allow": []}), true), (json!({"allow": ["169.254.1.1"]}), false)]
        {
            let further = json!({"server": "http://169.254.1.1:9", "egress": egress, "limits": {"timeout": "300ms"}});
            let result = result_of_service(Path::new(""), &service, &further).await;
            assert_eq!(result.contains("egress: {"), is_refused, "{result}");
        }
    }
}
