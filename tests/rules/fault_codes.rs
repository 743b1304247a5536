//! Every class of failure is shown once by a fixture. What a recorded answer cannot show, because no answer comes or
//! none is asked for, is shown by a test that is named here and must exist.

use crate::prelude::*;
use callgate_tool::FaultCode;

use super::workspace::{case_files, rust_files};

/// Codes that no recording can show, each with the test that shows it.
const SHOWN_BY_A_TEST: &[(FaultCode, &str)] = &[
    (FaultCode::AnswerLost, "a_call_that_an_earlier_process_made_is_not_made_again"),
    (FaultCode::AuditFailed, "a_call_that_cannot_be_audited_is_refused_unless_in_best_effort_mode"),
    (FaultCode::AuthFailed, "a_slow_store_delays_only_the_calls_that_need_it"),
    (FaultCode::Conflict, "a_change_that_meets_the_lock_of_another_one_is_reported_as_a_conflict"),
    (FaultCode::ConstraintViolated, "a_constraint_names_offered_columns_and_no_value_of_a_row"),
    (
        FaultCode::Internal,
        "a_statement_of_callgate_that_the_database_does_not_take_is_a_fault_of_callgate",
    ),
    (FaultCode::NotFound, "a_row_that_is_not_there_has_its_own_code"),
    (FaultCode::RowChanged, "a_change_of_another_version_is_refused"),
    (FaultCode::StaleDescription, "a_column_that_changed_since_the_load_ends_the_call"),
    (FaultCode::TooManyRows, "a_change_by_conditions_stays_within_its_limit"),
    (FaultCode::KeyReused, "another_call_under_a_key_is_refused_unless_it_is_of_another_principal"),
    (FaultCode::Rejected, "a_rejected_call_fails_with_ask_user_and_cannot_be_approved_later"),
    (FaultCode::UnknownApproval, "an_approval_counts_only_for_its_principal_session_and_tool"),
    (FaultCode::NeedsApproval, "a_call_that_cannot_be_stored_until_its_decision_is_refused"),
    (FaultCode::NeedsValues, "a_tool_that_elicits_is_refused_without_a_client_that_can_ask"),
    (FaultCode::NotSupported, "a_body_that_cannot_be_written_is_reported_with_its_media_type"),
    (FaultCode::OutcomeUnknown, "a_call_that_its_caller_abandoned_is_not_made_again"),
    (FaultCode::Overloaded, "calls_beyond_the_concurrency_limit_are_refused_with_a_time_to_retry"),
    (FaultCode::RateLimited, "a_rate_limit_admits_its_burst_and_says_when_to_retry"),
    (FaultCode::StillRunning, "a_repetition_of_a_running_call_is_answered_still_running"),
    (FaultCode::Stopped, "calls_that_outlast_the_drain_are_answered_with_the_results_so_far"),
    (FaultCode::TimedOut, "an_answer_that_does_not_come_or_end_is_a_fault_with_its_cause"),
    (FaultCode::ToolRemoved, "a_waiting_call_whose_tool_was_removed_ends_as_removed"),
    (
        FaultCode::UnknownSession,
        "a_call_in_a_session_that_is_not_stored_is_refused_if_it_reads_a_hidden_value",
    ),
    (FaultCode::Unreachable, "an_unresolved_name_and_a_closed_port_are_faults_with_their_cause"),
];

/// The rule: codes that neither a fixture nor a listed test shows.
fn not_shown(codes: &[FaultCode], shown: &BTreeSet<String>) -> Vec<&'static str> {
    let listed = |code: FaultCode| SHOWN_BY_A_TEST.iter().any(|(each, _)| *each == code);
    let missing = codes.iter().filter(|code| !shown.contains(code.as_str()) && !listed(**code));
    missing.map(|code| code.as_str()).collect()
}

/// The rule: listed tests that are not there.
fn missing_tests(tests: &[(FaultCode, &'static str)], sources: &str) -> Vec<&'static str> {
    let missing = tests.iter().filter(|(_, name)| !sources.contains(&format!("fn {name}()")));
    missing.map(|(_, name)| *name).collect()
}

fn code_in(result: &str) -> Option<String> {
    let result: Value = serde_json::from_str(result).expect("a result is JSON");
    result["error"]["code"].as_str().map(str::to_owned)
}

#[test]
fn a_fault_code_without_a_fixture_or_test_is_refused() {
    let shown = code_in(r#"{"id":"1","error":{"code":"refused"}}"#).into_iter().collect();
    let codes = [FaultCode::Refused, FaultCode::UnknownTool, FaultCode::TimedOut];
    assert_eq!(not_shown(&codes, &shown), ["unknown_tool"]);
}

#[test]
fn a_listed_test_that_does_not_exist_is_refused() {
    let tests = [(FaultCode::TimedOut, "it_times_out"), (FaultCode::Unreachable, "it_is_there")];
    assert_eq!(missing_tests(&tests, "fn it_is_there() {}"), ["it_times_out"]);
}

#[test]
fn every_fault_code_is_shown_by_a_fixture_or_a_listed_test() {
    let results = case_files("result.json");
    let shown = results.iter().filter_map(|file| code_in(&file.text)).collect();
    assert_eq!(not_shown(FaultCode::ALL, &shown), [""; 0]);
}

#[test]
fn every_listed_test_exists() {
    let files = ["crates", "tests"].map(rust_files);
    let sources: String = files.iter().flatten().map(|file| file.text.as_str()).collect();
    assert_eq!(missing_tests(SHOWN_BY_A_TEST, &sources), [""; 0]);
}
