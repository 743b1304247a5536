//! Recognizes the error of a provider that refuses a request for its content. Some servers have a code for it, the others words.

use callgate_tool::Value;

/// True if an error says, by its kind or in these words, that the content is refused.
pub(super) fn is_refusal(error: &Value, said: &str) -> bool {
    let mut names = ["code", "status", "type"].iter().filter_map(|name| error.get(*name)?.as_str());
    let said = said.to_lowercase();
    names.any(|name| NAMES.contains(&name)) || WORDS.iter().any(|words| said.contains(words))
}

/// The kinds of Azure, Moonshot and OpenAI, of `DashScope`, and of Zhipu. OpenAI's `invalid_prompt` is none: `OpenRouter` and others
/// give it to any request that is not valid.
const NAMES: [&str; 4] =
    ["content_filter", "content_policy_violation", "data_inspection_failed", "1301"];
/// Parts of sentences of OpenAI, `DeepSeek`, `DashScope`, Azure and `LiteLLM`, in small letters.
const WORDS: [&str; 7] = [
    "your prompt was flagged",
    "limited access to this content for safety",
    "content exists risk",
    "datainspectionfailed",
    "'s content management policy",
    "responsibleaipolicyviolation",
    "contentpolicyviolationerror",
];

#[cfg(test)]
mod tests {
    use callgate_tool::json;

    use super::*;

    #[test]
    fn a_refusal_is_recognized_by_its_kind_or_its_words() {
        for name in NAMES {
            assert!(is_refusal(&json!({"code": name}), ""), "{name}");
            assert!(is_refusal(&json!({"code": 400, "type": name}), ""), "{name}");
        }
        for said in [
            "Invalid prompt: your prompt was flagged as potentially violating our usage policy.",
            "Invalid prompt: we've limited access to this content for safety reasons.",
            "Content Exists Risk",
            "<400> InternalError.Algo.DataInspectionFailed: Input text data may contain inappropriate content.",
            "litellm.BadRequestError: litellm.ContentPolicyViolationError: AzureException - filtered",
            "The response was filtered due to the prompt triggering Azure OpenAI's content management policy. Please modify your prompt and retry.",
            "Error code: 400 - {'error': {'message': 'filtered', 'innererror': {'code': 'ResponsibleAIPolicyViolation'}}}",
        ] {
            assert!(is_refusal(&Value::Null, said), "{said}");
        }
        for said in ["", "The model does not exist", "There is a risk of overload"] {
            assert!(!is_refusal(&json!({"code": "invalid_request_error"}), said), "{said}");
            assert!(!is_refusal(&json!({"code": "invalid_prompt"}), said), "{said}");
        }
    }
}
