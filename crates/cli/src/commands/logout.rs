//! `callgate logout [NAME|CONFIG] [TOOLSET]`: revokes the tokens of a login at the authorization server, and removes the
//! login from this machine whatever the server says.

use callgate::config::Built;
use callgate_auth::LoggedOut;
use callgate_config::BuiltLogin;

use super::{
    call::block_on,
    login::{logins, refused},
};
use crate::{
    args::LogoutArguments,
    exit::{Failure, Verdict},
    output,
};

pub(crate) fn run(arguments: &LogoutArguments) -> Result<Verdict, Failure> {
    let (built, logins) = logins(&arguments.at)?;
    block_on(all(&logins))??;
    drop::<Built>(built);
    Ok(Verdict::Fine)
}

async fn all(logins: &[BuiltLogin]) -> Result<(), Failure> {
    for BuiltLogin { credential, login, .. } in logins {
        let LoggedOut { was_there, unrevoked, .. } =
            login.logout().await.map_err(|error| refused(&error))?;
        let text = if was_there { "logged out" } else { "nobody was logged in" };
        output::result(&format!("{text} for `{credential}`\n"));
        if let Some(why) = unrevoked {
            output::talk(&format!(
                "warning: the login is removed here, but the server may go on taking its tokens: {why}\nhelp: end it on the server's own pages\n"
            ));
        }
    }
    Ok(())
}
