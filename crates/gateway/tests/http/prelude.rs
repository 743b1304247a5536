//! Names that more than one module here uses.

pub(crate) use std::sync::Arc;

pub(crate) use axum::Router;
pub(crate) use callgate_config::Environment;
pub(crate) use serde_json::{Value, json};
pub(crate) use tempfile::TempDir;

pub(crate) use crate::{
    JSON,
    service::Service,
    sidecar::{Answered, EITHER, PETS, Sidecar, request},
};
