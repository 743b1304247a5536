//! The TLS of a listener: its files are read at the start, and again when they change. If they become unreadable, the
//! earlier settings stay.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    sync::{Arc, PoisonError, RwLock},
    time::Duration,
};

use callgate_config::{Built, ListenerTls, read_file};
use callgate_transport::{CaCertificates, ServerTls};
use tokio_rustls::rustls::ServerConfig;

use crate::stamps::Stamps;

#[derive(Debug)]
pub(super) struct Tls {
    files: ListenerTls,
    state: RwLock<State>,
}

#[derive(Debug)]
struct State {
    config: Arc<ServerConfig>,
    stamps: Stamps,
    refused: Option<Stamps>,
}

impl Tls {
    pub(super) async fn read(files: &ListenerTls, built: &Built) -> Result<Self, String> {
        let stamps = Stamps::from_files_before_reading(&certificate_and_key_paths(files));
        let config = read_server_config(files, built).await?;
        let state = RwLock::new(State { config, stamps, refused: None });
        Ok(Self { files: files.clone(), state })
    }

    pub(super) fn config(&self) -> Arc<ServerConfig> {
        Arc::clone(&self.state.read().unwrap_or_else(PoisonError::into_inner).config)
    }

    /// Reads the files again if one of them changed.
    pub(super) async fn renew_if_changed(&self, built: &Built) {
        let files = certificate_and_key_paths(&self.files);
        let (current_stamps, stamps) =
            (Stamps::from_files(&files), Stamps::from_files_before_reading(&files));
        if self.state.read().unwrap_or_else(PoisonError::into_inner).stamps == current_stamps {
            return;
        }
        match read_server_config(&self.files, built).await {
            Ok(config) => self.replace_state(State { config, stamps, refused: None }),
            // Perhaps only half of a pair has changed: retried when the other half does.
            Err(error) => self.log_unreadable_once(&error, current_stamps),
        }
    }

    fn replace_state(&self, state: State) {
        *self.state.write().unwrap_or_else(PoisonError::into_inner) = state;
        tracing::info!(certificate = %self.files.certificate.display(), "certificate read again");
    }

    /// Logs once for each state of the files that they cannot be read.
    fn log_unreadable_once(&self, error: &str, current_stamps: Stamps) {
        let refused_stamps = Some(current_stamps);
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        if state.refused == refused_stamps {
            return;
        }
        state.refused = refused_stamps;
        drop(state);
        let certificate = self.files.certificate.display();
        tracing::warn!(%certificate, error, "certificate kept: it cannot be read again");
    }
}

pub(super) const LOOK: Duration = Duration::from_secs(2);

fn certificate_and_key_paths(files: &ListenerTls) -> BTreeSet<PathBuf> {
    let key = files.key.to_string();
    let key = key.strip_prefix("file:").map(PathBuf::from);
    [&files.certificate].into_iter().chain(&files.client_ca).chain(&key).cloned().collect()
}

async fn read_server_config(
    files: &ListenerTls,
    built: &Built,
) -> Result<Arc<ServerConfig>, String> {
    let bytes = |file: &Path| {
        read_file(file, MOST_BYTES)
            .map_err(|error| format!("cannot read `{}`: {error}", file.display()))
    };
    let chain = bytes(&files.certificate)?;
    let mut authorities: Option<CaCertificates> = None;
    for file in &files.client_ca {
        let more = CaCertificates::read(&bytes(file)?)
            .map_err(|error| format!("`{}`: {error}", file.display()))?;
        authorities = Some(match authorities {
            Some(certificates) => certificates.with_certificates(&more),
            None => more,
        });
    }
    let key = built.own_secret(&files.key).await.map_err(|error| error.to_string())?;
    let tls = ServerTls::new(&chain, &key, authorities.as_ref());
    Ok(tls.map_err(|error| error.to_string())?.config())
}

/// More than all certificates that a machine trusts.
const MOST_BYTES: usize = 4 << 20;
