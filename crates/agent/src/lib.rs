//! A turn of a model and its tools: the user's input goes to the model with the declarations of tools, the calls of its reply
//! are made, their results go back, until the model answers, or a limit ends the turn. Requests and replies are in the
//! provider's own dialect; nothing of the provider's own message is lost.
//!
//! ```no_run
//! use callgate_agent::{Agent, AgentSettings, Input, Model, Transcript, TurnContext};
//! use callgate_executor::Executor;
//! use callgate_tool::Session;
//!
//! # async fn example(executor: Executor, model: Model) -> Result<(), callgate_agent::Error> {
//! let agent = Agent::new(executor, model, AgentSettings::default());
//! let mut transcript = Transcript::new(agent.dialect())?;
//! let context = TurnContext::new(Session::new("s-1"));
//! let end = agent.turn(&mut transcript, Input::text("One pizza, please."), &context).await?;
//! println!("{}: {}", end.reason.as_str(), end.text);
//! # Ok(())
//! # }
//! ```

mod agent;
mod budget;
mod choice;
mod configuration;
mod context;
mod conversation;
mod declarations;
mod end;
mod error;
mod finder;
mod input;
mod keeper;
mod model;
mod offer;
#[doc(hidden)]
pub mod recording;
mod repetition;
mod rounds;
mod store;
mod text_model;
mod transcript;
mod turn;
mod usage;
mod wire;

pub use agent::{Agent, AgentSettings};
pub use callgate_config::{
    AgentBudget as Budget, AgentCalls as Calls, AgentLimits as TurnLimits,
    AgentParallel as Parallel, AgentSearch as ToolSearch,
};
pub use choice::Choice;
#[doc(hidden)]
pub use configuration::describe_model_metrics;
pub use context::{TurnContext, TurnEvent};
pub use conversation::Conversation;
pub use end::{End, EndReason, PendingCall};
pub use error::{Error, ErrorKind};
pub use input::{Answer, Given, Input, InputPart};
#[doc(hidden)]
pub use model::{MODEL_DURATION, describe_model_duration};
pub use model::{Model, ModelSettings};
pub use rounds::{Round, Rounds};
pub use store::{KeptTurn, Transcripts};
pub use text_model::text_model;
pub use transcript::{Repair, Transcript};
pub use usage::Usage;
#[doc(hidden)]
pub use wire::{MOST_FILE_BYTES, streamed_reply};
