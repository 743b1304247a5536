//! The credentials that people log in for, and the check that somebody has.

use callgate_auth::Login;

use super::built::Built;

/// A credential that people log in for.
#[derive(Debug)]
#[non_exhaustive]
pub struct BuiltLogin {
    /// The toolset of the credential; empty for a bare description.
    pub toolset: String,
    /// The name of the credential: that of its security scheme, or its kind.
    pub credential: String,
    /// The steps of the login and the logout.
    pub login: Login,
}

/// The credentials of the kind `oauth2_authorization_code`, in the order of their toolsets.
pub fn authorization_code_logins(built: &Built) -> Vec<BuiltLogin> {
    let mut seen_logins = Vec::new();
    let mut logins = Vec::new();
    for made in &built.kept.authenticators {
        let Some((config, context)) = made.login_and_context() else { continue };
        if seen_logins.contains(&(&made.toolset, config)) {
            continue;
        }
        seen_logins.push((&made.toolset, config));
        let login = Login::new(config, context).ok();
        logins.extend(login.map(|login| BuiltLogin {
            toolset: made.toolset.clone(),
            credential: config.name.clone(),
            login,
        }));
    }
    logins
}

/// The reasons why calls fail until somebody logs in, without repetitions.
pub(super) async fn login_faults(built: &Built) -> Vec<String> {
    let mut faults = Vec::new();
    for BuiltLogin { login, .. } in authorization_code_logins(built) {
        let fault = login.check_logged_in().await.err().map(|error| error.to_string());
        faults.extend(fault.filter(|fault| !faults.contains(fault)));
    }
    faults
}
