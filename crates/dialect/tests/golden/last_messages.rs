//! Tests the last messages of models, which call nothing: each is read as no calls, whatever its parts hold. What a provider ran itself
//! is no call of the message, and a name or a text may look like anything.

use callgate_dialect::Dialect;
use callgate_tool::{Value, json};

/// Checks that a message is read as no calls.
#[track_caller]
fn ends(dialect: Dialect, message: &Value) {
    let read = dialect.read(message.clone(), |_| None);
    let read = read.unwrap_or_else(|error| panic!("{dialect}: {error}: {message}"));
    assert!(read.calls().is_empty(), "{dialect}: {message}");
}

/// Checks the message of a role with each of these parts, and with all of them.
#[track_caller]
fn parts_end(dialect: Dialect, message: impl Fn(Value) -> Value, parts: &[Value]) {
    for part in parts {
        ends(dialect, &message(json!([part])));
    }
    ends(dialect, &message(parts.to_vec().into()));
}

#[test]
fn final_messages_of_chat_completions_have_no_calls() {
    for more in [
        json!({"content": "Done: {\"tool\": \"a\", \"tool_calls\": [1]}"}),
        json!({"content": null, "refusal": "No.", "tool_calls": []}),
        json!({"content": "Done.", "name": "agent", "function_call": null, "audio": null}),
        json!({"content": "Done.", "annotations": [{"type": "url_citation", "url_citation": {"url": "https://a.example"}}]}),
        json!({"content": "Done.", "reasoning_content": "call the tool", "tool_calls": null}),
        json!({"content": [{"type": "text", "text": "Done."}, {"type": "refusal", "refusal": "No."}]}),
    ] {
        let mut message = more.as_object().unwrap().clone();
        message.insert("role".to_owned(), json!("assistant"));
        let message = Value::from(message);
        ends(Dialect::OpenAi, &message);
        ends(Dialect::OpenAi, &json!({"choices": [{"message": message, "finish_reason": "stop"}]}));
    }
}

#[test]
fn final_messages_of_responses_have_no_calls() {
    let text = json!({"type": "output_text", "text": "Done.", "annotations": []});
    let items = [
        json!({"type": "message", "id": "m", "role": "assistant", "status": "completed", "content": [text]}),
        json!({"type": "reasoning", "id": "r", "summary": [{"type": "summary_text", "text": "a"}]}),
        json!({"type": "web_search_call", "id": "w", "status": "completed", "action": {"type": "search", "query": "a"}}),
        json!({"type": "file_search_call", "id": "f", "queries": ["a"], "results": null}),
        json!({"type": "code_interpreter_call", "id": "c", "code": "f()", "outputs": [{"type": "logs", "logs": "a"}]}),
        json!({"type": "image_generation_call", "id": "i", "result": "aGk="}),
        json!({"type": "mcp_list_tools", "id": "l", "server_label": "a", "tools": [{"name": "b", "input_schema": {}}]}),
        json!({"type": "mcp_call", "id": "x", "server_label": "a", "name": "b", "arguments": "{}", "output": "c"}),
    ];
    parts_end(Dialect::Responses, |items| items, &items);
    parts_end(Dialect::Responses, |output| json!({"object": "response", "output": output}), &items);
}

