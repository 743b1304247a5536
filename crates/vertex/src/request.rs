//! The requests of a call: the bodies of `search` and `answer` for one target, with the filter of the operator, the session and the
//! model.

use callgate_call::wording::vertex as wording;
use callgate_tool::{Arguments, Fault, Object, Session, Value, json};

use crate::{
    conditions,
    declaration::USUAL_SNIPPETS,
    filter::{Expression, Filter, expression_text},
    settings::{
        Action, Boost, BoostControl, ControlKind, Form, ResultMode, StoreSettings, Target,
        VertexSettings,
    },
};

/// The wishes of one call.
#[derive(Debug)]
pub(crate) struct Question<'a> {
    settings: &'a VertexSettings,
    session: &'a Session,
    query: &'a str,
    /// The conditions of the model.
    conditions: Vec<Expression>,
    /// The most snippets.
    pub(crate) limit: usize,
}

impl<'a> Question<'a> {
    /// Reads the arguments of a call.
    ///
    /// # Errors
    /// A fault about conditions that no filter can have.
    pub(crate) fn from_arguments(
        settings: &'a VertexSettings,
        arguments: &'a Arguments,
        session: &'a Session,
    ) -> Result<Self, Box<Fault>> {
        let conditions = match (settings.form, arguments.get("filter"), arguments.get("where")) {
            (Form::Google { has_filter: true }, Some(filter), _) => {
                vec![parse_model_filter(filter)?]
            }
            (Form::Own, _, Some(Value::Object(conditions))) => {
                conditions::read_conditions(conditions, &settings.fields)
                    .map_err(|(at, expected)| wording::wrong_condition(&at, expected))?
            }
            _ => Vec::new(),
        };
        // Refused here, at the arguments, and not where all conditions are written.
        for condition in &conditions {
            expression_text(condition).map_err(|_| wording::unwritable("where"))?;
        }
        let most = u64::from(settings.limit.max(1));
        let limit = match settings.form {
            Form::Google { .. } => most,
            Form::Own => whole_number(arguments.get("limit"))
                .unwrap_or_else(|| u64::from(USUAL_SNIPPETS))
                .clamp(1, most),
        };
        Ok(Self {
            settings,
            session,
            query: arguments.get("query").and_then(Value::as_str).unwrap_or_default(),
            conditions,
            limit: usize::try_from(limit).unwrap_or(usize::MAX),
        })
    }

    /// The body of the request to a target.
    ///
    /// # Errors
    /// A fault if the session lacks a value of the operator's filter.
    pub(crate) fn request_body(
        &self,
        target: &Target,
        action: Action,
    ) -> Result<Value, Box<Fault>> {
        match action {
            Action::Answer => self.answer_body(target),
            Action::Search => self.search_body(target),
        }
    }

    fn search_body(&self, target: &Target) -> Result<Value, Box<Fault>> {
        let mut body =
            Object::from([("query", self.query.into()), ("pageSize", self.limit.into())]);
        body.extend(self.shared_parameters(target)?);
        let mut content = Object::new();
        let VertexSettings { snippets, extractive_answers, extractive_segments, .. } =
            self.settings;
        match target.mode {
            ResultMode::Chunks => drop(content.insert("searchResultMode", "CHUNKS".into())),
            ResultMode::Documents => {
                if *snippets {
                    content.insert("snippetSpec", json!({"returnSnippet": true}));
                }
                let extracts = [
                    ("maxExtractiveAnswerCount", extractive_answers),
                    ("maxExtractiveSegmentCount", extractive_segments),
                ];
                let extracts = extracts.into_iter().filter(|(_, count)| **count > 0);
                let extracts: Object =
                    extracts.map(|(name, count)| (name, Value::from(*count))).collect();
                content.insert_unless_empty("extractiveContentSpec", extracts);
            }
        }
        body.insert_unless_empty("contentSearchSpec", content);
        Ok(Value::Object(body))
    }

    fn answer_body(&self, target: &Target) -> Result<Value, Box<Fault>> {
        let mut parameters = self.shared_parameters(target)?;
        parameters.insert("maxReturnResults", self.limit.into());
        if target.mode == ResultMode::Chunks {
            parameters.insert("searchResultMode", "CHUNKS".into());
        }
        Ok(json!({
            "query": {"text": self.query},
            "searchSpec": {"searchParams": Value::Object(parameters)},
            "answerGenerationSpec": {"includeCitations": true},
            // Without it there is no score.
            "groundingSpec": {"includeGroundingSupports": true},
        }))
    }

