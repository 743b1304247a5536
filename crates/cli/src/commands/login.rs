//! `callgate login [NAME|CONFIG] [TOOLSET]`: a person logs in, in a browser or with a code on another device; from
//! then on, calls have the person's token. Says where the login is kept; shows no token and no authorization code.
//! `callgate logout` ends it.

mod browser;
mod callback;

use std::{fs, path::Path, process};

use callgate::config::{Built, Environment};
use callgate_auth::{Error, LoggedIn, LoggedOut, Login};
use callgate_config::{
    BuiltLogin, DescriptionOptions, Kinds, create_private_file, create_private_folder,
};
use tokio::time::timeout;

use self::callback::Callback;
use super::call::block_on;
use crate::{
    args::{LoginArguments, LoginPlace},
    effects,
    exit::{Failure, Verdict, error_with_cause},
    file_argument::named_or_usual_file,
    folders,
    open::{loader_with_effects, open_with_warnings},
    output,
};

pub(crate) fn run(arguments: &LoginArguments, kinds: &Kinds) -> Result<Verdict, Failure> {
    let (built, logins) = load_logins(&arguments.at, "callgate login FILE", kinds)?;
    folders::state_folder().iter().try_for_each(|folder| check_writable(folder))?;
    block_on(run_logins(&logins, arguments))??;
    drop::<Built>(built);
    Ok(Verdict::Fine)
}

/// Refuses a folder that cannot keep a login, before the person logs in.
fn check_writable(folder: &Path) -> Result<(), Failure> {
    let tried = folder.join(format!(".tried-{}", process::id()));
    let made = create_private_folder(folder).and_then(|()| create_private_file(&tried));
    let made = made.and_then(|_| fs::remove_file(&tried));
    made.map_err(|error| {
        Failure(format!(
            "error: expected a folder for logins that can be written to, got `{}`: {error}\nhelp: make it writable, or name another by \
             `XDG_STATE_HOME`",
            folder.display()
        ))
    })
}

async fn run_logins(logins: &[BuiltLogin], arguments: &LoginArguments) -> Result<(), Failure> {
    for BuiltLogin { toolset, credential, login, .. } in logins {
        let of = format!(" of the toolset `{toolset}`");
        let of = if toolset.is_empty() { "" } else { &of };
        output::print_message_line(&format!("log in for `{credential}`{of}"));
        let logged_in = log_in(login, arguments).await?;
        output::print_result(&format!("{}\n", login_summary(&logged_in)));
        output::print_message_line(&format!("note: the login is kept in {}", logged_in.place));
    }
    Ok(())
}

fn load_logins(
    at: &LoginPlace,
    usage: &str,
    kinds: &Kinds,
) -> Result<(Built, Vec<BuiltLogin>), Failure> {
    let file = named_or_usual_file(at.file.as_deref(), usage)?;
    let environment = Environment::new().without_audit().listing_missing();
    let loader = loader_with_effects(kinds, effects::LOGIN);
    let built = open_with_warnings(file, &DescriptionOptions::default(), &loader, &environment)?;
    let mut logins = callgate_config::authorization_code_logins(&built);
    let mut names: Vec<String> = logins.iter().map(|login| login.toolset.clone()).collect();
    names.dedup();
    if let Some(toolset) = &at.toolset {
        logins.retain(|login| login.toolset == *toolset);
    }
    let shown = file.display();
    if logins.is_empty() {
        return Err(Failure(match (&at.toolset, names.is_empty()) {
            (Some(toolset), false) => format!(
                "error: the toolset `{toolset}` of `{shown}` has no credential that a person logs in for\nhelp: these have: `{}`",
                names.join("`, `")
            ),
            _ => format!(
                "error: `{shown}` has no credential that a person logs in for\nhelp: write one: `auth: {EXAMPLE}`, or under `credentials:` by security scheme"
            ),
        }));
    }
    if at.toolset.is_none() && names.len() > 1 {
        return Err(Failure(format!(
            "error: several toolsets of `{shown}` have a credential that a person logs in for\nhelp: name one behind the file: `{}`",
            names.join("`, `")
        )));
    }
    Ok((built, logins))
}

