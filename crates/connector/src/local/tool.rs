//! One tool of a connection that runs as a tool of a database: its arguments and its result in the names that the connection's
//! agents know.

use std::sync::Arc;

use async_trait::async_trait;
use callgate_call::{ArgumentCheck, wording::connector as wording};
use callgate_executor::{Backend, Call, Review};
use callgate_kind::{ArgumentForm, Operation};
use callgate_secret::Secret;
use callgate_tool::{
    Arguments, Content, Fault, FingerprintHasher, Journal, Number, Object, Outcome, Preview,
    Problem, Session, Tool, Value,
};

use super::{EntityArguments, conditions, fields};
use crate::{
    declaration::{ENTITY_ID, FILTER_CLAUSE, LIMIT, PAGE, SET, SORT, WHERE},
    field::Field,
    filter::clause,
};

/// One tool of a connection that runs as a tool of a database.
#[derive(Debug)]
pub(super) struct TranslatedTool {
    pub(super) tool: Tool,
    pub(super) toolset: String,
    pub(super) form: ArgumentForm,
    pub(super) operation: Operation,
    /// The columns of results; `None` for those of the database's tool.
    pub(super) outputs: Option<Vec<String>>,
    pub(super) entity_arguments: EntityArguments,
    /// The check against the declaration of the database's tool.
    pub(super) check: ArgumentCheck,
    pub(super) inner: Arc<dyn Backend>,
}

impl TranslatedTool {
    fn translated_arguments(&self, given: &Arguments) -> Result<Arguments, Box<Fault>> {
        if self.form == ArgumentForm::Own || self.operation == Operation::Create {
            return Ok(given.clone());
        }
        let mut made = Arguments::new();
        if let (Some((name, schema)), Some(id)) = (&self.entity_arguments.key, given.get(ENTITY_ID))
        {
            made.insert(name.as_str(), typed_key(schema, id));
        }
        if let Some(text) = given.get(FILTER_CLAUSE).and_then(Value::as_str) {
            made.insert(WHERE, self.translated_conditions(text)?);
        }
        match self.operation {
            Operation::List => {
                for (google, own) in
                    [("pageSize", LIMIT), ("pageToken", PAGE), ("sortByColumns", SORT)]
                {
                    made.extend(given.get(google).map(|value| (own, value.clone())));
                }
            }
            Operation::Update => {
                let inputs = self.entity_arguments.inputs.keys();
                let set = inputs.filter_map(|name| Some((name.clone(), given.get(name)?.clone())));
                made.insert(SET, Value::Object(set.collect()));
            }
            Operation::Create | Operation::Delete | Operation::Get => {}
        }
        self.check.check(&made)?;
        Ok(made)
    }

    fn translated_conditions(&self, text: &str) -> Result<Value, Box<Fault>> {
        let fields: Vec<&Field> = self.entity_arguments.filtered.iter().collect();
        let wrong = |problem: Problem| {
            wording::wrong_conditions(vec![Problem { at: FILTER_CLAUSE.to_owned(), ..problem }])
        };
        let filter = clause::parse_clause(text, &fields).map_err(wrong)?;
        conditions::conditions_from_filter(&filter).map_err(|expected| {
            wrong(Problem {
                at: String::new(),
                expected: expected.to_owned(),
                got: "others".to_owned(),
                suggestion: None,
            })
        })
    }

    /// The result with the chosen fields, in Google's names.
    fn translated_outcome(&self, outcome: Outcome) -> Outcome {
        let Outcome::Answered(mut answer) = outcome else { return outcome };
        if let Content::Json(json) = &answer.content
            && let Some(result) = json.value().as_object()
        {
            let mut result = result.clone();
            if let Some(fields) = &self.outputs {
                fields::narrow_rows_to_fields(&mut result, fields);
            }
            let result =
                if self.form == ArgumentForm::Google { google_result(&result) } else { result };
            answer.content = Content::Json(Value::Object(result).into());
        }
        Outcome::Answered(answer)
    }
}

/// `rows` or `row` as `connectorOutputPayload`, and `next` as `nextPageToken`; the rest as it is.
fn google_result(result: &Object) -> Object {
    let names = [("rows", PAYLOAD), ("row", PAYLOAD), ("next", "nextPageToken")];
    // A page that has no token for the next one still says that there is more.
    let is_cut = result.get("more") == Some(&Value::Bool(true)) && result.get("next").is_none();
    let is_kept = |name: &str| name != "more" || is_cut;
    let members = result.iter().filter(|(name, _)| is_kept(name)).map(|(name, value)| {
        let name_pair = names.iter().find(|(own, _)| own == name);
        (name_pair.map_or(name.as_str(), |(_, google)| google).to_owned(), value.clone())
    });
    members.collect()
}

/// The id as the key's own type.
fn typed_key(schema: &Value, id: &Value) -> Value {
    let is_number =
        matches!(schema.get("type").and_then(Value::as_str), Some("integer" | "number"));
    let number = id.as_str().filter(|_| is_number).and_then(Number::from_digits);
    number.map_or_else(|| id.clone(), Value::Number)
}

#[async_trait]
impl Backend for TranslatedTool {
    callgate_executor::of_tool!(tool, toolset);

    fn target(&self) -> Option<String> {
        self.inner.target()
    }

    fn secrets(&self, session: &Session) -> Vec<Secret> {
        self.inner.secrets(session)
    }

    fn hash_session(&self, session: &Session, hasher: &mut FingerprintHasher) {
        self.inner.hash_session(session, hasher);
    }

    async fn preview(&self, call: &Call<'_>, journal: &mut Journal) -> Result<Preview, Box<Fault>> {
        let arguments = self.translated_arguments(call.arguments())?;
        self.inner.preview(&call.clone().with_arguments(arguments), journal).await
    }

    async fn review(&self, call: &Call<'_>, journal: &mut Journal) -> Result<Review, Box<Fault>> {
        let call = call.clone().with_arguments(self.translated_arguments(call.arguments())?);
        self.inner.review(&call, journal).await
    }

    async fn run(&self, call: &Call<'_>, journal: &mut Journal) -> Outcome {
        let arguments = match self.translated_arguments(call.arguments()) {
            Ok(arguments) => arguments,
            Err(fault) => return Outcome::Failed(fault),
        };
        let outcome = self.inner.run(&call.clone().with_arguments(arguments), journal).await;
        self.translated_outcome(outcome)
    }
}

const PAYLOAD: &str = "connectorOutputPayload";
