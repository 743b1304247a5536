//! Data stores and engines of Vertex AI Search as tools, by its REST interface (Discovery Engine, v1): one that searches, and one
//! whose answer the service writes. Nothing is asked when they are loaded. Filters are written here, from a tree of conditions
//! that were checked; citations are checked against the answer that they are about.

mod answer;
mod code;
mod conditions;
mod declaration;
mod description;
mod filter;
mod keys;
mod kind;
mod load;
mod local;
mod request;
mod resource_name;
mod results;
mod settings;
mod text_settings;
mod tool;

pub use code::VertexCode;
pub use conditions::FieldType;
pub use filter::{Filter, InvalidFilter};
pub use kind::VertexKind;
pub use load::{Surroundings, load_tools};
pub use resource_name::{InvalidResourceName, ResourceName};
pub use settings::{
    Action, Boost, BoostControl, ControlKind, Form, ResultMode, StoreSettings, Target,
    ToolSettings, VertexSettings,
};
