// What a call ended as, and the values that a program sends with it.

/** Values that the program knows and the model must not choose. */
export interface Session {
  id?: string;
  parameters?: Record<string, unknown>;
  payload?: Record<string, unknown>;
  context?: Record<string, unknown>;
  credentials?: Record<string, string>;
}

/** One call. `id` comes back in its result; `idempotencyKey` makes it once however often it is sent. */
export interface Call {
  id?: string;
  tool: string;
  args?: Record<string, unknown>;
  /** Seconds. */
  timeout?: number;
  idempotencyKey?: string;
}

/** Why a call failed. `reached` says whether the service got it, `next` what to do. */
export interface Fault {
  code: string;
  message: string;
  reached: "maybe" | "no" | "yes";
  next: "ask_user" | "correct_arguments" | "give_up" | "try_later";
  retryAfter?: number;
  body?: unknown;
}

/** A call that waits: for the `approval` of a person, or for the `client`, which runs the tool with `request` as arguments. */
export interface Pending {
  kind: "approval" | "client";
  id: string;
  request: unknown;
  expires?: string;
}

/** The end of a call: `response`, `error` or `pending`; of a dry run the `request` that would be sent. */
export interface Result {
  id: string;
  tool: string;
  status?: number;
  response?: unknown;
  error?: Fault;
  pending?: Pending;
  request?: unknown;
  handle?: string;
  next?: Record<string, unknown>;
  truncated?: unknown;
  notes?: string[];
  defaults?: string[];
  stillSending?: boolean;
}

/** A declaration in callgate's own format. */
export interface Tool {
  name: string;
  description: string;
  inputSchema: Record<string, unknown>;
}

/** All details of a tool; `approval` is true if its calls may wait for a person. */
export interface ToolDetails extends Tool {
  toolset: string;
  approval: boolean;
  effect: "idempotent" | "read" | "write";
  [detail: string]: unknown;
}

/** A call that waits for a person, or was decided and not made yet. */
export interface Approval {
  id: string;
  tool: string;
  own: boolean;
  mayDecide: boolean;
  state: "approved" | "rejected" | "waiting";
  request?: unknown;
  text?: string;
  expires: string;
}
