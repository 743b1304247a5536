//! A model of a configuration as a function of texts, for kinds of toolsets that need one: no tools, no conversation, one reply.

use std::sync::Arc;

use callgate_config::BuiltModel;
use callgate_kind::{TextModel, TextReply, TextRequest};
use callgate_tool::Json;
use tokio::time::Instant;

use crate::{
    choice::Choice,
    configuration::model_from_configuration,
    model::Model,
    usage::Usage,
    wire::{Ask, Stop},
};

/// A model as a function of texts. A program registers it: `kinds().with_text_models(callgate_agent::text_model)`.
///
/// # Errors
/// The reason why no request can be made to it.
pub fn text_model(built: &BuiltModel) -> Result<TextModel, String> {
    let model = Arc::new(model_from_configuration(built).map_err(|error| error.to_string())?);
    Ok(TextModel::new(move |request| {
        let model = Arc::clone(&model);
        Box::pin(async move { reply(&model, &request).await })
    }))
}

async fn reply(model: &Model, request: &TextRequest) -> TextReply {
    let message = Json::from(model.wire().user_text_message(&request.text));
    let ask = Ask {
        model: model.name(),
        instructions: &request.instructions,
        messages: &[message],
        tools: &[],
        choice: &Choice::Auto,
        settings: model.settings(),
        is_streamed: model.is_streamed(),
    };
    let deadline = Instant::now() + request.time;
    let reply = match model.request_reply(&ask, deadline, &|_| ()).await {
        Ok(reply) => reply,
        Err(failure) => {
            let text = Err(failure.message);
            return TextReply { text, input_tokens: 0, output_tokens: 0 };
        }
    };
    let n_request = request.instructions.len().saturating_add(request.text.len());
    let usage = match reply.usage {
        usage if usage.total() == 0 => Usage::estimate(n_request, reply.text.len()),
        usage => usage,
    };
    let text = match reply.stop {
        Stop::Done => Ok(reply.text),
        Stop::Length => Err("the reply reached its most tokens".to_owned()),
        Stop::Paused => Err("the provider paused its reply".to_owned()),
        Stop::Refused(why) => Err(why),
    };
    TextReply { text, input_tokens: usage.input, output_tokens: usage.output }
}
