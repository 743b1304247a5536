//! The place where the user's logins are kept: the keyring of the machine, or else a folder below the one for state, with a
//! separate login for each profile.

use std::{path::Path, sync::Arc};

use callgate::auth::{GrantFolder, GrantStore};
use callgate_config::Location;
#[cfg(feature = "keyring")]
use callgate_store::{GrantKeyring, KeyringBackend};

use crate::{file_argument::USUAL_FILE, folders};

/// The grants for the location that the user named; `None` if the user has no home.
pub(crate) fn grant_store(location: &Location, given: &Path) -> Option<Arc<dyn GrantStore>> {
    let grants = GrantFolder::new(folders::state_folder()?);
    let profile = match location {
        Location::File(file) => folders::profile_of_file(file),
        _ => None,
    };
    let named = profile.clone().unwrap_or_else(|| given.display().to_string());
    let command = match &*named {
        USUAL_FILE | "." => "callgate login".to_owned(),
        named if named.contains(char::is_whitespace) => format!("callgate login '{named}'"),
        named => format!("callgate login {named}"),
    };
    let grants = profile.into_iter().fold(grants, GrantFolder::of_profile);
    let grants = grants.with_login_command(command);
    #[cfg(feature = "keyring")]
    if let Ok(grants) = GrantKeyring::new(grants.clone(), KeyringBackend::Platform) {
        return Some(Arc::new(grants));
    }
    Some(Arc::new(grants))
}
