//! Images and files of a user, in the form in which each provider takes them.

use callgate_agent::{Error, ErrorKind, Input, InputPart, Transcript};
use callgate_dialect::Dialect;
use callgate_testkit::rows;
use callgate_tool::{StoredResult, Value, json};

use crate::{
    fake::DIALECTS,
    shop::{Talk, context, unasked},
};

fn words(text: &str) -> InputPart {
    InputPart::Text(text.to_owned())
}

fn file(media_type: &str, name: Option<&str>, bytes: &'static [u8]) -> InputPart {
    let file = StoredResult::new(media_type, bytes.into());
    InputPart::File(file.with_filename(name.map(str::to_owned)))
}

fn image() -> InputPart {
    file("image/png", Some("a.png"), b"\x89PNG")
}

/// The last message of the request that carries an input. The conversation is kept, read again and goes on.
async fn sent(dialect: Dialect, parts: Vec<InputPart>) -> Result<Value, Error> {
    let mut talk = Talk::new(dialect, [], unasked());
    let turn = talk.turn_in(Input::Parts(parts), &context()).await;
    if let Err(error) = turn {
        assert_eq!(
            (talk.n_requests(), talk.transcript.messages_with_results().len()),
            (0, 0),
            "{dialect}"
        );
        return Err(error);
    }
    let messages = |body: Value| {
        let list = ["messages", "contents", "input"].iter().find_map(|name| body.get(*name));
        list.and_then(Value::as_array).unwrap().clone()
    };
    let message = messages(talk.last()).pop().unwrap();
    let (mut kept, repair) = Transcript::from_text(&talk.transcript.to_text(), |_| None)?;
    assert!(repair.is_nothing(), "{dialect}: {repair}");
    talk.agent.turn(&mut kept, Input::text("And now?"), &context()).await?;
    assert_eq!(messages(talk.last())[0], message, "{dialect}: the files go with each request");
    talk.refused_nothing();
    Ok(message)
}

/// The parts of the message that a provider gets.
async fn blocks(dialect: Dialect, parts: Vec<InputPart>) -> Result<Vec<Value>, Error> {
    let message = sent(dialect, parts).await?;
    let member = if dialect == Dialect::Gemini { "parts" } else { "content" };
    Ok(message[member].as_array().unwrap().clone())
}

#[tokio::test]
async fn images_and_documents_are_sent_in_the_form_of_each_dialect() {
    let input = || {
        vec![
            words("What is this?"),
            image(),
            file("application/pdf; version=1.7", Some("my report.pdf"), b"%PDF"),
            file("text/csv", Some("t.csv"), b"a,b\n"),
        ]
    };
    for (dialect, [expected]) in DIALECTS.into_iter().zip(rows(SENT)) {
        let expected = Value::parse(expected).unwrap();
        let sent = blocks(dialect, input()).await.unwrap();
        assert_eq!(&sent, expected.as_array().unwrap(), "{dialect}");
    }
}

/// The contents that Chat Completions, Messages, Gemini, Responses and Bedrock get, in the order of `DIALECTS`.
const SENT: &str = r#"
    [{"type": "text", "text": "What is this?"}, {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw=="}}, {"type": "file", "file": {"filename": "my report.pdf", "file_data": "data:application/pdf;base64,JVBERg=="}}, {"type": "text", "text": "a,b\n"}]
    [{"type": "text", "text": "What is this?"}, {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw=="}}, {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": "JVBERg=="}, "title": "my report.pdf"}, {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "a,b\n"}, "title": "t.csv"}]
    [{"text": "What is this?"}, {"inlineData": {"mimeType": "image/png", "data": "iVBORw=="}}, {"inlineData": {"mimeType": "application/pdf", "data": "JVBERg=="}}, {"inlineData": {"mimeType": "text/csv", "data": "YSxiCg=="}}]
    [{"type": "input_text", "text": "What is this?"}, {"type": "input_image", "detail": "auto", "image_url": "data:image/png;base64,iVBORw=="}, {"type": "input_file", "filename": "my report.pdf", "file_data": "data:application/pdf;base64,JVBERg=="}, {"type": "input_file", "filename": "t.csv", "file_data": "data:text/csv;base64,YSxiCg=="}]
    [{"text": "What is this?"}, {"image": {"format": "png", "source": {"bytes": "iVBORw=="}}}, {"document": {"format": "pdf", "name": "my report pdf 0-2", "source": {"bytes": "JVBERg=="}}}, {"document": {"format": "csv", "name": "t csv 0-3", "source": {"bytes": "YSxiCg=="}}}]
