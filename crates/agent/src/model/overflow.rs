//! Recognizes the error of a conversation that has more tokens than the model can read. Few servers have a code for it; the
//! others have words, which are listed here as they write them.

use callgate_tool::Value;

/// True if an error says, by its kind or in these words, that the conversation is too long.
pub(super) fn is_overflow(error: &Value, said: &str) -> bool {
    let mut names = ["code", "type"].iter().filter_map(|name| error.get(name)?.as_str());
    if names.any(|name| NAMES.contains(&name)) {
        return true;
    }
    let said = said.to_lowercase();
    let is_number = |between: &str| {
        between.trim().trim_matches(['(', ')']).bytes().all(|byte| byte.is_ascii_digit())
    };
    let has_pair = |(first, second): &(&str, &str)| {
        let behind = said.split_once(first).and_then(|(_, rest)| rest.split_once(second));
        behind.is_some_and(|(between, _)| is_number(between))
    };
    WORDS.iter().any(|words| said.contains(words))
        || PAIRS.iter().any(has_pair)
        || is_overlong_input(&said)
}

/// True for a sentence of OpenAI about a text of the conversation, or the list of its messages: `Invalid 'input[0].content': string
/// too long`. The ids and arguments of calls have limits of their own.
fn is_overlong_input(said: &str) -> bool {
    let Some((_, rest)) = said.split_once("invalid '") else { return false };
    let Some((path, rest)) = rest.split_once('\'') else { return false };
    let is_list = matches!(path, "input" | "messages");
    let is_text = ["input[", "messages["].iter().any(|list| path.starts_with(list))
        && ["content", "output", "text"].iter().any(|name| path.ends_with(name));
    (is_list || is_text) && rest.contains("too long. expected")
}

const NAMES: [&str; 11] = [
    "ContextWindowExceededError",
    "characters_too_long",
    "context_exceeded",
    "context_length_exceeded",
    "context_window_exceeded",
    "exceed_context_size_error",
    "model_max_prompt_tokens_exceeded",
    "request_too_large",
    "token_quantity_exceeded",
    "tokens_limit_reached",
    "tokens_too_long",
];
/// Parts of the servers' sentences, in small letters.
const WORDS: [&str; 56] = [
    // OpenAI and vLLM, which many copy; its newer sentences.
    "maximum context length",
    "exceeds the context window",
    "longer than the maximum model length",
    "reduce the length of the messages",
    "context length is only",
    "max_tokens must be at least 1, got -",
    // The codes of OpenAI in the words of proxies.
    "context length exceeded",
    "context_length_exceeded",
    // OpenAI and Groq, of one request that has more tokens than an account has for a minute.
    "request too large for",
    // Anthropic, Bedrock, Fireworks.
    "exceed context limit",
    "exceeds model context window",
    "input is too long",
    "malformed input request: expected maxlength",
    "prompt is too long",
    "number of input tokens exceeds maximum length",
    "too many input tokens",
    // Gemini by its own interface and by Vertex AI.
    "exceeds the maximum number of tokens",
    "input token count is",
    // SGLang.
    "exceeds the maximum allowed length",
    "longer than the model's context length",
    // llama.cpp and its bindings, Ollama, LM Studio.
    "available context size",
    "context the overflows",
    "exceed context window of",
    "exceeds maximum context",
    "exceeds the context length",
    "greater than the context length",
    "is too large to process",
    "prompt too long; exceeded",
    "cannot truncate prompt with n_keep",
    "context shift is disabled",
    "context size has been exceeded",
    "mid-generation context overflow",
    // DS4, OpenRouter, Copilot.
    "but the configured context size is",
    "exceeds context size",
    "maximum allowed input length",
    "prompt token count of",
    // LiteLLM.
    "context window exceeded",
    "contextwindowexceedederror",
    // Text Generation Inference.
    "`inputs` must have less than",
    "tokens + `max_new_tokens` must be",
    // Cohere, DashScope, MiniMax, Moonshot, xAI, Zhipu.
    "number of tokens in the prompt cannot exceed",
    "too many tokens: size limit exceeded",
    "range of input length should be",
    "context window exceeds limit",
    "model token limit",
    "maximum prompt length",
    "prompt exceeds max length",
    // Volcano Engine, SiliconFlow, Baidu.
    "exceed max message tokens",
    "has exceeded max_prompt_tokens",
    "prompt tokens too long",
    "the max input characters is",
    // TensorRT-LLM, SambaNova, watsonx, Cloudflare.
    "should not exceed max_num_tokens",
    "the maximum supported sequence length is just",
    "cannot exceed the total tokens limit",
    "input token count is above the limit",
    "exceeded this model context window limit",
];
/// Parts of sentences with nothing but a number between them, of `SiliconFlow` and Snowflake.
const PAIRS: [(&str, &str); 3] = [
    ("prompt_tokens ", " must be less than max_seq_len"),
    ("max_total_tokens ", " must be less than or equal to max_seq_len"),
    ("max tokens of ", " exceeded"),
];

