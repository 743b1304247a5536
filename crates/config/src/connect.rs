//! From `tls:` and `egress:` to the clients that send a toolset's calls and ask for its tokens. All toolsets share one
//! network, so those that connect in the same way share connections.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use callgate_google::{Rest, ServiceDirectory, ServiceEndpoints, Tokens};
use callgate_secret::SecretStore;
use callgate_tool::NamedBy;
use callgate_transport::{Client, ClientSettings, Network, Resolver};

use crate::{
    checked::{ToolsetConfig, Upstream},
    reader::Reader,
    service_directory::DirectoryConfig,
    tls::{self, Secured, TlsConfig},
};

/// What toolsets are connected with.
#[derive(Debug)]
pub(crate) struct Connections {
    /// Where relative paths start.
    pub(crate) base: PathBuf,
    /// Where secrets are.
    pub(crate) secrets: Arc<dyn SecretStore>,
    network: Network,
    /// What secures the connections of toolsets that do not say it themselves.
    root: Secured,
    has_certificate: bool,
}

/// The clients of one toolset.
#[derive(Debug)]
pub(crate) struct Clients {
    /// Sends its calls.
    pub(crate) calls: Arc<Client>,
    /// Asks for its tokens: at servers of other authorities, so a toolset's own `ca` is not theirs.
    pub(crate) tokens: Arc<Client>,
}

impl Connections {
    /// Reads what `tls` of the whole configuration names, where a toolset will connect at all.
    pub(crate) fn new(
        reader: &mut Reader,
        tls: &TlsConfig,
        toolsets: &[ToolsetConfig],
        (base, secrets): (&Path, Arc<dyn SecretStore>),
    ) -> Self {
        let connects = |toolset: &ToolsetConfig| matches!(toolset.upstream, Upstream::Http);
        let root = if toolsets.iter().any(connects) {
            tls::load(reader, tls, base, &secrets)
        } else {
            Secured::default()
        };
        Self {
            base: base.to_owned(),
            secrets,
            network: Network::new(),
            root,
            has_certificate: tls.identity.is_some(),
        }
    }

    /// Whether a toolset shows a certificate to services that ask for one.
    pub(crate) fn show_certificate(&self, config: &ToolsetConfig) -> bool {
        self.has_certificate || config.tls.identity.is_some()
    }

    /// The clients of a toolset that connects.
    pub(crate) fn clients(&self, reader: &mut Reader, config: &ToolsetConfig) -> Clients {
        let own = tls::load(reader, &config.tls, &self.base, &self.secrets).or(&self.root);
        let tokens = Secured { ca: self.root.ca.clone(), identity: own.identity.clone() };
        // Each call says who named its server; what asks for tokens asks where the operator said.
        let client = |secured: &Secured, named_by, directory| {
            let settings = ClientSettings {
                named_by,
                allow: config.egress.clone(),
                tls: secured.settings(),
                directory,
            };
            Arc::new(Client::over(&self.network, settings))
        };
        let tokens = client(&tokens, NamedBy::Operator, None);
        let directory = config.service_directory.as_ref();
        let directory = directory.map(|config| self.directory(config, Arc::clone(&tokens)));
        Clients { calls: client(&own, NamedBy::Description, directory), tokens }
    }

    /// Answers for the addresses of a toolset's server; the directory itself is asked where its own name leads.
    fn directory(&self, config: &DirectoryConfig, transport: Arc<Client>) -> Arc<dyn Resolver> {
        let DirectoryConfig { service, identity } = config.clone();
        let (rest, endpoints) = (Rest::new(transport), identity.endpoints.clone());
        let tokens = Tokens::new(identity, rest.clone(), Arc::clone(&self.secrets));
        let directory = ServiceDirectory::new(Arc::new(tokens), rest, endpoints);
        Arc::new(ServiceEndpoints::new(directory, service))
    }
}
