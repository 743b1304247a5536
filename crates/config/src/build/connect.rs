//! From `egress:` and secured connections to the clients that send a toolset's calls and ask for its tokens. All toolsets
//! share one network, so those that connect in the same way share connections; a later build goes on with it.

use std::sync::Arc;

use callgate_google::{Rest, ServiceDirectory, ServiceEndpoints, Tokens};
use callgate_secret::SecretStore;
use callgate_tool::NamedBy;
use callgate_transport::{
    AddressRange, Client, ClientSettings, Clock, Network, Resolver, TlsSettings, Transport,
};

use super::tls::ToolsetTls;
use crate::{service_directory::DirectoryConfig, toolset::ToolsetConfig};

/// The means by which toolsets are connected.
#[derive(Debug)]
pub(super) struct Connections {
    /// The place where secrets are.
    pub(super) secrets: Arc<dyn SecretStore>,
    pub(super) network: Network,
    pub(super) clock: Clock,
    /// The directories of the last build.
    pub(super) known: Vec<Directory>,
    /// Those of this one.
    pub(super) directories: Vec<Directory>,
}

/// A service's directory and what it was made of.
#[derive(Clone, Debug)]
pub(super) struct Directory {
    config: DirectoryConfig,
    way: Way,
    secrets: Arc<dyn SecretStore>,
    resolver: Arc<dyn Resolver>,
}

/// The way a client connects, as far as it can be compared.
#[derive(Clone, Debug)]
pub(super) enum Way {
    /// Over the network.
    Network { allow: Vec<AddressRange>, tls: TlsSettings },
    /// Over the program's own transport.
    Own(Arc<dyn Transport>),
}

/// The clients of one toolset.
#[derive(Debug)]
pub(super) struct Clients {
    /// Sends its calls.
    pub(super) calls: Arc<Client>,
    /// Asks for its description: where the operator said, secured as its calls are.
    pub(super) descriptions: Arc<Client>,
    /// Asks for its tokens: at servers of other authorities, so a toolset's own `ca` is not theirs.
    pub(super) tokens: Arc<Client>,
    /// The way tokens are asked for.
    pub(super) way: Way,
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
    /// The clients of a toolset that connects.
    pub(super) fn clients(&mut self, config: &ToolsetConfig, tls: ToolsetTls) -> Clients {
        let way = Way::Network { allow: config.egress.clone(), tls: tls.tokens.clone() };
        // Each call says who named its server; what asks for tokens asks where the operator said.
        let client = |tls, named_by, directory| {
            let allow = config.egress.clone();
            Arc::new(Client::over(
                &self.network,
                ClientSettings { named_by, allow, tls, directory },
            ))
        };
        let descriptions = self.descriptions(config, tls.calls.clone());
        let tokens = client(tls.tokens, NamedBy::Operator, None);
        let directory = config.service_directory.as_ref();
        let directory = directory.map(|config| self.directory(config, &way, &tokens));
        let resolver = directory.as_ref().map(Directory::resolver);
        let calls = client(tls.calls, NamedBy::Description, resolver);
        self.directories.extend(directory);
        Clients { calls, descriptions, tokens, way }
    }

    /// The code that asks for the description of a toolset.
    pub(super) fn descriptions(&self, config: &ToolsetConfig, tls: TlsSettings) -> Arc<Client> {
        let (named_by, allow) = (NamedBy::Operator, config.egress.clone());
        let settings = ClientSettings { named_by, allow, tls, directory: None };
        Arc::new(Client::over(&self.network, settings))
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
        let rest = rest.with_clock(self.clock.clone());
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
