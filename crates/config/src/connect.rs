//! From `tls:` and `egress:` to the clients that send a toolset's calls and ask for its tokens. All toolsets share one
//! network, so those that connect in the same way share connections; a later build goes on with it.

use std::{path::PathBuf, sync::Arc};

use callgate_google::{Rest, ServiceDirectory, ServiceEndpoints, Tokens};
use callgate_secret::SecretStore;
use callgate_tool::NamedBy;
use callgate_transport::{
    AddressRange, Client, ClientSettings, Network, Resolver, TlsSettings, Transport,
};

use crate::{
    reader::Reader,
    service_directory::DirectoryConfig,
    tls::{self, Secured, TlsConfig},
    toolset::ToolsetConfig,
};

/// What toolsets are connected with.
#[derive(Debug)]
pub(crate) struct Connections {
    /// Where relative paths start.
    pub(crate) base: PathBuf,
    /// Where secrets are.
    pub(crate) secrets: Arc<dyn SecretStore>,
    /// What secures the connections of toolsets that do not say it themselves.
    pub(crate) root: Secured,
    pub(crate) has_certificate: bool,
    pub(crate) network: Network,
    /// The directories that the last build asks.
    pub(crate) known: Vec<Directory>,
    /// Those of this one.
    pub(crate) directories: Vec<Directory>,
}

/// A service's directory and what it was made of.
#[derive(Clone, Debug)]
pub(crate) struct Directory {
    config: DirectoryConfig,
    way: Way,
    secrets: Arc<dyn SecretStore>,
    resolver: Arc<dyn Resolver>,
}

/// How a client connects, as far as it can be compared.
#[derive(Clone, Debug)]
pub(crate) enum Way {
    /// Over the network.
    Network { allow: Vec<AddressRange>, tls: TlsSettings },
    /// Over the program's own transport.
    Own(Arc<dyn Transport>),
}

/// The clients of one toolset.
#[derive(Debug)]
pub(crate) struct Clients {
    /// Sends its calls.
    pub(crate) calls: Arc<Client>,
    /// Asks for its tokens: at servers of other authorities, so a toolset's own `ca` is not theirs.
    pub(crate) tokens: Arc<Client>,
    /// How tokens are asked for.
    pub(crate) way: Way,
}

impl PartialEq for Way {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (
                Self::Network { allow, tls },
                Self::Network { allow: other_allow, tls: other_tls },
            ) => allow == other_allow && tls == other_tls,
            (Self::Own(transport), Self::Own(other)) => Arc::ptr_eq(transport, other),
            (Self::Network { .. }, Self::Own(_)) | (Self::Own(_), Self::Network { .. }) => false,
        }
    }
}

impl Connections {
    /// Whether a toolset shows a certificate to services that ask for one.
    pub(crate) fn show_certificate(&self, config: &ToolsetConfig) -> bool {
        self.has_certificate || config.tls.identity.is_some()
    }

    /// What secures every toolset's connections.
    pub(crate) async fn load_root(&mut self, reader: &mut Reader, tls: &TlsConfig) {
        self.root = tls::load(reader, tls, &self.base, &self.secrets).await;
    }

    /// The clients of a toolset that connects.
    pub(crate) async fn clients(&mut self, reader: &mut Reader, config: &ToolsetConfig) -> Clients {
        let own = tls::load(reader, &config.tls, &self.base, &self.secrets).await.or(&self.root);
        let tokens = Secured { ca: self.root.ca.clone(), identity: own.identity.clone() };
        let way = Way::Network { allow: config.egress.clone(), tls: tokens.settings() };
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
        let directory = directory.map(|config| self.directory(config, &way, &tokens));
        let calls = client(&own, NamedBy::Description, directory.as_ref().map(Directory::resolver));
        self.directories.extend(directory);
        Clients { calls, tokens, way }
    }

    /// Answers for the addresses of a toolset's server; the directory itself is asked where its own name leads.
    fn directory(&self, config: &DirectoryConfig, way: &Way, transport: &Arc<Client>) -> Directory {
        let is_same = |known: &&Directory| {
            known.config == *config
                && known.way == *way
                && Arc::ptr_eq(&known.secrets, &self.secrets)
        };
        if let Some(known) = self.known.iter().find(is_same) {
            return known.clone();
        }
        let DirectoryConfig { service, identity } = config.clone();
        let (rest, endpoints) =
            (Rest::new(Arc::clone(transport) as Arc<dyn Transport>), identity.endpoints.clone());
        let tokens = Tokens::new(identity, rest.clone(), Arc::clone(&self.secrets));
        let directory = ServiceDirectory::new(Arc::new(tokens), rest, endpoints);
        Directory {
            config: config.clone(),
            way: way.clone(),
            secrets: Arc::clone(&self.secrets),
            resolver: Arc::new(ServiceEndpoints::new(directory, service)),
        }
    }
}

impl Directory {
    fn resolver(&self) -> Arc<dyn Resolver> {
        Arc::clone(&self.resolver)
    }
}
