#!/usr/bin/env node
// Runs the command of this machine's package.
import { spawn } from "node:child_process";
import { commandPath } from "../dist/command.js";

const child = spawn(commandPath(), process.argv.slice(2), { stdio: "inherit" });
for (const signal of ["SIGHUP", "SIGINT", "SIGTERM"]) process.on(signal, () => child.kill(signal));
child.on("exit", (code, signal) => {
  if (signal) {
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  } else process.exit(code);
});
