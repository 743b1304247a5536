//! Descriptions that a program holds as values of the crate `openapiv3`. They are converted to JSON and read like any
//! other text, so that a finding has the pointer that it would have in the original file.

use openapiv3::OpenAPI;

use crate::Description;

/// A typed description of OpenAPI 3.0.
///
/// The types of `openapiv3` hold less than a text does. These parts are lost before callgate sees them:
///
/// - members beside `$ref`, which OpenAPI 3.0 ignores as well, but callgate reports;
/// - digits of numbers beyond those of a double in defaults, enums and bounds, and bounds of integers beyond 64 bits;
/// - members that OpenAPI 3.0 does not define and that are not extensions (`x-…`), including keywords of JSON Schema 2020-12;
/// - line breaks and the order of the file, so that findings have a pointer and no line of the file.
///
/// A program that has the text passes it to [`Description::text`], and loses nothing.
///
/// ```
/// # use callgate_config::Description;
/// let api: openapiv3::OpenAPI = serde_json::from_str(
///     r#"{"openapi": "3.0.3", "info": {"title": "Pets", "version": "1"}, "paths": {}}"#,
/// )?;
/// let description = Description::from(api);
/// # assert!(description.path().as_os_str().is_empty());
/// # Ok::<(), serde_json::Error>(())
/// ```
impl From<OpenAPI> for Description {
    fn from(api: OpenAPI) -> Self {
        Self::from(&api)
    }
}

/// A typed description of OpenAPI 3.0 that the program keeps. The conversion from `OpenAPI` by value lists the lost parts.
impl From<&OpenAPI> for Description {
    fn from(api: &OpenAPI) -> Self {
        // All keys are texts, so serialisation cannot fail; an empty text would be refused as a description.
        Self::text(serde_json::to_vec(api).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use callgate_executor::Entry;
    use openapiv3::OpenAPI;

    use crate::{Config, Description, Environment, ServerUrl, ToolsetConfig};

    #[tokio::test]
    async fn a_typed_description_becomes_tools() {
        let text = r#"{"openapi": "3.0.3", "info": {"title": "Pets", "version": "1"},
            "paths": {"/pets": {"get": {"operationId": "listPets", "responses": {"200": {"description": "ok"}}}}}}"#;
        let api: OpenAPI = serde_json::from_str(text).unwrap();
        let server = ServerUrl::new("https://api.example.com").unwrap();
        let toolset = ToolsetConfig::new(Description::from(api)).with_server(server);
        let config = Config::new().with_toolset(toolset);
        let built = config.build(&Environment::new(), None).await.unwrap();
        let names: Vec<_> = built.executor.entries().filter_map(Entry::declaration).collect();
        assert_eq!(names.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>(), ["listPets"]);
    }
}
