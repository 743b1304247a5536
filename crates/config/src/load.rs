//! The doors of the crate: a configuration file, a bare description with a few options, or the settings of one
//! toolset. Each answers a ready executor or every fault at once.

use std::{
    collections::{BTreeMap, BTreeSet},
    error, fmt, fs, iter,
    path::{Path, PathBuf},
    sync::Arc,
};

use callgate_auth::{AuthConfig, CredentialSource};
use callgate_executor::{Builder, Executor, Toolset};
use callgate_openapi::{Limits as DescriptionLimits, Selection, SessionInputs};
use callgate_secret::SecretStore;
use callgate_transport::{AddressRange, Limits, Transport};
use callgate_tree::{Diagnostic, Limits as TextLimits, Node, Position, positions};

use crate::{
    build::{self, Built, ParsedText, Parts},
    checked::{Credentials, ToolsetConfig, Upstream},
    connect::Connections,
    credential,
    finding::{Finding, Severity},
    raw::{self, Shared},
    reader::{Complaint, Reader},
    session_values::Readings,
    tls::TlsConfig,
};

/// A configuration that cannot be built, with everything that is wrong with it.
#[derive(Debug)]
pub struct Error {
    findings: Vec<Finding>,
}

/// What may be said about a bare description on the command line.
#[derive(Clone, Debug, Default)]
#[expect(clippy::exhaustive_structs, reason = "callers name the options they give")]
pub struct DescriptionOptions {
    /// The server that overrides the description's.
    pub server: Option<String>,
    /// The overlays that correct the description, in their order.
    pub overlays: Vec<PathBuf>,
    /// A bearer token: a secret reference or `$session.credentials.NAME`.
    pub bearer: Option<String>,
    /// The certificates that are trusted instead of the machine's: files, or PEM or base64 of DER as they stand.
    pub ca: Vec<String>,
    /// Ranges of addresses that may be called whoever named them: `10.0.0.0/8`.
    pub egress_allow: Vec<String>,
}

/// Builds an executor from a file that is a configuration or a bare description, told apart by what stands in it: a
/// description has `openapi` or `swagger`. The options are for bare descriptions only.
///
/// # Errors
/// [`Error`] with every fault of the configuration, or with options that a configuration does not take.
pub fn open(file: &Path, options: &DescriptionOptions) -> Result<Built, Error> {
    let text = read(file)?;
    let parsed = callgate_tree::read(&text, &TextLimits::default());
    match parsed {
        // A mapping that says nowhere that it is a description is taken for a configuration.
        Ok(parsed) if is_configuration(&parsed.value) => {
            if options.are_given() {
                return Err(options_of_a_configuration(file));
            }
            drop(parsed);
            load(file)
        }
        parsed => description(file, parsed, options),
    }
}

/// Builds an executor from a configuration file.
///
/// # Errors
/// [`Error`] with every fault of the file, each with its line and column.
pub fn load(file: &Path) -> Result<Built, Error> {
    let text = read(file)?;
    let root = tree(file, &text)?;
    let directory = file.parent().unwrap_or(file);
    let mut reader = Reader::default();
    let (shared, toolsets) = raw::configuration(&mut reader, &root, directory);
    build(reader, shared, &toolsets, &Origin { file, text: &text, directory })
}

/// Builds an executor from one toolset's settings (the value below `toolsets.NAME`) in a file of their own, as a
/// fixture has them. Where `openapi` is missing it is `spec.yaml` beside the file; `transport` overrides `upstream`.
///
/// # Errors
/// [`Error`] with every fault of the file, each with its line and column.
pub fn load_toolset(file: &Path, transport: Option<Arc<dyn Transport>>) -> Result<Built, Error> {
    let text = read(file)?;
    let root = tree(file, &text)?;
    let directory = file.parent().unwrap_or(file);
    let mut reader = Reader::default();
    let place = raw::Place { pointer: "", directory };
    let mut toolsets: Vec<_> = raw::toolset(&mut reader, &root, None, &place).into_iter().collect();
    for (toolset, transport) in toolsets.iter_mut().zip(transport) {
        toolset.upstream = Upstream::Given(transport);
    }
    build(reader, Shared::default(), &toolsets, &Origin { file, text: &text, directory })
}

/// Builds an executor from a bare description: no prefix, no credential unless one is named.
///
/// # Errors
/// [`Error`] when the file cannot be read or an option is at fault.
pub fn load_description(file: &Path, options: &DescriptionOptions) -> Result<Built, Error> {
    let text = read(file)?;
    description(file, callgate_tree::read(&text, &TextLimits::default()), options)
}

