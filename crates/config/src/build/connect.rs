//! From `egress:` and secured connections to the clients that send a toolset's calls and request its tokens. All
//! toolsets share one network: those with equal settings share connections, and a later build reuses it.

use std::sync::Arc;

use callgate_google::{Rest, ServiceDirectory, ServiceEndpoints, Tokens};
use callgate_secret::SecretStore;
use callgate_tool::NamedBy;
use callgate_transport::{
    AddressRange, Client, ClientSettings, Clock, Network, Resolver, TlsSettings, Transport,
};

use super::tls::ToolsetTls;
use crate::{service_directory::DirectoryConfig, toolset::ToolsetConfig};

#[derive(Debug)]
pub(super) struct Connections {
    pub(super) secrets: Arc<dyn SecretStore>,
    pub(super) network: Network,
    pub(super) clock: Clock,
    /// The directories of the last build.
    pub(super) previous_directories: Vec<Directory>,
    /// The directories of this build.
    pub(super) directories: Vec<Directory>,
}

/// A service's directory and its settings.
#[derive(Clone, Debug)]
pub(super) struct Directory {
    config: DirectoryConfig,
    way: Way,
    secrets: Arc<dyn SecretStore>,
    resolver: Arc<dyn Resolver>,
}

/// The way a client connects, in a form that can be compared.
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
    pub(super) calls: Arc<Client>,
    /// The client for the toolset's description, at the operator's address, secured like its calls.
    pub(super) descriptions: Arc<Client>,
    /// The client for token requests. Their servers belong to other authorities, so a toolset's own `ca` does not apply
    /// to them.
    pub(super) tokens: Arc<Client>,
    /// The way to connect for token requests.
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
    /// The clients of a toolset that uses the network.
    pub(super) fn toolset_clients(&mut self, config: &ToolsetConfig, tls: ToolsetTls) -> Clients {
        let way = Way::Network { allow: config.egress.clone(), tls: tls.tokens.clone() };
        // Each call states who named its server; token requests go to servers that the operator named.
        let client = |tls, named_by, directory| {
            let allow = config.egress.clone();
            Arc::new(Client::over_network(
                &self.network,
                ClientSettings { named_by, allow, tls, directory },
            ))
        };
        let descriptions = self.description_client(config, tls.calls.clone());
        let tokens = client(tls.tokens, NamedBy::Operator, None);
        let directory = config.service_directory.as_ref();
        let directory = directory.map(|config| self.service_directory(config, &way, &tokens));
        let resolver = directory.as_ref().map(Directory::resolver);
        let calls = client(tls.calls, NamedBy::Description, resolver);
        self.directories.extend(directory);
        Clients { calls, descriptions, tokens, way }
    }

    pub(super) fn description_client(
        &self,
        config: &ToolsetConfig,
        tls: TlsSettings,
    ) -> Arc<Client> {
        let (named_by, allow) = (NamedBy::Operator, config.egress.clone());
        let settings = ClientSettings { named_by, allow, tls, directory: None };
        Arc::new(Client::over_network(&self.network, settings))
    }

    /// The directory that resolves the addresses of a toolset's server; the directory's own name is resolved as usual.
    fn service_directory(
        &self,
        config: &DirectoryConfig,
        way: &Way,
        transport: &Arc<Client>,
    ) -> Directory {
        let is_same = |previous_directory: &&Directory| {
            previous_directory.config == *config
                && previous_directory.way == *way
                && Arc::ptr_eq(&previous_directory.secrets, &self.secrets)
        };
        if let Some(previous_directory) = self.previous_directories.iter().find(is_same) {
            return previous_directory.clone();
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
