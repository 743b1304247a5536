//! `-o FILE` and `--format raw`: the bytes of a response as they arrive, of any size. A file gets its name once it is
//! complete; an incomplete file is removed if the response breaks off or the user ends the command.

use std::{io, path::Path, pin::pin};

use callgate::{
    Answer, Call, Content, Executor, Outcome,
    result::Json,
    stream::{Piece, ToolStream},
};
use indicatif::{ProgressBar, ProgressStyle};
use tokio::time::Instant;

use super::{
    approve::{self, Consent},
    call_verdict,
    request_printer::time_text,
    show::ResultPrinter,
};
use crate::{
    exit::{Failure, Verdict},
    number::grouped_digits,
    output,
    partial_file::PartialFile,
};

pub(super) async fn download_to_file(
    executor: &Executor,
    call: Call<'_>,
    file: &Path,
    consent: Consent,
    shown: &ResultPrinter,
) -> Result<Verdict, Failure> {
    let started = Instant::now();
    // Checked before anything is sent, so that a file that cannot be made is reported at once. The real file is made
    // when there is a response, so that nothing is left if the user ends the command before.
    drop(create_partial_file(file)?);
    let mut stream = match approve::stream_with_consent(executor, &call, consent).await {
        Ok(stream) => stream,
        Err(result) => return Ok(shown.show_result(&result)),
    };
    let mut partial = create_partial_file(file)?;
    let bar = progress_bar(&stream);
    let mut n_bytes = 0;
    // One signal for all pieces, so that a signal between two pieces is noticed too.
    let mut ended = pin!(tokio::signal::ctrl_c());
    loop {
        let piece = tokio::select! {
            _ = &mut ended => {
                bar.finish_and_clear();
                let file = file.display();
                return Err(Failure(format!("error: ended before the answer was whole\nnote: nothing was written to `{file}`")));
            }
            piece = stream.next() => piece,
        };
        let Some(piece) = piece else { break };
        let bytes = piece_bytes(&piece);
        n_bytes += bytes.len();
        partial.write(bytes).map_err(|error| write_failure(file, &error))?;
        bar.set_position(u64::try_from(n_bytes).unwrap_or(u64::MAX));
    }
    bar.finish_and_clear();
    let media_type = stream.media_type().to_owned();
    let result = stream.into_result();
    let Outcome::Answered(answer) = &result.outcome else {
        let verdict = shown.show_result(&result);
        output::print_message_line(&format!("note: nothing was written to `{}`", file.display()));
        return Ok(verdict);
    };
    if n_bytes == 0 {
        let whole = answer_bytes(answer);
        n_bytes = whole.len();
        partial.write(&whole).map_err(|error| write_failure(file, &error))?;
    }
    partial.rename_to_target().map_err(|error| write_failure(file, &error))?;
    shown.print_notes(&result);
    let kind = if media_type.is_empty() { String::new() } else { format!(" of `{media_type}`") };
    let (n_bytes, took) = (grouped_digits(n_bytes), time_text(started.elapsed()));
    output::print_message_line(&format!(
        "wrote {n_bytes} bytes{kind} to `{}` in {took}",
        file.display()
    ));
    Ok(Verdict::Fine)
}

pub(super) async fn stream_to_standard_output(
    executor: &Executor,
    call: Call<'_>,
    consent: Consent,
    shown: &ResultPrinter,
) -> Result<Verdict, Failure> {
    let mut stream = match approve::stream_with_consent(executor, &call, consent).await {
        Ok(stream) => stream,
        Err(result) => return Ok(shown.show_result(&result)),
    };
    if output::is_stdout_terminal() && !is_text(stream.media_type()) {
        let kind = stream.media_type().to_owned();
        return Err(Failure(format!(
            "error: the answer is `{kind}`, which a terminal cannot show\nhelp: `-o FILE` writes it to a file"
        )));
    }
    let mut n_bytes = 0;
    while let Some(piece) = stream.next().await {
        let bytes = piece_bytes(&piece);
        n_bytes += bytes.len();
        output::print_bytes(bytes);
    }
    let result = stream.into_result();
    match &result.outcome {
        Outcome::Answered(answer) if n_bytes == 0 => output::print_bytes(&answer_bytes(answer)),
        Outcome::Answered(_) => {}
        _ => drop(shown.show_result(&result)),
    }
    Ok(call_verdict(&result))
}

fn piece_bytes(piece: &Piece) -> &[u8] {
    match piece {
        Piece::Bytes(bytes) => bytes,
        Piece::Value(json) => json.text().as_bytes(),
    }
}

/// The bytes of an answer that is already whole: from a tool that is not an operation.
fn answer_bytes(answer: &Answer) -> Vec<u8> {
    match &answer.content {
        Content::Json(json) => format!("{:#}\n", json.value()).into_bytes(),
        parts @ Content::Parts(_) => {
            format!("{:#}\n", Json::from_serializable(parts).value()).into_bytes()
        }
        Content::Media { data, .. } => data.to_vec(),
        Content::Text { text, .. } => text.clone().into_bytes(),
        Content::Empty | Content::File { .. } => Vec::new(),
    }
}

fn is_text(media_type: &str) -> bool {
    let is_of = |part: &str| media_type.contains(part);
    media_type.is_empty()
        || media_type.starts_with("text/")
        || ["json", "xml", "yaml", "form"].into_iter().any(is_of)
}

/// The progress bar of a response, if a terminal shows it.
fn progress_bar(stream: &ToolStream) -> ProgressBar {
    if !output::is_stderr_terminal() {
        return ProgressBar::hidden();
    }
    let (bar, template) = match stream.size() {
        Some(size) => (
            ProgressBar::new(size),
            "{bytes} of {total_bytes} [{wide_bar}] {bytes_per_sec}, {eta} left",
        ),
        None => (ProgressBar::no_length(), "{spinner} {bytes}, {bytes_per_sec}"),
    };
    match ProgressStyle::with_template(template) {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

fn create_partial_file(target: &Path) -> Result<PartialFile, Failure> {
    if target.is_dir() || target.file_name().is_none() {
        let target = target.display();
        return Err(Failure(format!(
            "error: `{target}` is a folder\nhelp: name a file in it: `-o {target}/answer`"
        )));
    }
    PartialFile::create_beside(target).map_err(|error| write_failure(target, &error))
}

fn write_failure(file: &Path, error: &io::Error) -> Failure {
    let file = file.display();
    Failure(format!(
        "error: cannot write `{file}`: {error}\nhelp: `-o FILE` names a file in a folder that is there and can be written to"
    ))
}
