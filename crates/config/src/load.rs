//! Loads a configuration from files: a configuration file, a bare description with a few options, or the settings of
//! one toolset.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use callgate_kind::ToolsetKind;
use callgate_settings::{Finding, LoadEffects, Severity};
use callgate_tree::Node;

use crate::{
    code::ConfigCode,
    config::Config,
    description::Description,
    error::Error,
    kinds::Kinds,
    location::Location,
    options::{self, DescriptionOptions},
    session_texts::refuse_session_placeholders,
    text::{parse_tree, read_bounded_file, unreadable_file_error},
    toolset::ToolsetConfig,
    toolsets::{ToolsetLocation, read_toolset},
};

/// Reads configurations whose toolsets may be of further kinds than descriptions and functions. [`Config::from_text`] and its like
/// know none.
///
/// ```
/// use callgate_config::Loader;
///
/// // Without a further kind, it reads what `Config::from_text` reads.
/// let config = Loader::new().text("toolsets: {pets: {openapi: pets.yaml}}", "/srv")?;
/// assert_eq!(config.toolsets.len(), 1);
/// # Ok::<(), callgate_config::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Loader {
    kinds: Kinds,
    effects: LoadEffects,
    root: Option<PathBuf>,
}

impl Loader {
    /// A loader that knows no further kinds, and whose loads may have all effects.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a kind of toolset.
    #[must_use]
    pub fn with_kind(mut self, kind: impl ToolsetKind + 'static) -> Self {
        self.kinds = self.kinds.with(kind);
        self
    }

    /// Reads toolsets of these kinds, and of no other ones.
    #[must_use]
    pub fn with_kinds(mut self, kinds: Kinds) -> Self {
        self.kinds = kinds;
        self
    }

    /// Bounds the effects of its loads: of the reading, and of the build.
    #[doc(hidden)]
    #[must_use]
    pub fn with_effects(mut self, effects: LoadEffects) -> Self {
        self.effects = effects;
        self
    }

    /// Reads no file outside of a folder, neither by a path nor by a link.
    ///
    /// # Errors
    /// The folder cannot be found.
    #[doc(hidden)]
    pub fn reading_below(mut self, folder: impl AsRef<Path>) -> io::Result<Self> {
        self.root = Some(fs::canonicalize(folder)?);
        Ok(self)
    }

    /// Reads a configuration; see [`Config::from_text`].
    ///
    /// # Errors
    /// The errors of [`Config::from_text`].
    pub fn text(&self, text: impl AsRef<[u8]>, base: impl Into<PathBuf>) -> Result<Config, Error> {
        self.read_config(text.as_ref(), base.into(), PathBuf::new())?.faultless()
    }

    /// Reads the settings of one toolset; see [`Config::from_toolset_text`].
    ///
    /// # Errors
    /// The errors of [`Config::from_text`].
    pub fn toolset_text(
        &self,
        text: impl AsRef<[u8]>,
        base: impl Into<PathBuf>,
    ) -> Result<Config, Error> {
        self.read_toolset_settings(text.as_ref(), base.into(), PathBuf::new())?.faultless()
    }

    /// Reads a configuration from a file; see [`Config::from_file`].
    ///
    /// # Errors
    /// The errors of [`Config::from_file`].
    pub fn file(&self, file: impl AsRef<Path>) -> Result<Config, Error> {
        let file = file.as_ref();
        self.read_in_file(file, |text| self.read_config(text, parent_folder(file), file.to_owned()))
    }

    /// Reads the settings of one toolset from a file; see [`Config::from_toolset_file`].
    ///
    /// # Errors
    /// The errors of [`Config::from_file`].
    pub fn load_toolset_settings_file(&self, file: impl AsRef<Path>) -> Result<Config, Error> {
        let file = file.as_ref();
        self.read_in_file(file, |text| {
            self.read_toolset_settings(text, parent_folder(file), file.to_owned())
        })
    }

