//! `callgate init NAME ADDRESS --database`: proposes the tables of a database as entities, and prints the statements that make
//! the least login for them. It runs none of them.

use std::path::Path;

use callgate_database::{FieldSettings, Proposal, ProposedEntity, Surroundings, propose};
use callgate_secret::{LocalStores, Secret, SecretReference, SecretStore as _};
use callgate_tool::{Object, Value, json};
use callgate_transport::{Network, TlsSettings};

use super::{
    super::call::block_on, HEAD, new_configuration_file, write_configuration, write_failure,
};
use crate::{
    args::InitArguments,
    exit::{Failure, Verdict},
    output, yaml,
};

pub(super) fn write_database_config(arguments: &InitArguments) -> Result<Verdict, Failure> {
    let file = new_configuration_file(arguments)?;
    let text = arguments.source.file.to_string_lossy();
    let (address, reference) = address_and_setting(&text, arguments.here)?;
    let around = Surroundings {
        network: Network::new(),
        tls: TlsSettings::new(),
        base: ".".into(),
        sealer: None,
    };
    let proposal = block_on(propose(address, around))?;
    let Proposal { entities, login, allowed, notes, .. } = proposal.map_err(|error| {
        let help = "see that the database runs there and takes the login, or correct the address";
        Failure::with_help(&error.to_string(), help)
    })?;
    if entities.is_empty() {
        let help = "name a database with tables, or a login that sees some";
        return Err(Failure::with_help("expected a table or view at least, got none", help));
    }
    let proposed: Object = entities.iter().map(entity_setting).collect();
    let mut database = json!({"url": reference});
    if let Some(members) = database.as_object_mut().filter(|_| !allowed.is_empty()) {
        members.insert("login", json!({"allow": allowed}));
    }
    let settings = json!({"database": database, "entities": proposed});
    let name = arguments.name.replace('-', "_");
    let toolsets: Object = [(name.clone(), settings)].into_iter().collect();
    let text = format!("{HEAD}{}", yaml::yaml_text(&json!({"toolsets": toolsets})));
    write_configuration(&file, &text, arguments.force)
        .map_err(|error| write_failure(&file, &error))?;
    print_result_and_help(arguments, &file, &entities, &login);
    for note in &notes {
        output::print_message_line(&format!("note: {note}"));
    }
    Ok(Verdict::Fine)
}

/// The address, and what the configuration has in its place. An address with a password is never written down.
fn address_and_setting(text: &str, is_here: bool) -> Result<(Secret, String), Failure> {
    if let Some(file) = text.strip_prefix("sqlite:") {
        // A profile lies elsewhere.
        let full = std::path::absolute(file).ok().filter(|_| !is_here);
        let shown =
            full.map_or_else(|| text.to_owned(), |full| format!("sqlite:{}", full.display()));
        return Ok((Secret::new(text.to_owned()), shown));
    }
    let reference: Result<SecretReference, _> = text.parse();
    let reference = reference.map_err(|_| {
        let message = "expected `sqlite:FILE`, or a reference to the address of a database";
        let help =
            "put the address into a variable: `callgate init shop env:SHOP_DATABASE --database`";
        Failure::with_help(message, help)
    })?;
    let secret = block_on(LocalStores::new(Path::new(".")).get(&reference))?;
    let secret = secret.map_err(|error| {
        Failure::with_help(&error.to_string(), "put the address there, or name another place")
    })?;
    Ok((secret, text.to_owned()))
}

fn entity_setting(proposed: &ProposedEntity) -> (String, Value) {
    let mut keys = Object::new();
    keys.insert("table", Value::from(proposed.table.to_string()));
    keys.insert_unless_empty("description", proposed.description.as_str());
    if !proposed.has_key {
        keys.insert("operations", json!(["list"]));
    }
    if !proposed.fields.is_empty() {
        let fields: Object = proposed.fields.iter().map(field_setting).collect();
        keys.insert("fields", Value::Object(fields));
    }
    (proposed.name.clone(), Value::Object(keys))
}

fn field_setting(field: &FieldSettings) -> (String, Value) {
    let mut keys = Object::new();
    keys.insert_if_some("column", field.column.as_deref());
    keys.insert_unless_empty("description", field.description.as_str());
    (field.name.clone(), Value::Object(keys))
}

fn print_result_and_help(
    arguments: &InitArguments,
    file: &Path,
    entities: &[ProposedEntity],
    login: &[String],
) {
    let name = if arguments.here { "." } else { &arguments.name };
    let n = entities.len();
    let tables = if n == 1 { "1 table is".to_owned() } else { format!("{n} tables are") };
    output::print_result(&format!("{tables} in `{}`\ncallgate tools {name}\n", file.display()));
    if login.is_empty() {
        return;
    }
    output::print_message_line(
        "note: remove the tables that no model needs; this login may read the others and nothing else:",
    );
    let statements: String = login.iter().map(|statement| format!("{statement};\n")).collect();
    output::print_result(&statements);
}
