//! Further routes of the sidecar: those of other products' formats, and of programs. A route gets requests whose caller is
//! identified. It completes sessions, runs calls and refuses requests as the sidecar's own routes do.

mod request;

use std::{collections::BTreeMap, fmt, sync::Arc};

use axum::{
    Router,
    extract::{FromRequest, FromRequestParts, Path, Request, State},
    response::{IntoResponse, Response},
    routing::post,
};
use callgate_tool::{Object, Value};
use futures_util::future::BoxFuture;

pub use self::request::{RouteCalls, RouteRequest};
use crate::{
    answer::JsonText,
    caller::Caller,
    gateway::Gateway,
    json_body::JsonBody,
    pages::{PageHandler, PageRequest, PageResponse},
    path_problem::{allows_verbs, method_not_allowed, unknown_path},
    problem::{Problem, ProblemKind},
};

/// Further routes of a sidecar. Each takes `POST` with a JSON body, and its response is JSON.
///
/// A route gets only requests that pass the checks of every request: its size, its time, the rights of its caller.
///
/// ```no_run
/// use callgate_config::{Config, Environment};
/// use callgate_executor::Execution;
/// use callgate_gateway::{Gateway, Problem, RouteRequest, Routes, SessionInput, router_with};
/// use callgate_tool::{Arguments, Outcome, ToolCall, Value, json};
///
/// /// Calls the tool that the path names, without arguments.
/// async fn call(request: RouteRequest, body: Value) -> Result<Value, Problem> {
///     let session = request.session(SessionInput::read(body.get("session").cloned())?).await?;
///     let call = ToolCall::new("1", request.path_parameter("tool"), Arguments::new());
///     let results = request.calls(session, Execution::Server, [call])?.run().await;
///     let is_answered = results.iter().all(|result| matches!(result.outcome, Outcome::Answered(_)));
///     Ok(json!({"isAnswered": is_answered}))
/// }
///
/// # async fn example() -> Result<(), callgate_config::Error> {
/// let routes = Routes::new().post("/v1/tools/{tool}:call", call);
/// let built = Config::from_file("callgate.yaml")?.build(&Environment::new(), None).await?;
/// let service = router_with(Gateway::new(built), routes);
/// # drop(service);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Default)]
pub struct Routes {
    entries: Vec<Route>,
    pages: Option<PageHandler>,
    pub(crate) description: Object,
}

#[derive(Clone)]
struct Route {
    /// The path without its verb.
    path: String,
    verb: Option<String>,
    handler: Handler,
}

type Handler =
    Arc<dyn Fn(RouteRequest, Value) -> BoxFuture<'static, Result<Response, Problem>> + Send + Sync>;

impl fmt::Debug for Routes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.entries.iter().map(|route| (&route.path, &route.verb))).finish()
    }
}