#[cfg(test)]
mod tests {
    use callgate_tool::json;

    use super::*;
    use crate::wire::error_words;

    /// The sentences of servers, as their documentation and public reports have them.
    const SAID: [&str; 70] = [
        "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens. Please reduce the length of the messages.",
        "This model's maximum context length is 16384 tokens. However, you requested 122946 tokens (112946 in the messages, 10000 in the completion).",
        "Your input exceeds the context window of this model. Please adjust your input and try again.",
        "The decoder prompt (length 5000) is longer than the maximum model length of 4096.",
        "Please reduce the length of the messages or completion. Current length is 10000 while limit is 8192",
        "prompt is too long: 200001 tokens > 200000 maximum",
        "input length and `max_tokens` exceed context limit: 199000 + 4096 > 200000",
        "Input is too long for requested model.",
        "The prompt is too long: 9000, model maximum context length: 8191",
        "The input token count (1048577) exceeds the maximum number of tokens allowed (1048576).",
        "Unable to submit request because the input token count is 32000 but model only supports up to 8192.",
        "The input (5000 tokens) is longer than the model's context length (4096 tokens).",
        "Input length (5000 tokens) exceeds the maximum allowed length (4090 tokens).",
        "Requested token count exceeds the model's maximum context length of 4096 tokens.",
        "the request exceeds the available context size (4096 tokens), try increasing it",
        "the request exceeds the available context size. try increasing the context size or enable context shift",
        "request (5000 tokens) exceeds the available context size (4096 tokens)",
        "input is too large to process. increase the physical batch size",
        "Requested tokens (600) exceed context window of 512",
        "input length exceeds maximum context length",
        "the input length exceeds the context length",
        "Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens",
        "The number of tokens to keep from the initial prompt is greater than the context length.",
        "litellm.ContextWindowExceededError: litellm.BadRequestError: too long",
        "Context window exceeded",
        "This endpoint's maximum context length is 4096 tokens. However, you requested about 5000 tokens",
        "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
        "Input validation error: `inputs` must have less than 1024 tokens. Given: 2000",
        "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4097. Given: 4000 `inputs` tokens and 200 `max_new_tokens`",
        "too many tokens: total number of tokens in the prompt cannot exceed 4081",
        "<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 129024]",
        "invalid params, context window exceeds limit (2013)",
        "Invalid request: Your request exceeded model token limit: 8192",
        "This model's maximum prompt length is 131072 but the request contains 200000 tokens.",
        "Prompt exceeds max length",
        "Total tokens of image and text exceed max message tokens",
        "You passed 8193 input tokens and requested 0 output tokens. However, the model's context length is only 8192 tokens, resulting in a maximum input length of 8192 tokens.",
        "max_tokens must be at least 1, got -1201.",
        "Request too large for gpt-4o in organization org-1 on tokens per min (TPM): Limit 30000, Requested 36055. The input or output tokens must be reduced in order to run successfully.",
        "Request too large for model `llama-3.1-8b-instant` on tokens per minute (TPM): Limit 6000, Requested 6294, please reduce your message size and try again.",
        "Input Tokens Exceeded: Number of input tokens exceeds maximum length. Please update the input to try again.",
        "Too many input tokens. Max input tokens: 8192, request input token count: 8273",
        "prompt too long; exceeded max context length by 12 tokens",
        "Cannot truncate prompt with n_keep (5000) >= n_ctx (4096)",
        "Reached context length of 4096 tokens, but this model does not currently support mid-generation context overflow",
        "Prompt has 40,000 tokens, but the configured context size is 32,768 tokens",
        "Prompt tokens (40000) exceeds context size (32768)",
        "Input exceeds the maximum allowed input length of 131072 tokens",
        "prompt token count of 130000 exceeds the limit of 128000",
        "too many tokens: size limit exceeded by 11326 tokens. Try using shorter or fewer inputs.",
        "Requested generation length 1 is not possible! The provided prompt is 4309 tokens long, so generating 1 tokens requires a sequence length of 4310, but the maximum supported sequence length is just 4096!",
        "The sum of prompt length (72417.0), query length (0) should not exceed max_num_tokens (69632)",
        "Invalid input argument for Model 'meta-llama/llama-2-70b-chat': the number of input tokens 4098 cannot exceed the total tokens limit 4096 for this model",
        "input token count is above the limit",
        "length of prompt_tokens (68957) must be less than max_seq_len (65536).",
        "max_total_tokens (33802) must be less than or equal to max_seq_len (32768)",
        "number of input tokens (167594) has exceeded max_prompt_tokens (163840) limit.",
        "max tokens of 200000 exceeded",
        "5021: The estimated number of input and maximum output tokens (69000) exceeded this model context window limit (32768).",
        "Malformed input request: expected maxLength: 2097152, actual: 2300000, please reformat your input and try again.",
        "Context size has been exceeded.",
        "context shift is disabled",
        "Error code: 400 - {'error': {'type': 'invalid_request_error', 'code': 'context_length_exceeded'}}",
        "Context length exceeded",
        "Request size exceeds model context window",
        "Prompt tokens too long",
        "the max input characters is 516096",
        "Invalid 'messages[17].content': string too long. Expected a string with maximum length 1048576, but got a string with length 1744259 instead.",
        "Invalid 'input[0].content': string too long. Expected a string with maximum length 10485760, but got a string with length 62114761 instead.",
        "Invalid 'messages': array too long. Expected an array with maximum length 2048, but got an array with length 2183 instead.",
    ];

