// Connections to a sidecar: an address and a pool. A request goes again only if that changes nothing more, and an error says
// whether it may have been carried out.
import http from "node:http";
import https from "node:https";
import { ConnectionFailed, Problem } from "./errors.js";
import { parse } from "./json.js";

export interface Operation {
  method: "DELETE" | "GET" | "POST" | "PUT";
  path: string;
  body?: string | Uint8Array;
  headers?: Record<string, string>;
  /** True if nothing more changes when it arrives twice. */
  mayRepeat: boolean;
  signal?: AbortSignal | undefined;
}

const MOST_CONNECTIONS = 100;

export class Pool {
  private readonly send: typeof http.request;
  private readonly options: http.RequestOptions;
  private readonly prefix: string;

  constructor(
    private readonly address: string,
    private readonly headers: Record<string, string>,
    private readonly timeout: number,
    tls: https.AgentOptions,
  ) {
    const reuse = { keepAlive: true, maxSockets: MOST_CONNECTIONS };
    if (address.startsWith("unix:")) {
      this.send = http.request;
      this.options = { socketPath: address.slice("unix:".length).replace(/^\/\//, ""), host: "localhost", agent: new http.Agent(reuse) };
      this.prefix = "";
      return;
    }
    const url = new URL(address);
    if (!["http:", "https:"].includes(url.protocol) || url.search || url.hash || url.username)
      throw new TypeError(`expected \`unix:PATH\`, or an http or https address without a query, got: ${address}`);
    const isSecure = url.protocol === "https:";
    this.send = isSecure ? https.request : http.request;
    const agent = isSecure ? new https.Agent({ ...reuse, ...tls }) : new http.Agent(reuse);
    this.options = { hostname: url.hostname.replace(/^\[|\]$/g, ""), agent, ...(url.port && { port: url.port }) };
    this.prefix = url.pathname.replace(/\/$/, "");
  }

  /** The body of the answer. */
  async run(operation: Operation): Promise<Buffer> {
    let answer;
    try {
      answer = await this.attempt(operation);
    } catch (error) {
      const isLost = error instanceof ConnectionFailed && error.reached === "maybe" && !(error.cause instanceof Timeout);
      if (!isLost || !operation.mayRepeat) throw error;
      // The first may have been carried out, whatever the second ends as.
      answer = await this.attempt(operation).catch((again: unknown) => {
        throw again instanceof ConnectionFailed ? error : again;
      });
    }
    const { status, body } = answer;
    if (status >= 200 && status < 300) return body;
    throw new Problem(status, problem(body));
  }

  private attempt(operation: Operation): Promise<{ status: number; body: Buffer }> {
    return new Promise((resolve, reject) => {
      let isConnected = false;
      const body = operation.body === undefined ? undefined : Buffer.from(operation.body as string);
      const fail = (error: Error) => {
        if (operation.signal?.aborted) return reject(operation.signal.reason);
        const happened = isConnected ? "did not answer" : "is not reached";
        reject(new ConnectionFailed(`${this.address} ${happened}: ${error.message}`, isConnected ? "maybe" : "no", { cause: error }));
      };
      if (operation.signal?.aborted) return reject(operation.signal.reason);
      const request = this.send({
        ...this.options,
        method: operation.method,
        path: this.prefix + operation.path,
        headers: { ...this.headers, ...operation.headers, ...(body && { "Content-Length": body.length }) },
        ...(operation.signal && { signal: operation.signal }),
      });
      request.on("socket", (socket) => {
        if (socket.connecting) socket.once("connect", () => (isConnected = true));
        else isConnected = true;
      });
      request.setTimeout(this.timeout, () => request.destroy(new Timeout(`nothing came for ${this.timeout / 1000} s`)));
      request.on("error", fail);
      request.on("response", (response) => {
        const parts: Buffer[] = [];
        response.on("data", (part: Buffer) => parts.push(part));
        response.on("error", fail);
        response.on("end", () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(parts) }));
      });
      request.end(body);
    });
  }

  close(): void {
    (this.options.agent as http.Agent).destroy();
  }
}

class Timeout extends Error {}

function problem(body: Buffer): object {
  try {
    return parse(body.toString()) ?? {};
  } catch {
    return {};
  }
}
