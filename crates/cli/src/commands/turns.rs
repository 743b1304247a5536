//! Fixtures of conversations with an agent: a folder with the inputs, the replies of the model, the responses of services, and the
//! ends of the turns. `callgate chat --record` and the console make them, and `callgate test` replays one.

mod difference;
mod folder;
mod model;
mod replay;

pub(super) use self::{
    difference::first_difference,
    folder::{read_turn_files, write_turn_files},
    model::wrap_model_transport,
    replay::{RecordingTrust, ReplayedTurn, replay_turns},
};
