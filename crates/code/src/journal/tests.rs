//! A journal as a text, and what an approval covers.

use callgate_tool::{PendingKind, Reached, json};

use super::*;

fn call(state: CallState) -> AskedCall {
    AskedCall {
        name: Name { module: Some("pets".to_owned()), name: "addPet".to_owned() },
        positional: vec![Value::parse("1.10").unwrap()],
        named: Object::from([("a", json!({"b": [1]}))]),
        tool: Some("pets-addPet".to_owned()),
        is_write: true,
        state,
        approval: None,
        notes: vec!["n".to_owned()],
    }
}

#[test]
fn a_journal_is_read_as_it_was_written() {
    let mut journal =
        ProgramJournal::new("for x in y:\n    await addPet(x)", "monty 1", "a1".to_owned());
    journal = journal.with_task("add all", 3);
    journal.names.insert("pets".to_owned(), Meaning::Module);
    journal.tools.insert("pets-addPet".to_owned(), "00".to_owned());
    journal.sessions.insert("pets-addPet".to_owned(), "01".to_owned());
    journal.credentials.insert("me".to_owned());
    let request = json!({"method": "POST", "url": "https://a.example", "price": Value::parse("2.50").unwrap()});
    let pending = Pending::new(PendingKind::Approval, "approval_1", request);
    let raised = Raised { text: "x: y".to_owned(), fault: json!({"code": "x"}) };
    let failed = Ended::Failed("conflict".to_owned(), Reached::Yes);
    for state in [
        CallState::Asked,
        CallState::Begun,
        CallState::Ended(Ended::Answered, Some(Ok(json!({"id": 7})))),
        CallState::Ended(failed, Some(Err(raised))),
        CallState::Ended(Ended::Answered, None),
        CallState::Waiting(Box::new(pending)),
    ] {
        journal.add_call(call(state));
    }
    let given = CallApproval::Given { id: "approval_1".to_owned(), covers: 2 };
    journal.calls[2].approval = Some(given);
    journal.calls[4].approval = Some(CallApproval::Covered("approval_1".to_owned()));
    journal.events.push(Event::Delivered(2));
    let text = journal.to_text();
    assert_eq!(ProgramJournal::from_bytes(text.as_bytes()), Some(journal.clone()));
    assert_eq!(journal.lines_with_name("addPet"), [2]);
    assert_eq!(
        journal.writes_text(),
        "`pets-addPet` (call 2, maybe), `pets-addPet` (call 3), `pets-addPet` (call 4, maybe), `pets-addPet` (call 5)"
    );
    for bad in ["", "{}", r#"{"form": 5}"#, &text.replace("[\"delivered\",2]", "[\"delivered\",9]")]
    {
        assert_eq!(ProgramJournal::from_bytes(bad.as_bytes()), None, "{bad}");
    }
}

#[test]
fn an_approval_covers_as_many_calls_of_its_tool_as_the_person_and_the_rule_say() {
    let mut journal = ProgramJournal::new("x", "monty 1", String::new());
    for (tool, approval) in [
        ("pets-addPet", Some(CallApproval::Given { id: "a".to_owned(), covers: 2 })),
        ("pets-addPet", Some(CallApproval::Covered("a".to_owned()))),
        ("pets-addPet", None),
        ("pets-dropPet", None),
    ] {
        let tool = Some(tool.to_owned());
        journal.add_call(AskedCall { tool, approval, ..call(CallState::Asked) });
    }
    assert_eq!(journal.covering_approval("pets-addPet", 9), Some("a"));
    assert_eq!(journal.covering_approval("pets-addPet", 1), None);
    assert_eq!(journal.covering_approval("pets-dropPet", 9), None);
    journal.calls[2].approval = Some(CallApproval::Covered("a".to_owned()));
    assert_eq!(journal.covering_approval("pets-addPet", 9), None);
}

#[test]
fn a_full_journal_keeps_no_further_values() {
    let mut journal = ProgramJournal::new("x", "monty 1", String::new());
    journal.add_call(call(CallState::Asked));
    journal.end_call(0, Ended::Answered, Ok("a".repeat(MOST_BYTES).into()));
    assert!(journal.is_full());
    assert!(journal.answer(0).is_some(), "the code gets it");
    assert!(journal.answer(0).is_none(), "and nobody else");
    journal.add_call(call(CallState::Asked));
    assert!(journal.calls[1].positional.is_empty());
}

#[test]
fn numbers_of_many_digits_and_questions_fill_a_journal() {
    let digits = Value::parse(&"1".repeat(MOST_BYTES)).unwrap();
    let fraction = Value::parse(&format!("0.{}", "1".repeat(MOST_BYTES))).unwrap();
    for value in [digits, fraction] {
        let mut journal = ProgramJournal::new("x", "monty 1", String::new());
        journal.add_call(call(CallState::Asked));
        journal.end_call(0, Ended::Answered, Ok(value));
        assert!(journal.is_full());
    }
    let mut journal = ProgramJournal::new("x", "monty 1", String::new());
    journal.count_request_size(&json!({"text": "a".repeat(MOST_BYTES)}));
    assert!(journal.is_full());
}

#[test]
fn names_count_as_what_the_journal_holds() {
    let mut journal = ProgramJournal::new("x", "monty 1", String::new());
    let why = "w".repeat(MOST_BYTES / 4);
    for number in 0..8 {
        journal.add_name(format!("a{number}"), Meaning::Unknown(why.clone()));
    }
    assert_eq!((journal.names.len(), journal.is_full()), (3, true));
    let mut journal = ProgramJournal::new("x", "monty 1", String::new());
    for number in 0..=MOST_NAMES {
        journal.add_name(format!("a{number}"), Meaning::Function);
    }
    assert_eq!((journal.names.len(), journal.is_full()), (MOST_NAMES, false));
    let name = Name { module: None, name: "a".repeat(MOST_BYTES) };
    journal.add_call(AskedCall { name, ..call(CallState::Asked) });
    assert!(journal.is_full());
}
