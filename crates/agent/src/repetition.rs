//! Counts rounds in which a call and its result are equal to those before. A call with another result is no repetition: a
//! model may look again whether something is done.

use std::collections::BTreeMap;

use callgate_tool::{Content, Fingerprint, FingerprintHasher, Json, Outcome, ToolCall, ToolResult};

/// The calls of a turn and their last results.
#[derive(Debug)]
pub(crate) struct Repetition {
    /// The number of equal rounds that is too many.
    most: usize,
    seen: BTreeMap<Fingerprint, Seen>,
}

#[derive(Debug)]
struct Seen {
    result: Fingerprint,
    n_rounds: usize,
    round: usize,
}

impl Repetition {
    pub(crate) fn new(most: usize) -> Self {
        Self { most: most.max(1), seen: BTreeMap::new() }
    }

    /// True if a call is not made any more.
    pub(crate) fn is_repeated_too_often(&self, call: &ToolCall) -> bool {
        self.seen.get(&call_fingerprint(call)).is_some_and(|seen| seen.n_rounds >= self.most)
    }

    /// Counts a result in a round; returns the number of equal rounds if it is too many.
    pub(crate) fn count_equal_result(
        &mut self,
        call: &ToolCall,
        result: &ToolResult,
        round: usize,
    ) -> Option<usize> {
        let result = result_fingerprint(result);
        let seen = self.seen.entry(call_fingerprint(call)).or_insert(Seen {
            result,
            n_rounds: 0,
            round: usize::MAX,
        });
        if seen.result != result {
            (seen.result, seen.n_rounds) = (result, 0);
        }
        if seen.n_rounds == 0 || seen.round != round {
            (seen.n_rounds, seen.round) = (seen.n_rounds + 1, round);
        }
        (seen.n_rounds >= self.most).then_some(seen.n_rounds)
    }
}

fn call_fingerprint(call: &ToolCall) -> Fingerprint {
    let mut hasher = FingerprintHasher::default();
    hasher.add_text(&call.tool).add_object(&call.arguments);
    hasher.finish()
}

/// A digest of the parts of a result that a model learns from. A handle and a token of a further page are new ones with each result.
fn result_fingerprint(result: &ToolResult) -> Fingerprint {
    let mut hasher = FingerprintHasher::default();
    match &result.outcome {
        Outcome::Answered(answer) => {
            let status = answer.status.map(|status| status.to_string());
            hasher.add_text("answered").add_optional_text(status.as_deref());
            for (name, value) in &answer.headers {
                hasher.add_text(name).add_text(value);
            }
            hasher.add_text("content");
            match &answer.content {
                Content::Json(json) => hasher.add_text(json.text()),
                other => hasher.add_text(Json::from_serializable(other).text()),
            };
        }
        outcome => {
            hasher.add_text("other").add_text(Json::from_serializable(outcome).text());
        }
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use callgate_tool::{Answer, Journal, Object, json};

    use super::*;

    fn result(answer: Answer) -> ToolResult {
        let (id, tool) = ("1".to_owned(), "shop-list".to_owned());
        ToolResult {
            id,
            tool,
            outcome: Outcome::Answered(Box::new(answer)),
            journal: Journal::default(),
        }
    }

    fn page(token: &str) -> ToolResult {
        let mut answer = Answer::new(200, Content::Json(Json::from(json!([1, 2]))));
        answer.next = Object::from([("page_token", json!(token))]);
        result(answer)
    }

    #[test]
    fn equal_pages_with_other_tokens_of_the_next_page_are_a_repetition() {
        let call = ToolCall::new("1", "shop-list", Object::new());
        let mut repetition = Repetition::new(3);
        let tokens = ["a", "b", "c"].into_iter().enumerate();
        let counts =
            tokens.map(|(round, token)| repetition.count_equal_result(&call, &page(token), round));
        assert_eq!(counts.collect::<Vec<_>>(), [None, None, Some(3)]);
        assert!(repetition.is_repeated_too_often(&call));
    }

    #[test]
    fn a_result_with_another_status_content_or_header_is_no_repetition() {
        let of = |status, content: Content| Answer::new(status, content);
        let text = |text: &str| Content::Text {
            text: text.to_owned(),
            media_type: "text/plain".to_owned(),
        };
        let answers = [
            of(200, Content::Empty),
            of(201, Content::Empty),
            of(201, Content::Empty).with_header("location", "/orders/1"),
            of(201, Content::Empty).with_header("location", "/orders/2"),
            of(200, text("1")),
            of(200, Content::Json(Json::from(json!(1)))),
        ];
        let digests: std::collections::BTreeSet<_> =
            answers.into_iter().map(|answer| result_fingerprint(&result(answer))).collect();
        assert_eq!(digests.len(), 6);
    }
}
