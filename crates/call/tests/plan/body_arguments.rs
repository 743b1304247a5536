//! The members of a body as the arguments: what is sent is what the argument `body` sends, and what is told of arguments is told of
//! them without it.

use crate::prelude::*;
use proptest::prelude::*;

fn plan(description: &str) -> Plan {
    let options =
        LoadOptions { body_arguments: vec!["createContact".to_owned()], ..LoadOptions::default() };
    let plan = plan_with(description, &options);
    assert_eq!(plan.operation().no_body_arguments, None);
    plan
}

/// A body of whose members some come by themselves and others exclude each other, beside a header of the session.
const CONTACT: &str = concat!("\n", include_str!("body_arguments.yaml"));

#[track_caller]
fn check(arguments: Value, expected: &str) {
    assert_eq!(call(&plan(CONTACT), arguments).shown(), expected);
}

#[test]
fn the_arguments_are_the_body() {
    check(
        json!({"name": "Ada", "email": "ada@example.com", "age": 7}),
        "POST /contacts\ncontent-type: application/json\n\n\
         {\"name\":\"Ada\",\"email\":\"ada@example.com\",\"age\":7,\"kind\":\"home\"}",
    );
}

#[test]
fn a_member_called_body_is_a_member() {
    check(
        json!({"name": "Ada", "phone": "1", "body": "text"}),
        "POST /contacts\ncontent-type: application/json\n\n\
         {\"name\":\"Ada\",\"phone\":\"1\",\"body\":\"text\",\"kind\":\"home\"}",
    );
}

#[test]
fn a_call_without_body_arguments_sends_an_empty_object() {
    let description = CONTACT
        .replace("        required: true\n", "")
        .replace("{$ref: '#/components/schemas/Contact'}", "{type: object}");
    let planned = call(&plan(&description), json!({}));
    assert_eq!(planned.shown(), "POST /contacts\ncontent-type: application/json\n\n{}");
}

#[test]
fn faults_of_body_arguments_are_reported_under_member_names() {
    let given = json!({"name": 7.5, "home": {"street": "x"}, "tags": [{}], "more": 1});
    let planned = call(&plan(CONTACT), given);
    let places: Vec<&str> =
        planned.fault().problems.iter().map(|problem| problem.at.as_str()).collect();
    assert!(places.contains(&"home.city") && places.contains(&"tags[0].text"), "{places:?}");
    assert!(!planned.fault().message.contains("body"), "{}", planned.fault().message);
}

#[test]
fn a_fault_of_the_whole_body_has_an_empty_position() {
    let description = CONTACT.replace("      required: [name]\n", "      minProperties: 9\n");
    let planned = call(&plan(&description), json!({"name": "Ada", "phone": "1"}));
    let [problem] = &*planned.fault().problems else { panic!("{:?}", planned.fault().problems) };
    assert_eq!(problem.at, "");
    assert!(planned.fault().message.starts_with("expected "), "{}", planned.fault().message);
}

#[test]
fn notes_of_body_arguments_have_member_names() {
    let planned = call(&plan(CONTACT), json!({"name": "Ada", "phone": "1", "age": "7"}));
    let told: Vec<String> = planned.journal.iter().map(ToString::to_string).collect();
    assert!(told.contains(&"`age` was converted from string to number".to_owned()), "{told:?}");
    assert!(told.contains(&"`kind` was filled by its default".to_owned()), "{told:?}");
}

/// What the client is given that runs the call itself.
fn filled(arguments: Value) -> Result<Value, String> {
    let session = tenant();
    let filled = plan(CONTACT).filled_arguments(
        &members(arguments),
        &session,
        StoredResults::NONE,
        &mut Journal::default(),
    );
    filled.map(Value::Object).map_err(|fault| fault.message)
}

#[test]
fn a_call_for_the_client_has_body_members_beside_session_values() {
    assert_eq!(
        filled(json!({"name": "Ada", "phone": "1"})).unwrap(),
        json!({"X_Tenant": "acme", "name": "Ada", "phone": "1", "kind": "home", "store": "north"})
    );
    let refused = filled(json!({"name": "Ada", "phone": "1", "X_Tenant": "other"})).unwrap_err();
    assert!(refused.starts_with("`X_Tenant`: expected"), "{refused}");
}

