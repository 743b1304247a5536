// Calls the tools of a callgate sidecar: exact requests to services that OpenAPI describes, with credentials that no model sees.
export { Client, type CallOptions, type ClientOptions } from "./client.js";
export { commandPath } from "./command.js";
export { CallgateError, ConnectionFailed, Problem, StartFailed } from "./errors.js";
export type { Approval, Call, Fault, Pending, Result, Session, Tool, ToolDetails } from "./results.js";