    /// Reads a configuration or a bare description, distinguished by the content: a description has `openapi` or `swagger`.
    /// An address contains a description, which is requested during the build. The options apply only to bare descriptions.
    /// The build reports faults of options.
    ///
    /// # Errors
    /// [`Error`] if a file cannot be read, or with options that a configuration does not accept.
    pub fn open(
        &self,
        location: impl Into<Location>,
        options: &DescriptionOptions,
    ) -> Result<Config, Error> {
        let location = location.into();
        match &location {
            Location::Address(url) => {
                let config =
                    self.with_loader_settings(Config::new()).with_file(&location.display_path());
                Ok(self.config_with_description(config, Description::address(url.clone()), options))
            }
            Location::File(file) => {
                let mut config = self.read_in_file(file, |text| {
                    self.open_config_or_description(file, text, options)
                })?;
                config.reader.files.insert(file.to_owned());
                Ok(config)
            }
            Location::Text(name, text) => {
                let mut config = self.open_config_or_description(name, text, options)?;
                // The file is not read again.
                config.reader.files.remove(name);
                Ok(config)
            }
        }
    }

    /// The configuration in a text, or one made from the description in it.
    fn open_config_or_description(
        &self,
        file: &Path,
        text: &[u8],
        options: &DescriptionOptions,
    ) -> Result<Config, Error> {
        let parsed = callgate_openapi::read(text, &options.description_limits(&self.kinds).text);
        match parsed {
            // A mapping that does not declare a description counts as a configuration.
            Ok(parsed) if is_configuration(&parsed.value) => {
                let foreign = options.given_configuration_options();
                if !foreign.is_empty() {
                    return Err(description_option_error(file, &foreign));
                }
                drop(parsed);
                let base = file.parent().map(Path::to_owned).unwrap_or_default();
                let mut config = self.read_config(text, base, file.to_owned())?;
                options::apply_to_all_toolsets(&mut config, options, &self.kinds);
                Ok(config)
            }
            parsed => {
                let mut config = self.with_loader_settings(Config::new()).with_file(file);
                config.reader.texts.add(text);
                let description = Description::from_parsed(file.to_owned(), parsed);
                Ok(self.config_with_description(config, description, options))
            }
        }
    }

    fn config_with_description(
        &self,
        mut config: Config,
        description: Description,
        options: &DescriptionOptions,
    ) -> Config {
        let toolset =
            options::description_toolset(&mut config.reader, description, options, &self.kinds);
        config.with_toolset(toolset)
    }

    fn read_config(&self, text: &[u8], base: PathBuf, file: PathBuf) -> Result<Config, Error> {
        let root = parse_tree(&file, text)?;
        Ok(self
            .with_loader_settings(Config::with_origin(text, &root, base, file))
            .with_tree_values(&root, &self.kinds))
    }

    /// A configuration whose reading and build have these effects at most.
    fn with_loader_settings(&self, mut config: Config) -> Config {
        config.reader.effects = self.effects;
        config.reader.root.clone_from(&self.root);
        config.text_models = self.kinds.text_models;
        config
    }

    /// Reads a file; faults are reported for the file.
    fn read_in_file(
        &self,
        file: &Path,
        read: impl FnOnce(&[u8]) -> Result<Config, Error>,
    ) -> Result<Config, Error> {
        let admitted = self.with_loader_settings(Config::new()).reader.check_file_allowed(file);
        let admitted = admitted.map_err(|error| unreadable_file_error(file, &error));
        let config = admitted.and_then(|()| read_bounded_file(file)).and_then(|text| read(&text));
        config.map_err(|error| error.with_files([file.to_owned()].into()))
    }

    fn read_toolset_settings(
        &self,
        text: &[u8],
        base: PathBuf,
        file: PathBuf,
    ) -> Result<Config, Error> {
        let root = parse_tree(&file, text)?;
        let mut config = self.with_loader_settings(Config::with_origin(text, &root, base, file));
        let usual = ToolsetConfig::default();
        let place = ToolsetLocation {
            pointer: "",
            directory: &config.base,
            usual: &usual,
            kinds: &self.kinds,
            root: &[],
        };
        config.toolsets.extend(read_toolset(&mut config.reader, &root, None, &place));
        refuse_session_placeholders(&mut config.reader, &root);
        Ok(config)
    }
}

