//! `callgate audit verify FILE…`: checks that the lines of audit files are as they were written.

use std::path::Path;

use callgate::{
    Secret,
    secret::{LocalStores, SecretReference, SecretStore},
};
use callgate_policy::{ErrorKind, FlawKind, Verified, verify_audit};
use callgate_tool::json;

use crate::{
    args::VerifyArguments,
    exit::{Failure, Verdict, error_with_cause},
    output,
};

pub(crate) fn verify_files(arguments: &VerifyArguments) -> Result<Verdict, Failure> {
    let key = read_key(&arguments.key)?;
    let verified = verify_audit(&arguments.files, &key, arguments.head.as_deref());
    let verified = verified.map_err(|error| {
        let help = match error.kind() {
            ErrorKind::ShortKey => "name the key that the chain was made with: `--key env:AUDIT_KEY`",
            _ => "name the files of the chain, the oldest first; `audit: {file: …}` says where they are",
        };
        Failure(format!("error: {}\nhelp: {help}", error_with_cause(&error)))
    })?;
    if arguments.json {
        output::print_result(&format!("{:#}\n", verification_json(&verified)));
    } else {
        print_verification(&verified);
    }
    Ok(Verdict::findings_if(verified.flaw.is_some()))
}

fn print_verification(verified: &Verified) {
    let Verified { n_lines, first, head, n_torn, flaw, .. } = verified;
    if let Some(flaw) = flaw {
        output::print_result(&format!("{flaw}\n"));
        output::print_message(
            "help: name all files of the chain, the oldest first, and the key it was made with; a copy that was kept elsewhere shows \
             what stood there\n",
        );
    }
    if *first > 1 {
        output::print_message_line(&format!(
            "begins with line {first}: those before are in other files"
        ));
    }
    if *n_torn > 0 {
        output::print_message_line(&format!(
            "{n_torn} torn: the disk was full or a process ended while it wrote; the line behind says so"
        ));
    }
    output::print_result(&format!("{n_lines} lines are as they were written\n"));
    if let Some(head) = head {
        output::print_result(&format!("head {head}\n"));
    }
}

fn verification_json(verified: &Verified) -> callgate_tool::Value {
    let flaw = verified.flaw.as_ref().map(|flaw| {
        let kind = match flaw.kind {
            FlawKind::Altered => "altered",
            FlawKind::Cut => "cut",
            FlawKind::Missing => "missing",
            FlawKind::Torn => "torn",
        };
        json!({"file": flaw.file.display().to_string(), "line": flaw.line, "kind": kind, "message": flaw.to_string()})
    });
    json!({
        "lines": verified.n_lines,
        "first": verified.first,
        "head": verified.head.clone(),
        "torn": verified.n_torn,
        "flaw": flaw,
    })
}

fn read_key(reference: &str) -> Result<Secret, Failure> {
    let failed = |error: &dyn std::fmt::Display| {
        Failure(format!("error: no key: {error}\nhelp: `--key env:NAME` or `--key file:PATH`"))
    };
    let reference: SecretReference = reference.parse().map_err(|error| failed(&error))?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| failed(&error))?;
    let store = LocalStores::new(Path::new(""));
    runtime.block_on(store.get(&reference)).map_err(|error| failed(&error))
}