fn tenant() -> Session {
    let parameters = json!({"store": "north"});
    Session::new("acme").with_parameters(members(parameters))
}

/// Both forms of one operation.
fn check_both(arguments: &Value, session: &Session) -> TestCaseResult {
    let inside =
        call_in(&plan_with(CONTACT, &LoadOptions::default()), json!({"body": arguments}), session);
    let members = call_in(&plan(CONTACT), arguments.clone(), session);
    prop_assert_eq!(journal(&members, str::to_owned), journal(&inside, without_body));
    match (&members.result, &inside.result) {
        (Ok(members), Ok(inside)) => {
            prop_assert_eq!(members.uri(), inside.uri());
            prop_assert_eq!(members.headers(), inside.headers());
            prop_assert_eq!(members.body(), inside.body());
        }
        (Err(members), Err(inside)) => {
            let mut moved = inside.problems.clone();
            for problem in &mut moved {
                problem.at = without_body(&problem.at);
            }
            prop_assert_eq!(&members.problems, &moved);
            prop_assert_eq!((members.code, members.next), (inside.code, inside.next));
            let told = members.problems.iter().flat_map(|problem| {
                [&problem.expected, problem.suggestion.as_ref().unwrap_or(&problem.got)]
            });
            for text in told.chain([&members.message]) {
                let has_member = arguments.to_string().contains("\"body\"");
                prop_assert!(has_member || !text.contains("body"), "{}", text);
            }
            let first = &members.problems[0];
            let place =
                if first.at.is_empty() { String::new() } else { format!("`{}`: ", first.at) };
            let told = format!("{place}expected {}, got {}", first.expected, first.got);
            prop_assert!(members.message.starts_with(&told), "{}", members.message);
        }
        (members, inside) => prop_assert!(false, "{members:?} {inside:?}"),
    }
    Ok(())
}

fn without_body(at: &str) -> String {
    let inside = at.strip_prefix("body").unwrap_or(at);
    inside.strip_prefix('.').unwrap_or(inside).to_owned()
}

/// What was noted, with the places moved.
fn journal(planned: &Planned, moved: impl Fn(&str) -> String) -> Vec<String> {
    let texts = planned.journal.iter().map(|event| match event {
        Event::SessionValueAbsent { argument, source } => {
            format!("absent {} {source}", moved(argument))
        }
        other => {
            let text = other.to_string();
            let quoted: Vec<String> = text.split('`').map(&moved).collect();
            quoted.join("`")
        }
    });
    texts.collect()
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(json!("x")),
        Just(json!("ada@example.com")),
        Just(json!("7")),
        Just(json!("work")),
        Just(json!(7)),
        Just(json!(7.0)),
        Just(json!(-1)),
        Just(json!(true)),
        Just(json!("{\"city\": \"Rome\"}")),
        Just(json!("far too long a name")),
        Just(Value::Null),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            proptest::collection::vec((name(), inner), 0..4).prop_map(object),
        ]
    })
}

fn name() -> impl Strategy<Value = &'static str> {
    select(vec![
        "name", "age", "email", "phone", "kind", "id", "store", "home", "tags", "street", "city",
        "within", "text", "body", "X_Tenant", "other",
    ])
}

fn object(members: Vec<(&str, Value)>) -> Value {
    Value::Object(members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400.max(ProptestConfig::default().cases)))]

    #[test]
    fn body_arguments_send_and_report_the_same_as_a_body_argument(
        given in proptest::collection::vec((name(), value()), 0..6),
        is_named in any::<bool>(),
        has_session in any::<bool>(),
    ) {
        let mut arguments = object(given);
        if is_named {
            arguments["name"] = json!("Ada");
            arguments["phone"] = json!("1");
        }
        let session = if has_session { tenant() } else { Session::default() };
        check_both(&arguments, &session)?;
    }
}
