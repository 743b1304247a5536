//! Names that more than one module here uses.

pub(crate) use std::{fs, path::Path, sync::Arc, time::Duration};

pub(crate) use axum::{Router, routing::get};
pub(crate) use serde_json::{Value, json};

pub(crate) use crate::sidecar::{Sidecar, changes, description};
