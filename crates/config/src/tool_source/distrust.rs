//! Distrusts the settings of a source of tools, which a stranger may have chosen: a version in Secret Manager goes only to a server that
//! the operator wrote, and a connection is asked only if the operator wrote that it may be.

use callgate_kind::KindCode;
use callgate_settings::{Mapping, Reader, member_pointer};
use callgate_tool::Value;
use callgate_tree::Node;

use super::{SourceTools, endpoint};
use crate::toolset::ToolsetConfig;

/// The settings of a toolset that names a source.
#[derive(Clone, Copy)]
pub(crate) struct Settings<'a> {
    /// Those that the operator wrote.
    pub(crate) own: &'a Node,
    pub(crate) tools: &'a SourceTools,
    /// Both, the operator's over those of the source.
    pub(crate) mapping: Mapping<'a>,
}

impl Settings<'_> {
    /// True if the source has a key that the operator did not write.
    fn is_set_by_source_only(&self, key: &str) -> bool {
        self.own.get(key).is_none() && self.tools.settings.contains_key(key)
    }

    /// True if a key of the source names a version in Secret Manager.
    fn has_foreign_version_name(&self, key: &str) -> bool {
        self.is_set_by_source_only(key)
            && self.tools.settings.get(key).is_some_and(has_secret_version_name)
    }
}

/// Takes from a toolset what its source names and the operator did not vouch for.
pub(crate) fn strip_foreign_trust(
    reader: &mut Reader,
    toolset: &mut ToolsetConfig,
    settings: Settings<'_>,
) {
    let has_own_auth = settings.own.get("auth").is_some();
    let lacks_own = settings.tools.lacks_credential && !has_own_auth;
    toolset.credentials.lacks_own = lacks_own.then_some(LACKS_OWN);
    let is_foreign_kind =
        toolset.kind.as_ref().is_some_and(|kind| settings.is_set_by_source_only(kind.key()));
    toolset.is_named_by_export = is_foreign_kind && settings.own.get("server").is_none();
    let is_foreign_endpoint =
        endpoint::mark_foreign_endpoint(reader, toolset, settings.own, settings.mapping);
    // A private endpoint of the source would be dialled in the place of the server.
    let is_foreign_server =
        settings.own.get("server").is_none() || settings.is_set_by_source_only("service_directory");
    if settings.has_foreign_version_name("auth") && (is_foreign_server || is_foreign_endpoint) {
        let help = if is_foreign_server { WRITE_SERVER } else { LIST_ORIGIN };
        reader.warn(
            KindCode::ExportedTool,
            member_pointer(settings.mapping, "auth"),
            VERSION,
            help,
        );
        toolset.credentials.auth = None;
        toolset.credentials.lacks_own = Some(LACKS_SERVER);
    }
    if settings.has_foreign_version_name("tls") && is_foreign_server {
        reader.warn(
            KindCode::ExportedTool,
            member_pointer(settings.mapping, "tls"),
            VERSION,
            WRITE_SERVER,
        );
        toolset.tls.identity = None;
        if !has_own_auth {
            toolset.credentials.auth = None;
            toolset.credentials.lacks_own = Some(LACKS_SERVER);
        }
    }
}

/// True if a setting of a source contains the name of a version in Secret Manager; a literal has a scheme of its own before it.
fn has_secret_version_name(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.iter().any(has_secret_version_name),
        Value::Object(members) => members.values().any(has_secret_version_name),
        Value::String(text) => text.starts_with("gcp:") || text.starts_with("projects/"),
        _ => false,
    }
}

const LACKS_OWN: &str = "the credential of the exported tool could not be taken over; the operator writes it under `auth`";
const LACKS_SERVER: &str = "the export names a version in Secret Manager as its credential, which goes only to a server that the operator \
                            writes as `server`";
const VERSION: &str = "expected a server that you wrote for the version in Secret Manager that the export names; it is not read";
const WRITE_SERVER: &str = "write the address of the service as `server:` into the toolset, and `service_directory:` if it has a private \
                            endpoint; or another credential as `auth:`";
const LIST_ORIGIN: &str =
    "list the origin of the token endpoint under `credential_origins` if it may have the secret";
