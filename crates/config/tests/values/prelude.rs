//! Names that more than one module here uses.

pub(crate) use std::{sync::Arc, time::Duration};

pub(crate) use async_trait::async_trait;
pub(crate) use bytes::Bytes;
pub(crate) use callgate_config::{Built, Config, Description, Environment};
pub(crate) use callgate_secret::MemoryStore;
pub(crate) use callgate_transport::{Error, Limits, Transport};
pub(crate) use http::{Request, Response};
