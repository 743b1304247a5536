//! Opens the audit file of a configuration with its key. An open file is reused: its chain continues, whatever else changes.

use std::{error::Error as _, sync::Arc, time::Duration};

use callgate_policy::{Audit, AuditConfig, AuditedConfig, Error, ErrorKind};
use callgate_secret::Secret;
use callgate_settings::Reader;
use tokio::task;

use super::context::BuildContext;
use crate::{code::ConfigCode, config::Config};

/// Opens the file, on a thread where waiting for the disk blocks no other task.
pub(super) async fn build_audit(
    reader: &mut Reader,
    config: &Config,
    build_context: &BuildContext<'_>,
    previous: Option<&Arc<Audit>>,
) -> Option<Arc<Audit>> {
    let AuditedConfig { audit, key } = config.audit.as_ref()?;
    let is_unaudited =
        build_context.environment.is_unaudited || reader.effects.asking_permission().is_none();
    if is_unaudited || reader.has_faults() {
        return None;
    }
    let key = build_context.secrets.get(key).await.map_err(|error| {
        let help = "the key of the chain is a secret of 16 bytes or more";
        reader.report_fault(ConfigCode::MissingSecret, "/audit/key", error.to_string(), help);
    });
    let audit = AuditConfig { file: build_context.base.join(&audit.file), ..audit.clone() };
    let previous_audit = previous.filter(|previous| previous.is_of(&audit.file));
    let within = config.idempotency.unwrap_or_default().ttl;
    let opened = match (previous_audit, key.ok()?) {
        (Some(log), key) => log.following(&audit, &key),
        (None, key) => open_on_thread(audit, key, within).await.map(Some),
    };
    match opened {
        Ok(Some(audit)) => Some(Arc::new(audit)),
        Ok(None) => {
            let message = "the audit file was begun with another key";
            let help = "name another file beside the new key: a chain has one key";
            reader.report_fault(ConfigCode::Audit, "/audit/key", message, help);
            None
        }
        Err(error) => {
            let place = if error.kind() == ErrorKind::ShortKey { "key" } else { "file" };
            let help = match error.kind() {
                ErrorKind::Locked => {
                    "end that process, or name another file: a chain has one writer"
                }
                _ => {
                    "name a file in a folder that this process may write to, and a key of 16 bytes or more"
                }
            };
            let cause = error.source().map(|cause| format!(": {cause}")).unwrap_or_default();
            reader.report_fault(
                ConfigCode::Audit,
                format!("/audit/{place}"),
                format!("{error}{cause}"),
                help,
            );
            None
        }
    }
}

async fn open_on_thread(audit: AuditConfig, key: Secret, within: Duration) -> Result<Audit, Error> {
    match task::spawn_blocking(move || Audit::open(&audit, &key, within)).await {
        Ok(opened) => opened,
        Err(panicked) => std::panic::resume_unwind(panicked.into_panic()),
    }
}
