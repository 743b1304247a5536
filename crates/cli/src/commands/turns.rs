//! Fixtures of conversations with an agent: a folder with the inputs, the replies of the model, the responses of services, and the
//! ends of the turns. `callgate chat --record` writes one, and `callgate test` replays it.

mod calls;
mod difference;
mod ends;
mod folder;
mod form;
mod model;
mod replay;

pub(super) use self::{
    calls::CallRecorders,
    difference::first_difference,
    ends::{CallResults, end_of, json_of},
    folder::{ENDS, Exchange, TURN, TurnFiles, model_request, service_request},
    form::TurnForm,
    model::{ModelRecorder, over_model},
    replay::{RecordingTrust, ReplayedTurn, replay_turns, without_texts},
};
