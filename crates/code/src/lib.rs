//! Programs as a tool: code that a model writes runs in a sandbox.
