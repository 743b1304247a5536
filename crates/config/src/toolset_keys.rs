//! The keys of a toolset, and the forms of values that only one of them has.

use callgate_executor::Redirects;
use callgate_openapi::{Defaults, SessionInputs, ToolNames};
use callgate_settings::{Kind, Mapping, Reader, SettingCode, forms, keys, member_pointer, words};
use callgate_tool::{SessionName, ToolsetName};
use callgate_transport::{AddressRange, NotARange};
use http::Method;

use crate::{
    argument_headers::ArgumentHeaders,
    credential::Auth,
    description::Description,
    functions::Functions,
    headers::Headers,
    limits::ToolsetLimits,
    location::secure_description_url,
    output::OutputKeys,
    references::References,
    retry::RetryRule,
    scheme_credentials::{Origins, Schemes},
    selection::SelectionKeys,
    server::{Server, ServerVariables},
    service_directory::Directory,
    tls::TlsConfig,
    tool_rules::{BodyArguments, ConfirmRules, ExecutionRules},
    toolset::{AllowedValue, ToolsetConfig},
    upstream::Upstream,
};

keys! {
    pub(crate) ToolsetKeys over ToolsetConfig, in "a toolset" {
        /// Withheld headers that arguments may set.
        argument_headers: ArgumentHeaders;
        /// Tools whose arguments are the members of their JSON body, with what its schema says of the whole.
        arguments => body_arguments: BodyArguments;
        /// The credential of every operation, but those that say that they are open.
        auth => credentials.auth: Auth;
        /// `true` hands on the `baggage` of the caller's trace, which may say what the service should not know.
        baggage => call.baggage: bool;
        /// The media types of request bodies that are preferred, the best first.
        body_media: MediaTypes;
        /// The calls that a person has to approve; `writes` are those that change something.
        confirm: ConfirmRules;
        /// Parameters that are arguments although they have the name and place of a credential.
        credential_arguments: Vec<String>;
        /// Origins that credentials and values of the session may go to beside the server's own.
        credential_origins => credentials.origins: Origins;
        /// Credentials by the security schemes of the description.
        credentials => credentials.schemes: Schemes;
        /// The defaults that are sent; `safe` leaves out those that would decide alone what a call changes.
        defaults: DefaultsWord;
        /// Addresses that may be called beyond public ones.
        egress: Egress;
        /// `client` hands checked calls to the client instead of the service.
        execution: ExecutionRules;
        /// Tools that the client runs; without `openapi` and other sources the toolset has no others.
        functions: Functions;
        /// Headers of every request: texts, or references to secrets.
        headers: Headers;
        /// The limits on the description, on one call, and on calls together.
        limits => _: ToolsetLimits;
        /// The OpenAPI description: a file, relative to this one, or an https address.
        openapi => description: Description;
        /// The part of a result that is shown, and its form.
        output => _: OutputKeys;
        /// Overlays that correct the description (OpenAPI Overlay 1.0 and 1.1), in their order.
        overlays: Vec<std::path::PathBuf>;
        /// The text before the operation's name; the toolset's own name unless given.
        prefix: Prefix;
        /// `same_origin` follows what GET and HEAD are answered below the server's path.
        redirects => call.redirects: RedirectsWord;
        /// Origins that the description may refer to documents on.
        references: References;
        /// `true` for a sidecar that is not ready while the description cannot be read.
        required: bool;
        /// The requests that are sent again after a failure: `none`, `safe`, or a mapping with its numbers.
        retry => call.retry: RetryRule;
        /// The server that is called instead of the description's own; `env:NAME` for the variable that holds it.
        server: Server;
        /// Values of the variables of the server; `env:NAME` for the variable that holds one.
        server_variables: ServerVariables;
        /// The service of Service Directory whose private endpoints are dialled.
        service_directory: Directory, needs "google";
        /// `strict` hides from the model what the session should give.
        session_inputs: SessionInputsWord;
        /// Session values that inputs take although credentials of other toolsets read them.
        session_parameters: SessionParameters;
        /// The certificates that secure its connections.
        tls: TlsConfig;
        /// The names of tools whose `operationId` a generator such as FastAPI made; `short` leaves out what it added.
        tool_names: NamesOfTools;
        /// The operations that are offered, and changes to single tools.
        tools => selection: SelectionKeys;
        /// `http` asks the service, `replay` answers from recordings.
        upstream: Upstream;
    }
}

keys! {
    pub(crate) struct EgressKeys in "`egress`" {
        /// Ranges of addresses: `10.0.0.0/8`.
        allow: AddressRanges;
    }
}

