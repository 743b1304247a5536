//! A configured model as a function of texts: what a kind of toolset needs of one. The program registers who reaches models.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use futures_util::future::BoxFuture;

/// A request to a model: one text, without tools and without a conversation.
#[derive(Clone, Debug)]
pub struct TextRequest {
    /// The task of the model.
    pub instructions: String,
    /// The text that it gets.
    pub text: String,
    /// The longest time until its answer.
    pub time: Duration,
}

/// The reply of a model, with what it cost.
#[derive(Clone, Debug)]
pub struct TextReply {
    /// The words, or the reason why there are none, for the operator and the caller.
    pub text: Result<String, String>,
    /// The tokens of the request.
    pub input_tokens: u64,
    /// The tokens of the reply.
    pub output_tokens: u64,
}

/// A model: a text in, its words out, or the reason why there are none.
#[derive(Clone)]
pub struct TextModel(Arc<Answer>);

type Answer = dyn Fn(TextRequest) -> BoxFuture<'static, TextReply> + Send + Sync;

/// The models of a configuration by their names; a reason in place of one that cannot be used.
pub type TextModels = BTreeMap<String, Result<TextModel, String>>;

impl TextModel {
    /// A model that answers by this function.
    pub fn new(
        answer: impl Fn(TextRequest) -> BoxFuture<'static, TextReply> + Send + Sync + 'static,
    ) -> Self {
        Self(Arc::new(answer))
    }

    /// The reply of the model.
    pub fn answer(&self, request: TextRequest) -> BoxFuture<'static, TextReply> {
        (self.0)(request)
    }
}

callgate_secret::opaque!(TextModel = "TextModel");