/// Makes one login, in the requested way or the available one.
async fn log_in(login: &Login, arguments: &LoginArguments) -> Result<LoggedIn, Failure> {
    let ways = login.available_ways().await?;
    if arguments.device || (ways.device && !ways.browser) {
        return log_in_on_device(login).await;
    }
    log_in_by_browser(login, arguments).await
}

async fn log_in_by_browser(login: &Login, arguments: &LoginArguments) -> Result<LoggedIn, Failure> {
    let callback = Callback::listen(login.redirect_url()).await.map_err(|error| {
        Failure(format!(
            "error: cannot listen for the browser on this machine: {error}\nhelp: log in with `--device`, or name another port in `redirect_url:`"
        ))
    })?;
    let begun = login.begin_in_browser(&callback.url).await?;
    output::print_message(&format!("open this page to log in:\n  {}\n", begun.url()));
    if output::is_stderr_terminal() && !arguments.no_browser {
        browser::open_page(begun.url().as_str());
    }
    let answered = callback.wait_for_answer(|query| begun.is_answered_by(query));
    let answered = timeout(arguments.wait, answered).await.map_err(|_| {
        Failure(format!(
            "error: no browser came back within {} s\nhelp: log in again, with more time (`--wait 10m`) or on another device (`--device`)",
            arguments.wait.as_secs()
        ))
    })?;
    let ended = login.finish_in_browser(begun, &answered.query).await;
    answered.send_login_end_page(ended.is_ok()).await;
    Ok(ended?)
}

async fn log_in_on_device(login: &Login) -> Result<LoggedIn, Failure> {
    let begun = login.begin_on_device().await?;
    let (page, code) = (begun.page(), begun.user_code());
    output::print_message_line(&format!("open {page} on any device and type the code {code}"));
    if let Some(page) = begun.page_with_code() {
        output::print_message(&format!("or open this page, which has the code:\n  {page}\n"));
    }
    Ok(login.finish_on_device(begun).await?)
}

/// `callgate logout`: revokes the tokens of a login at the authorization server, and removes it from this machine whatever
/// the server says.
pub(crate) fn log_out(at: &LoginPlace, kinds: &Kinds) -> Result<Verdict, Failure> {
    let (built, logins) = load_logins(at, "callgate logout FILE", kinds)?;
    block_on(log_out_of(&logins))??;
    drop::<Built>(built);
    Ok(Verdict::Fine)
}

async fn log_out_of(logins: &[BuiltLogin]) -> Result<(), Failure> {
    for BuiltLogin { credential, login, .. } in logins {
        let LoggedOut { was_there, unrevoked, .. } = login.logout().await?;
        let text = if was_there { "logged out" } else { "nobody was logged in" };
        output::print_result(&format!("{text} for `{credential}`\n"));
        if let Some(why) = unrevoked {
            output::print_message(&format!(
                "warning: the login is removed here, but the server may go on taking its tokens: {why}\nhelp: end it on the server's own pages\n"
            ));
        }
    }
    Ok(())
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self(format!("error: {}", error_with_cause(&error)))
    }
}

fn login_summary(logged_in: &LoggedIn) -> String {
    let mut text = "logged in".to_owned();
    if !logged_in.scopes.is_empty() {
        text.push_str(&format!(", with the scopes `{}`", logged_in.scopes.join(" ")));
    }
    match logged_in.expires_in {
        _ if logged_in.is_renewed => text.push_str("; tokens are renewed until you log out"),
        Some(time) => text.push_str(&format!("; it ends in {} s", time.as_secs())),
        None => {}
    }
    text
}

const EXAMPLE: &str = "{oauth2_authorization_code: {issuer: https://HOST, client_id: ID}}";
