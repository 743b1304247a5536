//! Words remedies for users of the command line: the library gives them as data, and only this module names the flags.

use std::path::PathBuf;

use callgate::{config::Finding, openapi::Diagnostic};
use callgate_tool::Remedy;

pub(crate) fn diagnostic_remedy(diagnostic: &Diagnostic) -> String {
    remedy_or_help(diagnostic.remedy.as_ref(), &diagnostic.help)
}

pub(crate) fn finding_remedy(finding: &Finding) -> String {
    remedy_or_help(finding.remedy.as_ref(), &finding.help)
}

/// The remedy in words, with its flags, and with the key of a configuration if there is one.
pub(crate) fn remedy_words(remedy: &Remedy) -> String {
    let flags = remedy_by_flags(remedy);
    match remedy {
        Remedy::AllowAddress { address } => {
            format!("{flags}, or `egress: {{allow: [{address}]}}` in the configuration")
        }
        Remedy::NameServer { url } => format!("{flags}, or `server: {url}` in the configuration"),
        _ => flags,
    }
}

/// The remedy in words for whoever calls a bare description: with flags and no keys.
pub(crate) fn remedy_by_flags(remedy: &Remedy) -> String {
    match remedy {
        Remedy::AllowAddress { address } => {
            format!("allow the address: `--egress-allow {address}`")
        }
        Remedy::ImportExport => {
            "unpack it and name the description in it; `callgate import FILE --out DIR` reads an exported agent".to_owned()
        }
        Remedy::NameCredentials => {
            "`callgate init NAME FILE --credential SCHEME=env:NAME` makes a configuration with a credential for each scheme".to_owned()
        }
        Remedy::NameServer { url } => format!("name the server: `--server {url}`"),
        Remedy::SetHeader { header } => format!("name the header: `-H '{header}'`"),
        Remedy::UseOverlay => {
            "name the description it is for, and the overlay with `--overlay FILE`".to_owned()
        }
        Remedy::UseToken { reference } => {
            format!("for a bearer token `--bearer {reference}`; else keep the whole value there")
        }
        other => other.to_string(),
    }
}

pub(crate) fn finding_file_or_flag(finding: &Finding) -> PathBuf {
    finding.option.map_or_else(|| finding.file.clone(), |option| option_flag(option).into())
}

fn remedy_or_help(remedy: Option<&Remedy>, help: &str) -> String {
    remedy.map_or_else(|| help.to_owned(), remedy_words)
}

fn option_flag(option: &str) -> String {
    match option {
        "headers" => "--header".to_owned(),
        "overlays" => "--overlay".to_owned(),
        option => format!("--{}", option.replace('_', "-")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_option_is_named_by_its_flag() {
        for (option, expected) in
            [("api_key", "--api-key"), ("headers", "--header"), ("server", "--server")]
        {
            assert_eq!(option_flag(option), expected);
        }
    }
}
