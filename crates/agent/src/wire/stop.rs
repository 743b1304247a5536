//! The reason why a model stopped, in the words of every provider: a proxy passes on the word of the server behind it, whatever
//! the format.

use super::{ReplyFault, fault::bad_ending_fault};

/// The reason why a model stopped.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum Stop {
    /// It said what it had to say, or asks for calls.
    Done,
    /// The reply reached the most tokens of a reply.
    Length,
    /// The provider paused a long turn, and goes on when it gets its own message again.
    Paused,
    /// The model or the provider refused, in these words.
    Refused(String),
}

impl Stop {
    /// Reads a provider's word. One that is not listed here says nothing.
    pub(super) fn read(word: &str) -> Result<Self, ReplyFault> {
        let lower = word.to_ascii_lowercase();
        // Gemini's address for OpenAI writes its own reason after the kind of it.
        let kind = lower.split(':').next().unwrap_or_default();
        if NO_GOOD.contains(&kind) {
            return Err(bad_ending_fault(word));
        }
        if FAILED.contains(&kind) {
            return Err(format!("the provider ended the reply with `{word}`").into());
        }
        Ok(match kind {
            "pause_turn" => Self::Paused,
            "refusal" => Self::Refused("the model declined to answer".to_owned()),
            kind if LENGTH.contains(&kind) => Self::Length,
            kind if REFUSED.contains(&kind) => Self::refused_with(word),
            _ => Self::Done,
        })
    }

    /// Adds what a provider says about its reason to a refusal or a fault.
    pub(super) fn with_explanation(
        stop: Result<Self, ReplyFault>,
        said: &str,
    ) -> Result<Self, ReplyFault> {
        let with = |words: String| {
            if said.trim().is_empty() { words } else { format!("{words}: {said}") }
        };
        match stop {
            Ok(Self::Refused(words)) => Ok(Self::Refused(with(words))),
            Ok(stop) => Ok(stop),
            Err(fault) => Err(ReplyFault { message: with(fault.message), ..fault }),
        }
    }

    /// The refusal of a provider that gives this reason.
    pub(super) fn refused_with(word: &str) -> Self {
        Self::Refused(format!("the provider stopped with `{word}`"))
    }

    /// True for the word of a reply in the middle of which the model may have had to stop.
    pub(super) fn is_incomplete_end(word: &str) -> bool {
        !matches!(Self::read(word), Ok(Self::Done | Self::Paused))
    }
}

/// The reasons of a reply that reached a limit.
const LENGTH: [&str; 5] =
    ["length", "max_output_tokens", "max_tokens", "model_context_window_exceeded", "model_length"];
/// The reasons of a filter: of OpenAI, Zhipu, Bedrock and Gemini.
const REFUSED: [&str; 12] = [
    "blocklist",
    "content_filter",
    "content_filtered",
    "guardrail_intervened",
    "image_prohibited_content",
    "image_recitation",
    "image_safety",
    "prohibited_content",
    "recitation",
    "safety",
    "sensitive",
    "spii",
];
/// The reasons after which another reply may be better: of `OpenRouter` and vLLM, Gemini, `DeepSeek`, Bedrock and Zhipu.
const NO_GOOD: [&str; 10] = [
    "abort",
    "error",
    "function_call_filter",
    "insufficient_system_resource",
    "malformed_function_call",
    "malformed_model_output",
    "malformed_response",
    "malformed_tool_use",
    "network_error",
    "unexpected_tool_call",
];
/// The reasons of Gemini that are those of the request.
const FAILED: [&str; 2] = ["missing_thought_signature", "too_many_tool_calls"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_read_in_the_words_of_each_provider() {
        for word in ["", "stop", "STOP", "end_turn", "tool_use", "tool_calls", "COMPLETE", "eos"] {
            assert_eq!(Stop::read(word), Ok(Stop::Done), "{word}");
        }
        for word in LENGTH.iter().chain(&["MAX_TOKENS"]) {
            assert_eq!(Stop::read(word), Ok(Stop::Length), "{word}");
        }
        assert_eq!(Stop::read("pause_turn"), Ok(Stop::Paused));
        for word in REFUSED.iter().chain(&["refusal", "SAFETY", "content_filter: RECITATION"]) {
            assert!(matches!(Stop::read(word), Ok(Stop::Refused(_))), "{word}");
        }
        for (words, is_retried) in [(&NO_GOOD[..], true), (&FAILED[..], false)] {
            for word in words {
                let fault = Stop::read(word).unwrap_err();
                assert_eq!(
                    (fault.error.is_some(), Stop::is_incomplete_end(word)),
                    (is_retried, true)
                );
                assert!(fault.message.contains(word), "{}", fault.message);
            }
        }
        assert!(Stop::is_incomplete_end("max_tokens") && !Stop::is_incomplete_end("tool_use"));
    }
}
