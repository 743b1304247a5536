//! A paragraph about each code, for whoever asks what a finding means. What to do about one finding is said by the
//! finding itself.

use crate::code::Code;

/// What a code means, why it is reported, and what to do.
pub(super) fn explanation(code: Code) -> &'static str {
    let row = EXPLANATIONS.iter().find(|(explained, _)| *explained == code);
    row.map_or("", |(_, text)| text)
}

const EXPLANATIONS: &[(Code, &str)] = &[
    (
        Code::AmbiguousList,
        "A parameter of Swagger 2.0 is a list of lists, and both have the same `collectionFormat`, which is \
             `csv` where none is named. `1,2,3` may then stand for any division into lists. A call is \
             refused before anything is sent where a list in the list has more than one item; other calls are \
             sent. Give `items` another format.",
    ),
    (
        Code::BodyMediaNotWritten,
        "The request body is XML, and nothing names its root element: not the schema, not a component, not the \
             operation. Every call with such a body would be refused, so the operation is not offered where it needs one. \
             Name the element by `xml: {name: …}` in the schema, or offer the body as `application/json` too.",
    ),
    (
        Code::CredentialParameter,
        "The description declares a parameter at the place of one of its security schemes or of a credential of the \
             configuration, or one that services read a credential from: `access_token` in a query or form beside a bearer \
             token, the `X-Amz-*` parameters of a signature of AWS, an optional `key`, `api_key` or `oauth_token` that is \
             described as a credential. A model must never choose a credential, so the parameter is not offered and the \
             credential is sent from the configuration alone. A required one at the place of a scheme is filled with the \
             credential of that scheme. `credential_arguments: [name]` of the toolset makes it an argument again.",
    ),
    (
        Code::CyclicReference,
        "A chain of references comes back to where it started without ever reaching a thing, \
             or a schema consists of nothing but itself. It stands for nothing, so what uses it \
             allows everything or is left out. A schema that contains itself through properties \
             or items is fine and is kept.",
    ),
    (
        Code::DroppedKeyword,
        "A keyword of a schema has a value of a type it cannot have, such as `required: true` \
             or `maxLength: ten`. It would make the whole schema invalid, so it is left out; the \
             schema allows more than was meant.",
    ),
    (
        Code::DuplicateParameter,
        "A list of parameters holds two of the same name and place. The first one counts. An \
             operation may override a parameter of its path item; that is no duplicate.",
    ),
    (
        Code::DynamicReference,
        "Which schema a `$dynamicRef` of JSON Schema 2020-12 means depends on the schemas with an `$id` \
             that lead to it. Here another one than the anchor it names is meant, and the tool's schema says \
             so. What is filled in for the model is not looked for there: defaults are asked for, and \
             values of the session are missing.",
    ),
    (
        Code::EncodingNotWritten,
        "An encoding of OpenAPI 3.2 asks for what this build does not write: a part of a multipart body \
             that has parts of its own, or the parts of a `multipart/form-data` body by their position. \
             The tool is declared, but a call that needs it is refused before anything is sent. Parts by \
             position are written in other multipart bodies, such as `multipart/mixed`.",
    ),
    (
        Code::ExternalReference,
        "The reference leads to a document that may not be read: a file outside the directory \
             of the description, an absolute path, an address whose origin the toolset does not \
             list under `references`, or a document the caller did not supply. Nothing was read \
             or fetched, and the operation that needs it is not offered.",
    ),
    (
        Code::ForbiddenHeader,
        "The description declares a header parameter that steers the connection, the message \
             or the proxies on the way, such as `Host`, `Content-Length`, `Cookie` or \
             `X-Forwarded-For`. No argument may set it; it is not offered and not sent. An operator \
             who knows that the service wants one from a model lists it under `argument_headers` of \
             the toolset, for all tools or for single ones; headers that frame the message, belong \
             to the connection or carry the credential cannot be listed.",
    ),
    (
        Code::ForeignServer,
        "The operation has a server of its own at another origin than the toolset's. Credentials \
             and values of the session are bound to the toolset's server, so calls of the operation \
             are refused before anything is sent. List the origin under `credential_origins:` if it \
             may have them.",
    ),
    (
        Code::ForeignTokenEndpoint,
        "The description names a `tokenUrl` or an `openIdConnectUrl` at another origin than the \
             toolset's server. Whoever wrote the description would be sent the client secret, so the \
             credential is not used, and calls that need it are refused before anything is sent. List \
             the origin under `credential_origins:` if it may have the secret, or name the endpoint \
             yourself with `token_url:` or `issuer:` of the credential.",
    ),
    (
        Code::HostilePath,
        "The key of a path item would lead elsewhere than below the server: it does not start \
             with one `/`, holds a dot segment, a backslash, a control character or a fragment that \
             is no plain word, or its braces do not match. The operation is refused.",
    ),
    (
        Code::IgnoredWebhooks,
        "Webhooks are requests that the service sends. Nobody calls them, so they become no tools. Nothing is lost.",
    ),
    (
        Code::IllegalDefault,
        "The default of a parameter or a property is a value that its own schema does not allow: a number \
             where a text is declared, or a value beyond a bound. It is never converted and never sent, and a \
             required value with such a default must be given. Correct the default or the schema; an \
             overlay can do it.",
    ),
    (
        Code::InvalidSelf,
        "`$self` is the address by which other documents know a document, and what references in it \
             are relative to: a text without a fragment, in OpenAPI 3.2 or later. This one is ignored: \
             references are relative to where the document was read. A `$self` that counts gives names and \
             opens nothing: what is next to it at its address is looked for beside the file, then at the \
             address if its origin is listed under `references`. Servers are never relative to it.",
    ),
    (
        Code::InvalidServer,
        "The server of the operation is not a plain http or https address: it lacks a `url`, \
             has another scheme, or carries user information, a query or a fragment. Correct it, \
             or name a server with `--server URL` or `server:`.",
    ),
    (
        Code::InvalidSessionInput,
        "`x-agent-input-parameter` must be a name, `$session.params.<name>` or \
             `$request.payload.<path>`; `x-ces-session-context` must be `$context.<path>`. An \
             agent input that cannot be read is asked of the model, unless the toolset says \
             `session_inputs: strict`; a context value never is. Then the operation is refused.",
    ),
    (
        Code::InvalidStyle,
        "The `style` of a parameter is unknown, or its place does not allow it. The default \
             style of the place is used: `simple` in paths and headers, `form` in queries and \
             cookies.",
    ),
    (
        Code::KeyCollision,
        "A member of an object that is written as keys of its own (an exploded object, a `deepObject`) has \
             the name of another input, of a query that the path fixes, or of a credential. A service would \
             read one of them in place of the other, so one key has one writer: a call that gives such a \
             member is refused, naming both. Rename one of them, or give the object another style.",
    ),
    (
        Code::LargeTool,
        "The declaration of the tool has more than 1,000 tokens, estimated. A model reads every \
             declaration in every turn. Shorten descriptions, or remove what a model does not need \
             with an overlay.",
    ),
    (
        Code::MalformedNode,
        "A part of the description is of a wrong type or lacks what makes it what it should \
             be, such as a parameter without a name. The part is left out; an operation that is \
             no object is refused. The rest of the document is read.",
    ),
    (
        Code::ManyTokens,
        "The declarations of the description have more than 100,000 tokens together, estimated: half \
             the context of most models. Offer a selection of the operations.",
    ),
    (
        Code::MediaRange,
        "A body is described for a range of media types such as `*/*`. One has to be sent; \
             JSON is taken. Name the media type the service expects.",
    ),
    (
        Code::MissingCredential,
        "The operation asks for credentials that the configuration does not have, or whose scopes \
             do not cover what it asks for. Calls of it are refused before anything is sent. Write \
             the credential of the security scheme under `credentials:`, one credential of every \
             operation under `auth:`, or `auth: none` to call without.",
    ),
    (
        Code::MissingReference,
        "A reference names a part of the document that is not there. What it stands for is \
             left out, or allows everything where it is a schema. Operations that do not use it \
             are untouched. Where no call needs what it stands for (the answers of failures, headers, \
             links, examples, callbacks) it is a note.",
    ),
    (
        Code::MoreFindings,
        "A description may have any number of faults, but nobody reads more than some thousands, and an \
             operation is not read further because of them. What is not shown is counted: correct what is \
             shown, and check again. What many operations share is told one by one for the first hundred \
             of them.",
    ),
    (
        Code::NoDescription,
        "The operation has neither `summary` nor `description`. Nothing is lost, but a model \
             decides by these texts; it now sees only the method and the path.",
    ),
    (
        Code::NoServer,
        "The description names no server, or a relative one, and it was not read from an address. Its tools are declared \
             all the same; their calls are refused before anything is sent. Name the server with `--server URL` or \
             `server:`.",
    ),
    (
        Code::NotADescription,
        "The text is readable, but it is no OpenAPI description: that is an object with the \
             member `openapi`.",
    ),
    (
        Code::OptionalPathParameter,
        "A path parameter lacks `required: true`. A path has no place for nothing, so it is \
             required all the same. Nothing is lost.",
    ),
    (
        Code::OverlayConflict,
        "An action of an overlay cannot be applied: its value is of another kind than the node it \
             changes, such as a text for an object, its target mixes kinds, or its copy selects no \
             single node. A description that is corrected by half may offer what was meant to be taken \
             away, so none of it is offered.",
    ),
    (
        Code::OverlayInvalid,
        "A document does not have the form of an OpenAPI Overlay 1.0 or 1.1: `overlay`, `info` with \
             `title` and `version`, and at least one action, each with a `target`. The description is \
             not offered without its corrections.",
    ),
    (
        Code::OverlayNoMatch,
        "The target of an action selects no node of the description, so the action changes nothing. \
             That is legal, but often the description has changed since the overlay was written.",
    ),
    (
        Code::OverlayPath,
        "The `target` or `copy` of an action is no JSONPath expression (RFC 9535), or costs more than \
             any expression should. A name with a `-` belongs in quotes, `$.info['x-name']`; without \
             them it is read as it was meant.",
    ),
    (
        Code::OverlayTooLarge,
        "The actions of the overlays add more values, or deeper ones, than a description may have. \
             Select fewer nodes, or add less.",
    ),
    (
        Code::PartHeader,
        "A part of a multipart body has a header whose value nobody can know: no argument stands \
             for it, and its schema has no `default`, `const` or single `enum`. It is not sent.",
    ),
    (
        Code::PathFragment,
        "The key of a path item ends in a fragment, such as `/files/{id}#update`, to tell several operations on one path apart. No request carries a fragment: the operation is sent to the path before it, and nothing is lost. Its name keeps the fragment.",
    ),
    (
        Code::PathQuery,
        "The key of a path item has variables in its query, such as `/weather?at={place}`. A template has none there \
             (OpenAPI 3.0.3 §4.7.8): each such value is offered as a query parameter of its name.",
    ),
    (
        Code::ProviderLimit,
        "A provider of models is known to refuse a request with such declarations, or to lose a part \
             of them. Other providers take them as they are; values are checked against the whole \
             schema in any case.",
    ),
    (
        Code::RepairedKeyword,
        "A keyword of a schema is written in a way that is not legal but can mean only one \
             thing, such as `maxLength: 10.0`, `enum: null` or a member of `enum` of another type than the declared one. It is read as it was meant; \
             nothing is lost.",
    ),
    (
        Code::ReservedHeader,
        "A header parameter is named `Accept`, `Authorization` or `Content-Type`. The \
             specification says that such a parameter is ignored: these headers follow from media \
             types and security schemes.",
    ),
    (
        Code::SchemaDialect,
        "`jsonSchemaDialect` names another dialect than those of OpenAPI 3.1 and JSON Schema 2020-12. The schemas are read as 2020-12; keywords that only the dialect has are left out.",
    ),
    (
        Code::SchemaTooLarge,
        "The schemas of the operation have more parts than any declaration may have. Of the arguments, what is \
             beyond the limit allows everything; a tool whose declaration is larger is refused. Split the operation, or raise \
             `limits: declaration_effort`.",
    ),
    (
        Code::ServerVariable,
        "A variable in the server's URL has no value: the description gives no default and \
             the configuration no value, or the configured value is not among the legal ones. Set \
             it in `server_variables`, or name a server.",
    ),
    (
        Code::SessionInputLost,
        "A session input stands where nothing can be filled in: below `not`, `contains` or `propertyNames`, or \
             behind more schemas than are looked through. Values of the context must never be the model's, so their \
             operation is refused; so are all others with `session_inputs: strict`. Otherwise the model is asked for the \
             value. Session inputs in compositions, conditions, items, maps and circles are filled in.",
    ),
    (
        Code::TooComplex,
        "Operations may share their parts, so a small description can ask for billions of steps: each of \
             ten thousand operations has the same thousand parameters. The steps are counted, and bounded \
             by `limits: description_effort`, or `effort_per_byte` of a large description. An operation that takes a tenth \
             of what is left is given up alone, so that those after it are read. Declarations are bounded \
             in the same way, each (`declaration_effort`) and all together (`all_declarations_effort`). Definitions that \
             they share are built and counted once, apart from them (`shared_definitions_effort`): one that takes too \
             much refuses the operations that need it. Offer fewer operations with `tools:`, split the description, or \
             raise the limit that is named.",
    ),
    (
        Code::TooManyOperations,
        "The description has more operations than the limit. Those beyond it are refused. \
             Split the description or raise the limit.",
    ),
    (
        Code::UndeclaredPathParameter,
        "A variable of the path template has no path parameter of that name. It is offered as \
             a required text, which may be less than the service expects.",
    ),
    (
        Code::UnknownKeyword,
        "A keyword of a schema is misspelt (`maxlength`), or of a draft of JSON Schema that is not read (`dependencies`). \
             Values are not checked against it before they are sent, and a model does not see it. Write the keyword that is meant.",
    ),
    (
        Code::UnknownSecurityScheme,
        "An operation asks for a security scheme that the description does not declare, or that is declared in a way that cannot be read. No credential can meet it, unless the configuration names one for the whole description.",
    ),
    (
        Code::UnsatisfiableSchema,
        "No value meets the schema: its bounds exclude each other, such as `minLength: 5` beside `maxLength: 3`, or it \
             requires a property that may not exist. What needs such a value cannot be called.",
    ),
    (
        Code::UnsupportedPattern,
        "A pattern uses look-around, a back reference, a class that no engine knows or so many repetitions that an engine \
             with bounded time and memory cannot run it. Other patterns are checked. It stays in the declaration for the model to see; values are not checked \
             against it before they are sent.",
    ),
    (
        Code::UnsupportedVersion,
        "The description is written in a version of OpenAPI that this build does not read. \
             Convert it to OpenAPI 3.0 or 3.1.",
    ),
    (
        Code::UnusedPathParameter,
        "A path parameter is declared that the path template has no place for. It is ignored. \
             Often the two names differ by a slip, and then the template's variable is reported \
             too.",
    ),
    (
        Code::VagueName,
        "The `operationId` consists of general words and numbers only, such as `get` or \
             `operation1`. A model chooses tools by their names and descriptions. Give the operation a \
             name that says what it does and to what, with an overlay if need be.",
    ),
    (
        Code::XmlRootName,
        "The request body is XML, and the description does not name its root element. It is named after the only \
             property of the body, the `title` of the schema or the operation. Name it by `xml: {name: …}` if the service \
             expects another.",
    ),
];
