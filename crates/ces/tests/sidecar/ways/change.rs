//! Changes between a request and its call: the credential of the caller, or the configuration.

values! {
    /// A change.
    Change {
        /// The tools are taken from the agent.
        Agent,
        /// The principal may take no more turns with the agent.
        AgentOfPrincipal,
        /// The agent is gone.
        AgentRemoval,
        /// The caller shows a certificate of another principal instead of a token; that one may not use the toolset.
        Certificate,
        Nothing,
        /// The issuer of the tokens is gone.
        Principal,
        /// The principal is identified by a certificate instead of the token that the caller shows.
        Rekeyed,
        /// The configuration is loaded again, with another toolset besides.
        Reload,
        /// The toolset is gone.
        Removal,
        /// The caller shows a token of the principal whose certificate it was.
        SamePrincipal,
        /// The token that comes then lacks the scope.
        Scope,
        /// The configuration wants another scope.
        ScopeOfToolset,
        /// The caller shows a token without the scope instead of a certificate.
        Token,
        /// The tools are excluded from their toolset.
        Tool,
        /// The principal may use another toolset alone.
        Toolset,
    }
}

/// The credential that a caller shows.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Credential {
    /// A token of the issuer, with the scope.
    Jwt,
    /// A token of the issuer for the same subject, without the scope.
    JwtWithoutScope,
    /// The certificate of the principal `full`.
    Certificate,
    /// The certificate of a principal that may use another toolset alone.
    OthersCertificate,
    /// The token of the principal `full`.
    Token,
}

impl Change {
    /// True if the next request differs, and not the configuration.
    pub(super) fn is_of_a_request(self) -> bool {
        matches!(self, Self::Certificate | Self::SamePrincipal | Self::Scope | Self::Token)
    }

    /// What the caller shows before the change, and after it.
    pub(super) fn credentials(self) -> (Credential, Credential) {
        match self {
            Self::Certificate => (Credential::Jwt, Credential::OthersCertificate),
            Self::Rekeyed => (Credential::Token, Credential::Token),
            Self::SamePrincipal => (Credential::Certificate, Credential::Token),
            Self::Scope => (Credential::Jwt, Credential::JwtWithoutScope),
            Self::Token => (Credential::Certificate, Credential::JwtWithoutScope),
            _ => (Credential::Jwt, Credential::Jwt),
        }
    }

    /// The configuration after the change.
    pub(super) fn configuration(self, [issuer, pets, model]: [&str; 3]) -> String {
        let more =
            if self == Self::Tool { ", tools: {exclude: [add, ask, list, load]}" } else { "" };
        let toolset = |server: &str, confirm: &str, more: &str| {
            format!(
                "{{openapi: pets.yaml, server: '{pets}{server}', confirm: {confirm}, execution: {{tools: {{ask: client}}}}{more}}}"
            )
        };
        let of_pets = match self {
            Self::Removal => String::new(),
            _ => format!("pets: {}, ", toolset("", "writes", more)),
        };
        let besides = match self {
            Self::Reload => format!(", besides: {}", toolset("/free", "never", "")),
            _ => String::new(),
        };
        let free = toolset("/free", "never", "");
        let (access, agents) = (self.access(issuer), self.agents());
        format!(
            "{LISTEN}\nmcp: {{mode: search}}\nmodels: {{main: {{dialect: openai, url: '{model}/v1', model: m-1, auth: none}}}}\n\
             {agents}\ntoolsets: {{{of_pets}free: {free}{besides}}}\n{access}\n"
        )
    }

    fn agents(self) -> &'static str {
        match self {
            Self::Agent => "agents: {keeper: {model: main, tools: {include: [free-*]}}}",
            Self::AgentRemoval => "agents: {another: {model: main}}",
            _ => "agents: {keeper: {model: main}}",
        }
    }

    fn access(self, issuer: &str) -> String {
        let scopes = match self {
            Self::Removal => "",
            Self::ScopeOfToolset => ", scopes: {pets: another}",
            _ => ", scopes: {pets: s}",
        };
        let rights = match self {
            Self::AgentOfPrincipal => ", agents: []",
            Self::Toolset => ", toolsets: [free]",
            _ => "",
        };
        let jwt = match self {
            Self::Principal => String::new(),
            _ => format!("jwt: [{{issuer: '{issuer}', audience: callgate{scopes}{rights}}}], "),
        };
        let bearer = if self == Self::Rekeyed {
            ""
        } else {
            "bearer: 'literal:a-token-of-full-0123456789', "
        };
        format!(
            "access: {{{jwt}principals: {{\
             full: {{{bearer}client_certificate: {{san: 'spiffe://a/full'}}}}, \
             half: {{client_certificate: {{san: 'spiffe://a/half'}}, toolsets: [free]}}, \
             lee: {{bearer: 'literal:a-token-of-lee-0123456789', approves: [write], toolsets: []}}, \
             root: {{bearer: 'literal:a-token-of-root-0123456789', admin: true, toolsets: []}}}}}}"
        )
    }
}

const LISTEN: &str = "listen: {address: '127.0.0.1:0', tls: {certificate: server.pem, key: 'file:server.key', client_ca: [callers.pem]}}";
