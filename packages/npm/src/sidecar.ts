// A sidecar of one's own: a process that listens on a private socket, and ends with the program that started it, however that ends.
import { spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { commandPath } from "./command.js";
import { StartFailed } from "./errors.js";

// The shell ends the sidecar when its standard input is closed, also where the program was killed. It lets go of the log, so
// that the log ends with the sidecar.
const WATCH = '"$@" & exec 2>&-; read -r _; kill $! 2>/dev/null; wait $!';
const START_MS = 120_000;
const LOG_LINES = 50;

export class Sidecar {
  private constructor(
    readonly address: string,
    private readonly folder: string,
    private readonly child: ChildProcess,
  ) {}

  static async start(config: string | undefined, command: string | undefined): Promise<Sidecar> {
    const folder = mkdtempSync(join(tmpdir(), "callgate-"));
    const address = `unix:${folder}/calls.sock`;
    const words = [command ?? commandPath(), "serve", ...(config === undefined ? [] : [config]), "--listen", address];
    const child = spawn("/bin/sh", ["-c", WATCH, "callgate", ...words], { stdio: ["pipe", "ignore", "pipe"], detached: true });
    const sidecar = new Sidecar(address, folder, child);
    const why = await beginning(child);
    if (why !== undefined) {
      await sidecar.end();
      throw new StartFailed(`callgate did not begin to serve: ${why}`);
    }
    // A program that has nothing else to do ends, and the sidecar with it.
    child.unref();
    for (const stream of [child.stdin, child.stderr]) (stream as Socket | null)?.unref();
    return sidecar;
  }

  /** Ends the process; its running calls may end first. */
  async end(): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null && this.child.pid !== undefined) {
      this.child.ref();
      const ended = new Promise((resolve) => this.child.once("exit", resolve));
      this.child.stdin?.end();
      await ended;
    }
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Why the process does not serve; nothing once it does. Its log is read until its end. */
function beginning(child: ChildProcess): Promise<string | undefined> {
  return new Promise((resolve) => {
    const log: string[] = [];
    const timer = setTimeout(() => resolve(`nothing listens after ${START_MS / 1000} s`), START_MS);
    const settle = (why: string | undefined) => {
      clearTimeout(timer);
      resolve(why);
    };
    child.once("error", (error) => settle(error.message));
    createInterface({ input: child.stderr! })
      .on("line", (line) => {
        log.push(line);
        if (log.length > LOG_LINES) log.shift();
        if (line.includes("listening on")) settle(undefined);
      })
      .on("close", () => settle(log.join("\n") || "it said nothing"));
  });
}