fn description(
    file: &Path,
    parsed: ParsedText,
    options: &DescriptionOptions,
) -> Result<Built, Error> {
    let mut reader = Reader::default();
    let toolset = ToolsetConfig {
        name: None,
        pointer: String::new(),
        openapi: file.to_owned(),
        text: None,
        overlays: options.overlays.clone(),
        prefix: None,
        server: options.server.clone(),
        server_variables: BTreeMap::new(),
        credentials: Credentials {
            auth: Some(bearer(&mut reader, options)),
            lacks_own: false,
            schemes: None,
            origins: Vec::new(),
        },
        session_inputs: SessionInputs::Lenient,
        session_parameters: Vec::new(),
        body_media: Vec::new(),
        argument_headers: Vec::new(),
        selection: Selection::default(),
        description_limits: DescriptionLimits::default(),
        references: Vec::new(),
        tls: TlsConfig::listing(&options.ca),
        egress: egress(&mut reader, options),
        service_directory: None,
        limits: Limits::default(),
        redirects: callgate_executor::Redirects::None,
        shape: callgate_call::Shape::default(),
        tool_shapes: Vec::new(),
        upstream: Upstream::Http,
    };
    let origin = Origin { file, text: b"", directory: Path::new("") };
    let toolsets = [toolset];
    let connections = connections(&mut reader, Shared::default(), &toolsets, &origin);
    let [toolset] = &toolsets;
    let mut parts = build::toolset(&mut reader, toolset, parsed, &connections);
    Readings::of(&toolsets).applied(&mut reader, toolset, &mut parts);
    finished(reader, vec![parts], (&origin, connections.secrets))
}

impl DescriptionOptions {
    fn are_given(&self) -> bool {
        let has_one = self.server.is_some() || self.bearer.is_some();
        let lists = [&self.ca, &self.egress_allow];
        has_one || !self.overlays.is_empty() || lists.into_iter().any(|list| !list.is_empty())
    }
}

fn bearer(reader: &mut Reader, options: &DescriptionOptions) -> AuthConfig {
    let Some(bearer) = &options.bearer else { return AuthConfig::None };
    match credential::source(bearer) {
        Ok(token) => {
            if let CredentialSource::Secret(reference) = &token {
                reader.references.push((String::new(), reference.scheme()));
            }
            AuthConfig::Bearer { token }
        }
        Err(message) => {
            reader.complain("secret-reference", "", message, "for example `env:TOKEN`");
            AuthConfig::None
        }
    }
}

fn egress(reader: &mut Reader, options: &DescriptionOptions) -> Vec<AddressRange> {
    let mut ranges = Vec::new();
    for text in &options.egress_allow {
        match text.parse::<AddressRange>() {
            Ok(range) => ranges.push(range),
            Err(error) => {
                reader.complain("wrong-value", "", error.to_string(), "for example `10.0.0.0/8`");
            }
        }
    }
    ranges
}

fn is_configuration(root: &Node) -> bool {
    let says = |key: &str| root.get(key).is_some();
    says("toolsets") || (root.as_object().is_some() && !says("openapi") && !says("swagger"))
}

impl Error {
    /// Everything that is wrong, in the order of the file.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut findings = self.findings.iter();
        if let Some(first) = findings.next() {
            write!(f, "{first}")?;
        }
        findings.try_for_each(|finding| write!(f, "\n{finding}"))
    }
}

impl error::Error for Error {}

/// The file that is being built from.
#[derive(Clone, Copy, Debug)]
struct Origin<'a> {
    file: &'a Path,
    text: &'a [u8],
    directory: &'a Path,
}

fn build(
    mut reader: Reader,
    shared: Shared,
    toolsets: &[ToolsetConfig],
    origin: &Origin<'_>,
) -> Result<Built, Error> {
    let connections = connections(&mut reader, shared, toolsets, origin);
    let readings = Readings::of(toolsets);
    let mut parts = Vec::new();
    for toolset in toolsets {
        if let Some(text) = build::description(&mut reader, toolset) {
            let parsed = callgate_tree::read(&text, &toolset.description_limits.text);
            let mut built = build::toolset(&mut reader, toolset, parsed, &connections);
            readings.applied(&mut reader, toolset, &mut built);
            parts.push(built);
        }
    }
    finished(reader, parts, (origin, connections.secrets))
}

