//! The key `service_directory:` of a toolset: the name of a service whose private endpoints are contacted, and the
//! account for requests to the directory. No request is sent here.

use callgate_google::{Identity, ServiceName};

use crate::{
    code::ConfigCode,
    keys::SERVICE_DIRECTORY,
    reader::{Mapping, Reader, at, identity::identity},
};

/// The service that is contacted, and the account that requests its endpoints.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct DirectoryConfig {
    /// The name of the service: `projects/…/services/…`.
    pub(crate) service: ServiceName,
    /// The account whose tokens the directory requires.
    pub(crate) identity: Identity,
}

/// Reads the name of a service, alone or with the account that requests its endpoints.
pub(crate) fn read(reader: &mut Reader, toolset: Mapping<'_>) -> Option<DirectoryConfig> {
    let node = toolset.object.get("service_directory")?;
    let pointer = at(toolset, "service_directory");
    if let Some(text) = node.as_str() {
        let service = service(reader, &pointer, text)?;
        return Some(DirectoryConfig { service, identity: Identity::default() });
    }
    let mapping = reader.mapping(node, &pointer, &SERVICE_DIRECTORY)?;
    let identity = identity(reader, mapping);
    let text = reader.required_string(mapping, "service")?;
    let service = service(reader, &at(mapping, "service"), text);
    Some(DirectoryConfig { service: service?, identity: identity? })
}

fn service(reader: &mut Reader, pointer: &str, text: &str) -> Option<ServiceName> {
    let name = text.parse::<ServiceName>().map_err(|error| {
        reader.complain(
            ConfigCode::WrongValue,
            pointer,
            error.to_string(),
            "copy it from the directory",
        );
    });
    name.ok()
}