impl Routes {
    /// No further routes.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a route. Its path has parameters in braces; a verb after a colon may follow the last one: `/v1/carts/{id}:pay`.
    /// [`router_with`](crate::router_with) panics if a path without a verb is one of the sidecar's own, or if it is malformed.
    #[must_use]
    pub fn post<F>(
        self,
        path: &str,
        handler: impl Fn(RouteRequest, Value) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Result<Value, Problem>> + Send + 'static,
    {
        self.post_response(path, move |request, body| {
            let answered = handler(request, body);
            async move { Ok(JsonText(answered.await?.to_string()).into_response()) }
        })
    }

    /// Adds a route whose response is more than JSON.
    pub(crate) fn post_response<F>(
        mut self,
        path: &str,
        handler: impl Fn(RouteRequest, Value) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Result<Response, Problem>> + Send + 'static,
    {
        let (path, verb) = match path.rsplit_once("}:") {
            Some((path, verb)) => (format!("{path}}}"), Some(verb.to_owned())),
            None => (path.to_owned(), None),
        };
        let handler: Handler = Arc::new(move |request, body| Box::pin(handler(request, body)));
        self.entries.push(Route { path, verb, handler });
        self
    }

    /// Adds pages for a browser at `/console`. Each request comes from an identified caller, and a `POST` holds the token of a
    /// form that was served before. A page asks the sidecar's own paths, with the rights of its caller.
    #[must_use]
    pub fn pages<F>(self, handler: impl Fn(PageRequest) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = PageResponse> + Send + 'static,
    {
        let handler: PageHandler = Arc::new(move |request| Box::pin(handler(request)));
        Self { pages: Some(handler), ..self }
    }

    pub(crate) fn page_handler(&self) -> Option<PageHandler> {
        self.pages.clone()
    }

    /// Adds the routes' part of `GET /openapi.json`: the members `paths` and `schemas` of an object. Schemas of the sidecar
    /// may be referred to, and the refusals of every request with a body are added.
    #[must_use]
    pub fn with_description(mut self, description: Object) -> Self {
        self.description.extend(description);
        self
    }

    /// Adds the routes of another crate.
    ///
    /// ```
    /// # fn together(of_ces: callgate_gateway::Routes) -> callgate_gateway::Routes {
    /// callgate_gateway::Routes::new().merge_routes(of_ces)
    /// # }
    /// ```
    #[must_use]
    pub fn merge_routes(mut self, other: Self) -> Self {
        self.entries.extend(other.entries);
        self.pages = other.pages.or(self.pages);
        for (name, members) in other.description {
            match (self.description.get_mut(&name).and_then(Value::as_object_mut), members) {
                (Some(extra_members), Value::Object(members)) => extra_members.extend(members),
                (_, members) => drop(self.description.insert(name, members)),
            }
        }
        self
    }

    pub(crate) fn has_verb(&self, path: &str) -> bool {
        let mut verbs = self.entries.iter().filter_map(|route| route.verb.as_deref());
        path.rsplit_once(':').is_some_and(|(_, verb)| verbs.any(|route_verb| route_verb == verb))
    }

    /// Adds the routes to a router. Routes that differ only in their verb are one route of it.
    pub(crate) fn added_to(&self, router: Router<Gateway>) -> Router<Gateway> {
        let mut by_path = BTreeMap::<&str, Vec<Route>>::new();
        for route in &self.entries {
            by_path.entry(&route.path).or_default().push(route.clone());
        }
        by_path.into_iter().fold(router, |router, (path, routes)| {
            let routes = Arc::<[Route]>::from(routes);
            let answer =
                move |gateway, request| answer_route(Arc::clone(&routes), gateway, request);
            router.route(path, post(answer))
        })
    }
}

async fn answer_route(
    routes: Arc<[Route]>,
    State(gateway): State<Gateway>,
    request: Request,
) -> Result<Response, Problem> {
    let (mut parts, body) = request.into_parts();
    let path = Path::<Vec<(String, String)>>::from_request_parts(&mut parts, &()).await;
    let Path(mut parameters) = path.map_err(|_| {
        Problem::new(ProblemKind::MALFORMED_PATH, "expected names in percent-encoded UTF-8")
    })?;
    let last = parameters.last_mut().map(|(_, value)| value);
    let verb = last.as_ref().and_then(|last| last.rsplit_once(':')).map(|(_, verb)| verb);
    let with = |verb: Option<&str>| routes.iter().find(|route| route.verb.as_deref() == verb);
    let Some(route) = with(verb).or_else(|| with(None)) else {
        if verb.is_none() && allows_verbs(parts.uri.path()) {
            return Ok(method_not_allowed(parts.uri.path(), false));
        }
        return Err(unknown_path());
    };
    if let (Some(verb), Some(last)) = (&route.verb, last) {
        last.truncate(last.len() - verb.len() - 1);
    }
    let caller = parts.extensions.get::<Caller>().cloned().unwrap_or_default();
    let built = gateway.current_build();
    let JsonBody { headers, value, .. } =
        JsonBody::from_request(Request::from_parts(parts, body), &()).await?;
    let request = RouteRequest { gateway, built, caller, headers, parameters };
    (route.handler)(request, value).await
}