#[test]
fn final_messages_of_anthropic_have_no_calls() {
    let parts = [
        json!({"type": "text", "text": "Done.", "citations": [{"type": "char_location", "document_title": "a"}]}),
        json!({"type": "thinking", "thinking": "call tool_use", "signature": "s"}),
        json!({"type": "redacted_thinking", "data": "d"}),
        json!({"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"query": "a"}}),
        json!({"type": "web_search_tool_result", "tool_use_id": "s", "content": [{"type": "web_search_result", "title": "a"}]}),
        json!({"type": "mcp_tool_use", "id": "m", "name": "b", "server_name": "c", "input": {}}),
        json!({"type": "mcp_tool_result", "tool_use_id": "m", "content": [{"type": "text", "text": "d"}]}),
        json!({"type": "container_upload", "file_id": "f"}),
    ];
    let message = |content| json!({"role": "assistant", "content": content});
    parts_end(Dialect::Anthropic, message, &parts);
    ends(Dialect::Anthropic, &json!({"role": "assistant", "content": "Done."}));
}

#[test]
fn final_messages_of_bedrock_have_no_calls() {
    let parts = [
        json!({"text": "Done."}),
        json!({"reasoningContent": {"reasoningText": {"text": "toolUse", "signature": "s"}}}),
        json!({"document": {"name": "a", "format": "txt", "source": {"text": "b"}}}),
        json!({"image": {"format": "png", "source": {"bytes": "aGk="}}}),
        json!({"citationsContent": {"content": [{"text": "a"}], "citations": []}}),
        json!({"guardContent": {"text": {"text": "a"}}}),
        json!({"cachePoint": {"type": "default"}}),
    ];
    let message = |content| json!({"role": "assistant", "content": content});
    parts_end(Dialect::Bedrock, message, &parts);
    parts_end(Dialect::Bedrock, |content| json!({"output": {"message": message(content)}}), &parts);
}

#[test]
fn final_messages_of_gemini_have_no_calls() {
    let parts = [
        json!({"text": "Done."}),
        json!({"text": "I call it.", "thought": true, "thoughtSignature": "s"}),
        json!({"inlineData": {"mimeType": "image/png", "data": "aGk="}}),
        json!({"executableCode": {"language": "PYTHON", "code": "f()"}}),
        json!({"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "a"}}),
        json!({"toolCall": {"toolType": "GOOGLE_SEARCH_WEB", "args": {"queries": ["a"]}, "id": "t"}}),
        json!({"toolResponse": {"toolType": "GOOGLE_SEARCH_WEB", "response": {"a": "b"}, "id": "t"}}),
    ];
    let content = |parts| json!({"role": "model", "parts": parts});
    parts_end(Dialect::Gemini, content, &parts);
    let response = |parts| json!({"candidates": [{"content": content(parts), "index": 0}]});
    parts_end(Dialect::Gemini, response, &parts);
}

#[test]
fn final_messages_of_semantic_kernel_have_no_calls() {
    let items = [
        json!({"content_type": "text", "text": "Done."}),
        json!({"content_type": "image", "uri": "https://a.example", "mime_type": "image/png"}),
        json!({"content_type": "reasoning", "text": "function_call"}),
    ];
    let message = |items| json!({"role": "assistant", "name": "agent", "items": items});
    parts_end(Dialect::SemanticKernel, message, &items);
    let items = [
        json!({"$type": "TextContent", "Text": "Done."}),
        json!({"$type": "ImageContent", "Uri": "https://a.example", "MimeType": "image/png"}),
    ];
    let message =
        |items| json!({"Role": {"Label": "assistant"}, "AuthorName": "agent", "Items": items});
    parts_end(Dialect::SemanticKernel, message, &items);
}

#[test]
fn final_messages_of_conversations_have_no_calls() {
    let outputs = [
        json!({"text": "Done.", "turnCompleted": true}),
        json!({"audio": "aGk=", "turnIndex": 1}),
        json!({"payload": {"tool": "a", "name": "b"}}),
        json!({"diagnosticInfo": {"messages": []}}),
    ];
    parts_end(Dialect::Ces, |outputs| json!({"outputs": outputs}), &outputs);
    let messages = [
        json!({"text": {"text": ["Done."]}}),
        json!({"payload": {"tool": "a", "calls": [1]}}),
        json!({"conversationSuccess": {"metadata": {"name": "a"}}}),
        json!({"endInteraction": {}}),
    ];
    let answer = |messages| json!({"queryResult": {"responseMessages": messages}});
    parts_end(Dialect::Dialogflow, answer, &messages);
}