/// The connections and the stores of secrets, one of each for all toolsets. What these name of stores was read before.
fn connections(
    reader: &mut Reader,
    shared: Shared,
    toolsets: &[ToolsetConfig],
    origin: &Origin<'_>,
) -> Connections {
    let secrets = build::stores(reader, shared.secrets, origin.directory);
    secrets.check(reader);
    Connections::new(reader, &shared.tls, toolsets, (origin.directory, Arc::new(secrets)))
}

fn finished(
    mut reader: Reader,
    parts: Vec<Parts>,
    (origin, secrets): (&Origin<'_>, Arc<dyn SecretStore>),
) -> Result<Built, Error> {
    let (mut ready, mut toolsets) = (Vec::new(), Vec::new());
    for Parts { toolset, built } in parts {
        ready.extend(toolset);
        toolsets.push(built);
    }
    names_are_unique(&mut reader, &ready);
    let mut findings = findings(&reader.complaints, origin);
    findings.append(&mut reader.elsewhere);
    if findings.iter().any(|finding| finding.severity == Severity::Error) {
        return Err(Error { findings });
    }
    let executor = ready.into_iter().fold(Executor::builder(), Builder::toolset).build();
    let executor = executor.map_err(|error| {
        unreadable(origin.file, error.to_string(), "give each tool its own name")
    })?;
    Ok(Built { executor, toolsets, warnings: findings, secrets })
}

fn names_are_unique(reader: &mut Reader, toolsets: &[Toolset]) {
    let mut known = BTreeSet::new();
    for callable in toolsets.iter().flat_map(|toolset| &toolset.operations) {
        let operation = &callable.operation;
        if !known.insert(&operation.tool_name) {
            let message = format!("two toolsets have a tool `{}`", operation.tool_name);
            let help = "give each toolset its own `prefix`";
            reader.complain("duplicate-tool", "/toolsets", message, help);
        }
    }
}

fn findings(complaints: &[Complaint], origin: &Origin<'_>) -> Vec<Finding> {
    let pointers = complaints.iter().map(|complaint| complaint.pointer.as_str());
    let places = positions(origin.text, pointers).into_iter().chain(iter::repeat(None));
    let finding = |(complaint, position): (&Complaint, Option<Position>)| Finding {
        file: origin.file.to_owned(),
        code: complaint.code,
        severity: complaint.severity,
        pointer: complaint.pointer.clone(),
        position: position.filter(|_| !origin.text.is_empty()),
        message: complaint.message.clone(),
        help: complaint.help.clone(),
    };
    let mut findings: Vec<_> = complaints.iter().zip(places).map(finding).collect();
    findings.sort_by_key(|finding| finding.position);
    findings
}

fn read(file: &Path) -> Result<Vec<u8>, Error> {
    fs::read(file).map_err(|error| {
        let message = format!("cannot read the file: {error}");
        unreadable(file, message, "name a file that exists")
    })
}

fn tree(file: &Path, text: &[u8]) -> Result<Node, Error> {
    let read = callgate_tree::read(text, &TextLimits::default());
    let read = read.map_err(|diagnostics| Error {
        findings: diagnostics.iter().map(|diagnostic| textual(file, diagnostic)).collect(),
    })?;
    // A key that stands twice is lost once: an error in a configuration.
    if !read.diagnostics.is_empty() {
        let findings = read.diagnostics.iter().map(|diagnostic| textual(file, diagnostic));
        return Err(Error { findings: findings.collect() });
    }
    Ok(read.value)
}

fn textual(file: &Path, diagnostic: &Diagnostic) -> Finding {
    Finding {
        file: file.to_owned(),
        code: diagnostic.code.as_str(),
        severity: Severity::Error,
        pointer: diagnostic.pointer.clone(),
        position: diagnostic.position,
        message: diagnostic.message.clone(),
        help: diagnostic.help.clone(),
    }
}

fn unreadable(file: &Path, message: String, help: &str) -> Error {
    whole_file(file, "unreadable-file", message, help)
}

fn options_of_a_configuration(file: &Path) -> Error {
    let message = "`--server`, `--bearer`, `--overlay`, `--ca` and `--egress-allow` are for bare descriptions, and this is a configuration";
    let help = "write `server:`, `auth:`, `overlays:`, `tls:` and `egress:` into the configuration";
    whole_file(file, "description-option", message.to_owned(), help)
}

fn whole_file(file: &Path, code: &'static str, message: String, help: &str) -> Error {
    let finding = Finding {
        file: PathBuf::from(file),
        code,
        severity: Severity::Error,
        pointer: String::new(),
        position: None,
        message,
        help: help.to_owned(),
    };
    Error { findings: vec![finding] }
}
