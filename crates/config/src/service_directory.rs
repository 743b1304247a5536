//! The key `service_directory:` of a toolset: the name of a service whose private endpoints are contacted, and the
//! account for requests to the directory. No request is sent here.

use callgate_google::{Identity, ServiceName};
use callgate_settings::{Kind, SettingCode, forms, keys, member_pointer};

use crate::identity::{IdentityKeys, read_identity};

/// The service that is contacted, and the account that requests its endpoints.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct DirectoryConfig {
    pub(crate) service: ServiceName,
    /// The account whose tokens the directory requires.
    pub(crate) identity: Identity,
}

keys! {
    pub(crate) struct DirectoryKeys in "`service_directory`" with IdentityKeys {
        /// `projects/P/locations/L/namespaces/N/services/S`.
        service: Service, required;
    }
}

forms! {
    /// The name of a service, alone or with the account that requests its endpoints.
    struct Directory => DirectoryConfig, Kind::AnyOf(&[Kind::Text, DirectoryKeys::KIND]), |reader, mapping, key| {
        if mapping.object.get(key)?.as_str().is_some() {
            let service = reader.get::<Service>(mapping, key)?;
            return Some(DirectoryConfig { service, identity: Identity::default() });
        }
        reader.read_several_sections::<DirectoryKeys, _>(mapping, key, |reader, mapping, keys| {
            let identity = read_identity(reader, mapping);
            Some(DirectoryConfig { service: keys.service?, identity })
        })
    };
    struct Service => ServiceName, Kind::Text, |reader, mapping, key| {
        let name = reader.string(mapping, key)?.parse::<ServiceName>().map_err(|error| {
            let help = "copy it from the directory";
            reader.report_fault(SettingCode::WrongValue, member_pointer(mapping, key), error.to_string(), help);
        });
        name.ok()
    };
}
