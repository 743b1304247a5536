//! A configured model as a function of texts: what a kind of toolset needs of one. The program registers who reaches models.

use std::{collections::BTreeMap, fmt, sync::Arc, time::Duration};

use futures_util::future::BoxFuture;

/// A request to a model: one text, without tools and without a conversation.
#[derive(Clone, Debug)]
#[expect(clippy::exhaustive_structs, reason = "whoever asks decides about each of these")]
pub struct TextRequest {
    /// The task of the model.
    pub instructions: String,
    /// The text that it gets.
    pub text: String,
    /// The longest time until its answer.
    pub time: Duration,
}

/// A model: a text in, its words out, or the reason why there are none.
#[derive(Clone)]
pub struct TextModel(Arc<Answer>);

type Answer = dyn Fn(TextRequest) -> BoxFuture<'static, Result<String, String>> + Send + Sync;

/// The models of a configuration by their names; a reason in place of one that cannot be used.
pub type TextModels = BTreeMap<String, Result<TextModel, String>>;

impl TextModel {
    /// A model that answers by this function.
    pub fn new(
        answer: impl Fn(TextRequest) -> BoxFuture<'static, Result<String, String>>
        + Send
        + Sync
        + 'static,
    ) -> Self {
        Self(Arc::new(answer))
    }

    /// The words of the model.
    ///
    /// # Errors
    /// The reason why there are none, in words for the operator and the caller.
    pub fn answer(&self, request: TextRequest) -> BoxFuture<'static, Result<String, String>> {
        (self.0)(request)
    }
}

impl fmt::Debug for TextModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TextModel")
    }
}