    /// The members that a search and an answer share: filter, boosts, data stores of an engine.
    fn shared_parameters(&self, target: &Target) -> Result<Object, Box<Fault>> {
        let mut parameters = Object::new();
        // With one data store, the service may regard the request's own filter alone.
        let only = match &*target.stores {
            [only] => only.filter.as_ref(),
            _ => None,
        };
        let own = [self.settings.filter.as_ref(), target.filter.as_ref(), only];
        parameters.insert_if_some("filter", self.filter_text(&own)?);
        let only = match &*target.stores {
            [only] => &*only.boosts,
            _ => &[],
        };
        let boosts = [&*self.settings.boosts, &target.boosts, only].concat();
        parameters.insert_if_some("boostSpec", self.boosts_spec(&boosts)?);
        if !target.stores.is_empty() {
            let stores = target.stores.iter().map(|store| self.data_store_spec(store));
            let stores = stores.collect::<Result<Vec<_>, _>>()?;
            parameters.insert("dataStoreSpecs", Value::Array(stores));
        }
        Ok(parameters)
    }

    fn data_store_spec(&self, store: &StoreSettings) -> Result<Value, Box<Fault>> {
        let mut spec = Object::from([("dataStore", store.name.as_str().into())]);
        let own = [self.settings.filter.as_ref(), store.filter.as_ref()];
        spec.insert_if_some("filter", self.filter_text(&own)?);
        spec.insert_if_some("boostSpec", self.boosts_spec(&store.boosts)?);
        Ok(Value::Object(spec))
    }

    /// The text of the operator's conditions and the model's; `None` if there is none.
    fn filter_text(&self, own: &[Option<&Filter>]) -> Result<Option<String>, Box<Fault>> {
        let own = own.iter().flatten().map(|filter| filter.with_session_values(self.session));
        let mut parts = own.collect::<Result<Vec<_>, _>>()?;
        parts.extend(self.conditions.iter().cloned());
        let written = Expression::conjunction(parts).map(|all| expression_text(&all)).transpose();
        written.map_err(|_| wording::unwritable("filter"))
    }

    fn boosts_spec(&self, boosts: &[Boost]) -> Result<Option<Value>, Box<Fault>> {
        if boosts.is_empty() {
            return Ok(None);
        }
        let specs =
            boosts.iter().map(|boost| self.boost_spec(boost)).collect::<Result<Vec<_>, _>>()?;
        Ok(Some(json!({"conditionBoostSpecs": (Value::Array(specs))})))
    }

    fn boost_spec(&self, boost: &Boost) -> Result<Value, Box<Fault>> {
        let mut spec = Object::new();
        if let Some(condition) = &boost.condition {
            let condition = expression_text(&condition.with_session_values(self.session)?);
            let condition = condition.map_err(|_| wording::unwritable("boosts"))?;
            spec.insert("condition", condition.into());
        }
        match &boost.control {
            Some(control) => drop(spec.insert("boostControlSpec", boost_control_spec(control))),
            None => drop(spec.insert("boost", boost.boost.into())),
        }
        Ok(Value::Object(spec))
    }
}

fn boost_control_spec(control: &BoostControl) -> Value {
    let kind = match control.kind {
        ControlKind::Freshness => "FRESHNESS",
        ControlKind::Number => "NUMERICAL",
    };
    let points = control
        .points
        .iter()
        .map(|(value, boost)| json!({"attributeValue": (value.as_str()), "boostAmount": (*boost)}));
    json!({
        "fieldName": (control.field.as_str()), "attributeType": kind, "interpolationType": "LINEAR",
        "controlPoints": (Value::Array(points.collect())),
    })
}

/// The filter that a model wrote: it reads no values of the session.
fn parse_model_filter(filter: &Value) -> Result<Expression, Box<Fault>> {
    let read = filter.as_str().unwrap_or_default().parse::<Filter>();
    let filter = read.map_err(|error| wording::wrong_filter(&error.to_string()))?;
    if filter.sources().next().is_some() {
        return Err(wording::wrong_filter("expected literals, got a value of the session"));
    }
    Ok(filter.0)
}

fn whole_number(value: Option<&Value>) -> Option<u64> {
    let value = value?;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "it is in the range"
    )]
    let of_float = |number: f64| (0.0..1e15).contains(&number).then_some(number as u64);
    value.as_u64().or_else(|| of_float(value.as_f64()?))
}
