//! Imports an OpenAPI tool: its description, its connection and its credential, in messages that the products name differently.

use crate::import::{
    Imported,
    authentication::{self, Product},
    connection,
    message::Message,
};

pub(super) fn import_open_api(message: &Message<'_>, product: Product, imported: &mut Imported) {
    let [schema, authentication] = match product {
        Product::Ces => ["openApiSchema", "apiAuthentication"],
        Product::Dialogflow => ["textSchema", "authentication"],
    };
    let described: &[&str] = match product {
        Product::Ces => &["name", "description", "url"],
        Product::Dialogflow => &[],
    };
    // Callgate ignores unknown fields anyway: response fields beyond the schema are kept.
    let common_members =
        [schema, authentication, "tlsConfig", "serviceDirectoryConfig", "ignoreUnknownFields"];
    message.remark_unknown_members(&[&common_members, described].concat(), imported);
    imported.schema = message.text(schema, imported).map(|text| text.plain_text().to_owned());
    if product == Product::Ces {
        let url = message.text("url", imported);
        let url =
            url.and_then(|text| authentication::server_address(message, "url", text, imported));
        imported.url = url.map(ToOwned::to_owned);
    }
    connection::import_tls(message, imported);
    connection::import_service_directory(message, imported);
    if let Some(message) = message.message(authentication, imported) {
        authentication::import_authentication(&message, product, imported);
    } else if message.has(authentication) {
        imported.lacks_credential = true;
    } else {
        imported.settings.insert("auth".to_owned(), "none".into());
    }
}
