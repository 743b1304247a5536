//! Tests a whole sidecar over real sockets, with a real service behind it.

mod access;
mod claims;
mod drain;
mod exchanged;
mod foreign;
mod four_eyes;
mod further;
mod jwt;
mod leaving;
mod limits;
mod listening;
mod messages;
mod own;
mod pages;
mod recent_calls;
mod request_log;
mod resource;
mod restart;
mod rights;
mod same_call;
mod search_index;
mod secured;
mod shared_state;
mod shares;
mod sidecar;
mod strangers;
mod unstored;
mod waiting;
mod webhook;

use std::{
    net::SocketAddr,
    path::Path,
    sync::{Arc, Mutex},
    time::Duration,
};

use axum::{Router, body::Body, extract::Query, routing};
use futures_util::StreamExt;
use http::HeaderMap;
use reqwest::{Client, Response};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    sync::mpsc,
    time::timeout,
};

use crate::{failure::Failure, test_issuer::Signer};
use jwt::Idp;
use sidecar::{CALL, Sidecar, nothing, pets, read_to_end, service};
