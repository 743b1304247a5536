//! Agents of a configuration, ready to take turns.

use std::sync::Arc;

use callgate_config::{AgentConfig, Built, BuiltAgent, BuiltModel};

use crate::{
    agent::{Agent, AgentSettings},
    choice::Choice,
    error::{self, Error},
    model::{Model, ModelSettings},
};

impl Agent {
    /// An agent of a configuration, by its name.
    ///
    /// ```no_run
    /// use callgate_agent::Agent;
    ///
    /// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
    /// let config = callgate_config::Config::from_file("callgate.yaml")?;
    /// let built = config.build(&callgate_config::Environment::new(), None).await?;
    /// let agent = Agent::from_configuration(&built, "pizza")?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::UnknownAgent`](crate::ErrorKind::UnknownAgent), and those of [`Model::new`].
    pub fn from_configuration(built: &Built, name: &str) -> Result<Self, Error> {
        let named = built.agents.iter().find(|agent| agent.name == name);
        let agent = named.ok_or_else(|| {
            let agent_names: Vec<_> =
                built.agents.iter().map(|agent| format!("`{}`", agent.name)).collect();
            let agent_names = match &*agent_names {
                [] => "which has none".to_owned(),
                agent_names => format!("one of {}", agent_names.join(", ")),
            };
            error::unknown_agent(name, &agent_names)
        })?;
        let model = model_from_configuration(&agent.model)?;
        let agent = Self::new(built.executor.clone(), model, agent_settings(agent));
        Ok(match built.audit() {
            Some(audit) => agent.with_audit(Arc::clone(audit), name),
            None => agent,
        })
    }
}

/// Makes the series of metrics of all models before their first request. Existing series stay.
#[doc(hidden)]
pub fn describe_model_metrics(built: &Built) {
    built
        .agents
        .iter()
        .filter_map(|agent| model_from_configuration(&agent.model).ok())
        .for_each(|model| model.describe_metric_series());
}

pub(crate) fn model_from_configuration(built: &BuiltModel) -> Result<Model, Error> {
    let config = &built.config;
    let mut settings = ModelSettings::new(config.dialect, config.url.as_str(), &*config.model);
    settings.settings = config.settings.clone();
    settings.stream = config.stream;
    settings.limits.timeout = config.timeout.unwrap_or(settings.limits.timeout);
    Model::new(settings, Arc::clone(&built.transport), Arc::clone(&built.authenticator))
}

fn agent_settings(agent: &BuiltAgent) -> AgentSettings {
    let AgentConfig { budget, calls, choice, confirm, limits, parallel, tools, .. } = &agent.config;
    AgentSettings {
        instructions: agent.instructions.clone(),
        include: tools.include.clone(),
        exclude: tools.exclude.clone(),
        search: tools.search,
        choice: match &**choice {
            "auto" => Choice::Auto,
            "none" => Choice::None,
            "required" => Choice::Required,
            tool => Choice::Tool(tool.to_owned()),
        },
        calls: *calls,
        parallel: *parallel,
        limits: *limits,
        budget: *budget,
        confirm: *confirm,
    }
}