keys! {
    /// The session values that inputs may take although credentials of other toolsets read them.
    pub(crate) struct SessionParameterKeys in "`session_parameters`" {
        /// The names of the values.
        allow: AllowedValues;
    }
}

words! {
    struct DefaultsWord => Defaults, "`safe` leaves out defaults that would decide alone what a call changes":
    "safe" => Safe, "all" => All, "required" => Required
}
words! {
    struct RedirectsWord => Redirects, "`same_origin` follows what GET and HEAD are answered within the origin":
    "none" => None, "same_origin" => SameOrigin
}
words! {
    struct SessionInputsWord => SessionInputs, "`strict` hides from the model what the session should give":
    "lenient" => Lenient, "strict" => Strict
}
words! {
    struct ToolNamesWord => ToolNames, "`as_written` keeps the whole `operationId`":
    "as_written" => AsWritten, "short" => Short
}

forms! {
    struct Egress => Vec<AddressRange>, EgressKeys::KIND,
        |reader, mapping, key| reader.get::<EgressKeys>(mapping, key)?.allow;
    struct AddressRanges => Vec<AddressRange>, Kind::List(&Kind::Text), |reader, mapping, key| {
        let range = |text: &str| text.parse().map_err(|error: NotARange| error.to_string());
        Some(reader.parsed_strings(mapping, key, "for example `10.0.0.0/8`", range))
    };
    struct SessionParameters => Vec<AllowedValue>, SessionParameterKeys::KIND,
        |reader, mapping, key| reader.get::<SessionParameterKeys>(mapping, key)?.allow;
    struct AllowedValues => Vec<AllowedValue>, Kind::List(&Kind::Text), |reader, mapping, key| {
        let help = "for example `token` for `$session.params.token` and `$context.variables.token`";
        let names = reader.parsed_strings(mapping, key, help, parse_session_name).into_iter().enumerate();
        let allowed = |(index, name)| AllowedValue { pointer: format!("{}/{index}", member_pointer(mapping, key)), name };
        Some(names.map(allowed).collect())
    };
    struct MediaTypes => Vec<String>, Kind::List(&Kind::Text), |reader, mapping, key| {
        let help = "write a type and a subtype, as `application/xml`, or a range, as `text/*`";
        Some(reader.parsed_strings(mapping, key, help, |text| {
            let message = || format!("expected a media type or a range of them, got: `{text}`");
            is_media_type_pattern(text).then(|| text.to_owned()).ok_or_else(message)
        }))
    };
    /// A prefix; an empty text for none.
    struct Prefix => Option<ToolsetName>, Kind::Text, |reader, mapping, key| {
        let text = reader.string(mapping, key)?;
        if text.is_empty() {
            return Some(None);
        }
        let name = ToolsetName::new(text).map_err(|error| {
            let help = "use letters, digits and `_`, or `\"\"` for no prefix";
            reader.report_fault(SettingCode::WrongValue, member_pointer(mapping, key), error.to_string(), help);
        });
        name.ok().map(Some)
    };
    struct NamesOfTools => Option<ToolNames>, ToolNamesWord::KIND,
        |reader, mapping, key| reader.get::<ToolNamesWord>(mapping, key).map(Some);
    Description => Self, Kind::Text, read_description;
}

fn read_description(reader: &mut Reader, mapping: Mapping<'_>, key: &str) -> Option<Description> {
    let openapi = reader.string(mapping, key)?;
    if !openapi.contains("://") {
        return Some(Description::file(openapi));
    }
    let url = secure_description_url(openapi);
    if url.is_none() {
        let message = match openapi.split("://").next().unwrap_or_default() {
            "https" => "expected an https address without a user, got one with it".to_owned(),
            scheme => format!("expected a file, or an https address, got one of: `{scheme}`"),
        };
        let help = "http is for this machine alone: `http://127.0.0.1:8080/openapi.json`";
        reader.report_fault(SettingCode::WrongValue, member_pointer(mapping, key), message, help);
    }
    url.map(Description::address)
}

fn parse_session_name(text: &str) -> Result<SessionName, String> {
    if text.is_empty() || text.starts_with('$') {
        return Err(format!("expected the name of a session value, got: `{text}`"));
    }
    Ok(SessionName::new(text))
}

/// True if a text is a type and a subtype or `*`, without parameters (RFC 9110 §8.3.1).
fn is_media_type_pattern(text: &str) -> bool {
    let Some((general, special)) = text.split_once('/') else { return false };
    is_http_token(general)
        && !general.contains('*')
        && is_http_token(special)
        && (special == "*" || !special.contains('*'))
}

/// True if a text is a token, as a method is: RFC 9110 §5.6.2.
fn is_http_token(text: &str) -> bool {
    Method::from_bytes(text.as_bytes()).is_ok()
}