impl Config {
    /// Reads a configuration, YAML or JSON. Paths in it are relative to `base`. Its toolsets have descriptions and functions; a
    /// [`Loader`] reads further kinds.
    ///
    /// ```
    /// # use callgate_config::{Config, Error};
    /// let text = "toolsets:\n  pets:\n    openapi: pets.yaml\n    server: https://api.example.com\n";
    /// let config = Config::from_text(text, "specs")?;
    /// assert_eq!(config.toolsets[0].description.path().to_str(), Some("pets.yaml"));
    ///
    /// let error = Config::from_text("toolset: {}", "").unwrap_err();
    /// assert_eq!(error.findings()[0].help, "did you mean `toolsets`?");
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error`] with every fault of the text, each with its line and column. [`Config::build`] finds faults that show
    /// only when files are read and stores are connected.
    pub fn from_text(text: impl AsRef<[u8]>, base: impl Into<PathBuf>) -> Result<Self, Error> {
        Loader::new().text(text, base)
    }

    /// Reads the settings of one toolset (the value below `toolsets.NAME`) from a text of their own, like a fixture.
    /// The default of `openapi` is `spec.yaml` in `base`.
    ///
    /// # Errors
    /// The errors of [`Config::from_text`].
    pub fn from_toolset_text(
        text: impl AsRef<[u8]>,
        base: impl Into<PathBuf>,
    ) -> Result<Self, Error> {
        Loader::new().toolset_text(text, base)
    }

    /// Reads a configuration from a file. Paths in it are relative to the file's folder. [`Config::build`] reports
    /// faults that do not prevent reading the rest, with those that it finds itself.
    ///
    /// # Errors
    /// [`Error`] if the file cannot be read, or is neither YAML nor JSON.
    pub fn from_file(file: impl AsRef<Path>) -> Result<Self, Error> {
        Loader::new().file(file)
    }

    /// Reads the settings of one toolset from a file; see [`Config::from_toolset_text`].
    ///
    /// # Errors
    /// The errors of [`Config::from_file`].
    pub fn from_toolset_file(file: impl AsRef<Path>) -> Result<Self, Error> {
        Loader::new().load_toolset_settings_file(file)
    }

    /// Reads a configuration or a bare description, distinguished by the content; see [`Loader::open`].
    ///
    /// ```no_run
    /// use callgate_config::{Config, DescriptionOptions};
    ///
    /// let config = Config::open("pets.yaml", &DescriptionOptions::default())?;
    /// # Ok::<(), callgate_config::Error>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`Loader::open`].
    pub fn open(
        location: impl Into<Location>,
        options: &DescriptionOptions,
    ) -> Result<Self, Error> {
        Loader::new().open(location, options)
    }
}

fn parent_folder(file: &Path) -> PathBuf {
    file.parent().unwrap_or(file).to_owned()
}

fn is_configuration(root: &Node) -> bool {
    let says = |key: &str| root.get(key).is_some();
    let is_described = says("openapi") || says("swagger") || callgate_openapi::is_foreign(root);
    // A mapping with `paths` is a description without a version.
    let is_described = is_described || says("paths");
    says("toolsets") || (root.as_object().is_some() && !is_described)
}

/// The error for options that a configuration has keys for, one finding for each.
fn description_option_error(file: &Path, names: &[&'static str]) -> Error {
    let finding = |name: &&'static str| {
        let code = ConfigCode::DescriptionOption.as_str();
        let message =
            "expected an option that goes with a configuration, got one for bare descriptions";
        let help =
            "write `server:`, `auth:`, `overlays:`, `tls:` and `egress:` into the configuration";
        Finding::new(file, Severity::Error, code, message).with_help(help).with_option(name)
    };
    Error::from_findings(names.iter().map(finding).collect())
}
