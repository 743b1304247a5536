// The path of the command in the package of this machine.
import { createRequire } from "node:module";

/** The path of the command that npm installed for this machine. */
export function commandPath(): string {
  const name = `callgate-${process.platform}-${process.arch}`;
  try {
    return createRequire(import.meta.url).resolve(`${name}/bin/callgate`);
  } catch {
    throw new Error(`callgate has no command for this machine: the package ${name} is not installed`);
  }
}
