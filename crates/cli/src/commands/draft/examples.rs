//! Reads the examples that the flags name.

use std::{io, path::Path};

use callgate_draft::{
    Error, Exchange, Given, Source, read_curl_commands, read_har, read_http_messages,
    read_postman_collection,
};

use crate::{
    args::DraftArguments,
    commands::test::sorted_entries,
    exit::{Failure, error_with_cause},
    partial_file::read_below_refusing_links,
};

pub(super) fn read_examples(arguments: &DraftArguments) -> Result<Source, Failure> {
    let mut whole = Source::default();
    if let Some(url) = &arguments.url {
        whole.exchanges.push(exchange_from_flags(url, arguments)?);
    }
    for path in &arguments.har {
        add_source(&mut whole, read_har(&read_file(path)?, &quoted_file_name(path)))?;
    }
    for path in &arguments.postman {
        add_source(
            &mut whole,
            read_postman_collection(&read_file(path)?, &quoted_file_name(path)),
        )?;
    }
    for command in &arguments.curl {
        let is_command = command.trim_start().starts_with("curl");
        if is_command && !Path::new(command).exists() {
            add_source(&mut whole, read_curl_commands(command, "`--curl`"))?;
        } else {
            let path = Path::new(command);
            add_source(&mut whole, read_curl_commands(&read_file(path)?, &quoted_file_name(path)))?;
        }
    }
    for folder in &arguments.fixtures {
        add_cases(&mut whole, folder, 0)?;
    }
    Ok(whole)
}

fn add_source(whole: &mut Source, read: Result<Source, Error>) -> Result<(), Failure> {
    let mut read = read.map_err(|error| Failure(format!("error: {}", error_with_cause(&error))))?;
    whole.exchanges.append(&mut read.exchanges);
    whole.notes.append(&mut read.notes);
    Ok(())
}

fn exchange_from_flags(url: &str, arguments: &DraftArguments) -> Result<Exchange, Failure> {
    let read = |path: &Option<std::path::PathBuf>| path.as_deref().map(read_file).transpose();
    let (input, output) = (read(&arguments.input)?, read(&arguments.output)?);
    let headers = arguments.header.iter().map(|header| {
        let parts = header
            .split_once(':')
            .map(|(name, value)| (name.trim().to_owned(), value.trim().to_owned()));
        parts.ok_or_else(|| {
            // A header without a name may be a key.
            let error =
                "error: expected a header such as `Accept: text/csv`, got one without a `:`";
            Failure(error.to_owned())
        })
    });
    let given = Given {
        method: &arguments.method,
        url,
        headers: &headers.collect::<Result<Vec<_>, _>>()?,
        input: input.as_deref(),
        output: output.as_deref(),
        status: arguments.status,
    };
    Exchange::from_given(given)
        .map_err(|error| Failure(format!("error: {}", error_with_cause(&error))))
}

/// A browser's recording of an hour is smaller.
const MOST_BYTES: usize = 256 << 20;
/// Deeper folders are not fixtures.
const DEEPEST: usize = 6;

/// Adds the cases in a folder and in those below it. No link is followed: fixtures may be those of others.
fn add_cases(whole: &mut Source, folder: &Path, depth: usize) -> Result<(), Failure> {
    if folder.join("request.http").is_file() {
        let request = read_message(folder, "request.http")?;
        let response = folder.join("response.http").is_file();
        let response = response.then(|| read_message(folder, "response.http")).transpose()?;
        return add_source(
            whole,
            read_http_messages(&request, response.as_deref(), &quoted_file_name(folder)),
        );
    }
    let is_folder = |entry: &&std::path::PathBuf| entry.is_dir() && !entry.is_symlink();
    for entry in sorted_entries(folder)?.iter().filter(is_folder).filter(|_| depth < DEEPEST) {
        add_cases(whole, entry, depth + 1)?;
    }
    Ok(())
}

fn read_message(folder: &Path, name: &str) -> Result<String, Failure> {
    let bytes = read_below_refusing_links(folder, name)
        .map_err(|error| unreadable_file_failure(&folder.join(name), &error))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn unreadable_file_failure(path: &Path, error: &io::Error) -> Failure {
    let help = "name a file that is there and can be read";
    Failure::with_help(&format!("cannot read `{}`: {error}", path.display()), help)
}

pub(super) fn read_file(path: &Path) -> Result<String, Failure> {
    let read = callgate_config::read_file(path, MOST_BYTES);
    let bytes = read.map_err(|error| unreadable_file_failure(path, &error))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn quoted_file_name(path: &Path) -> String {
    format!("`{}`", path.file_name().unwrap_or_default().to_string_lossy())
}