"#;

#[tokio::test]
async fn a_file_that_a_dialect_does_not_take_is_refused_with_its_place_before_anything_is_sent() {
    for (dialect, media_type, is_taken) in [
        (Dialect::OpenAi, "audio/mpeg", true),
        (Dialect::OpenAi, "audio/x-wav", true),
        (Dialect::OpenAi, "image/jpg", true),
        (Dialect::OpenAi, "image/tiff", false),
        (Dialect::OpenAi, "application/zip", false),
        (Dialect::OpenAi, "", false),
        (Dialect::Responses, "application/msword", true),
        (Dialect::Responses, "audio/mpeg", false),
        (Dialect::Anthropic, "IMAGE/GIF", true),
        (Dialect::Anthropic, "image/svg+xml", false),
        (Dialect::Anthropic, "application/msword", false),
        (Dialect::Gemini, "image/heic", true),
        (Dialect::Gemini, "video/mp4", true),
        (Dialect::Gemini, "image/gif", false),
        (Dialect::Bedrock, "text/html", true),
        (Dialect::Bedrock, "application/json", false),
        (Dialect::Bedrock, "video/mp4", false),
    ] {
        let parts = vec![words("Look."), file(media_type, None, b"abc")];
        let sent = blocks(dialect, parts).await;
        assert_eq!(sent.is_ok(), is_taken, "{dialect}: {media_type}");
        let Err(error) = sent else { continue };
        assert_eq!(error.kind(), ErrorKind::Input);
        let said = error.to_string();
        let expected = format!("`input.1`: expected a file that `{dialect}` takes (");
        assert!(said.starts_with(&expected), "{said}");
    }
    let no_text = vec![words("Look."), file("text/plain", None, b"\xff")];
    let said = blocks(Dialect::OpenAi, no_text).await.unwrap_err().to_string();
    assert_eq!(said, "`input.1`: expected a text in UTF-8, got other bytes");
}

#[tokio::test]
async fn an_input_of_files_is_bounded_and_says_something() {
    let large: &'static [u8] = vec![b'a'; 8 << 20].leak();
    for dialect in DIALECTS {
        let mut rows = vec![
            (vec![], "`input`: expected words, got none"),
            (vec![words(" ")], "`input`: expected words, got none"),
            (vec![image(); 21], "`input`: expected at most 20 files"),
            (
                vec![file("image/png", None, large); 2],
                "`input`: expected files of at most 14680064 bytes together",
            ),
        ];
        if dialect == Dialect::Bedrock {
            let document = file("application/pdf", None, b"%PDF");
            let lone =
                "`input`: expected words beside a document, which `bedrock` does not take alone";
            rows.push((vec![document], lone));
        }
        for (parts, expected) in rows {
            let error = sent(dialect, parts).await.unwrap_err();
            assert_eq!((error.kind(), &*error.to_string()), (ErrorKind::Input, expected));
        }
        let only = blocks(dialect, vec![words(""), image()]).await.unwrap();
        assert_eq!(only.len(), 1, "{dialect}: a blank text is left out");
    }
}

#[tokio::test]
async fn documents_of_several_turns_have_several_names_at_bedrock() {
    let mut talk = Talk::new(Dialect::Bedrock, [], unasked());
    for _ in 0..2 {
        let parts = vec![words("Read."), file("application/pdf", Some("ä/1.pdf"), b"%PDF")];
        talk.turn(Input::Parts(parts)).await;
    }
    let body = talk.last();
    let messages = body["messages"].as_array().unwrap();
    let names = messages.iter().filter_map(|message| message.pointer("/content/1/document/name"));
    assert_eq!(names.cloned().collect::<Vec<_>>(), [json!("1 pdf 0-1"), json!("1 pdf 2-1")]);
}
