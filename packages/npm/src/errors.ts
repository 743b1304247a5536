// What a client throws. A call that ends badly is no exception: its result has an `error`.

/** Anything that this package throws. */
export class CallgateError extends Error {
  override name = "CallgateError";
}

/** The command of this package could not be started, or ended before it served calls. */
export class StartFailed extends CallgateError {
  override name = "StartFailed";
}

/** The sidecar did not answer. `reached` says whether the request may have been carried out. */
export class ConnectionFailed extends CallgateError {
  override name = "ConnectionFailed";
  readonly reached: "maybe" | "no";

  constructor(message: string, reached: "maybe" | "no", options?: ErrorOptions) {
    super(`${message}; ${reached === "no" ? "no call was made" : "its calls may have been made"}`, options);
    this.reached = reached;
  }
}

/** The sidecar refused a request as a whole (RFC 9457). `kind` is the end of its type, such as `malformed-body`. */
export class Problem extends CallgateError {
  override name = "Problem";
  readonly status: number;
  readonly kind: string;
  readonly detail: string;

  constructor(status: number, problem: { type?: string; title?: string; detail?: string }) {
    super(`${problem.title ?? status}: ${problem.detail ?? "no reason was given"}`);
    this.status = status;
    this.kind = problem.type?.split(":").at(-1) ?? "";
    this.detail = problem.detail ?? "";
  }
}