    #[test]
    fn a_conversation_that_is_too_long_is_recognized_in_the_words_of_each_server() {
        for said in SAID {
            assert!(is_overflow(&Value::Null, said), "{said}");
            let error = json!({"message": "Provider returned error", "metadata": {"raw": said}});
            assert!(is_overflow(&error, &error_words(&error)), "{said}");
        }
        for name in NAMES {
            assert!(is_overflow(&json!({"code": name}), ""), "{name}");
            assert!(is_overflow(&json!({"type": name}), ""), "{name}");
        }
    }

    #[test]
    fn other_errors_about_tokens_and_lengths_are_none_of_a_conversation_that_is_too_long() {
        for said in [
            "Too many tokens, please wait before trying again.",
            "Rate limit reached for gpt-4o on tokens per min (TPM): Limit 30000, Used 29000, Requested 2000.",
            "Range of max_tokens should be [1, 8192]",
            "max_tokens: 9000 > 8192, which is the maximum allowed number of output tokens",
            "Invalid 'tools[0].function.description': string too long. Expected a string with maximum length 1024",
            "Invalid 'messages[10].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got a string with length 53 instead.",
            "Malformed input request: #/tools/0/name: expected maxLength: 64, actual: 72, please reformat your input and try again.",
            "max_tokens (10000) cannot exceed 8192. Please reduce the length of max output tokens generated.",
            "max_tokens (40000) must be less than max_seq_len (32768)",
            "The max tokens of your plan for a minute are used, quota exceeded",
            "The token is expired",
            "",
        ] {
            assert!(
                !is_overflow(&json!({"code": 400, "type": "invalid_request_error"}), said),
                "{said}"
            );
        }
    }
}
