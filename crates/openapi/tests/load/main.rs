//! Tests of the public face of the parser's other side: whole descriptions to tools.

#[cfg(test)]
mod body_arguments;
#[cfg(test)]
mod corpus;
#[cfg(test)]
mod descriptions;
#[cfg(test)]
mod documents;
#[cfg(test)]
mod dynamic;
#[cfg(test)]
mod hostile;
#[cfg(test)]
mod keys;
#[cfg(test)]
mod lost;
#[cfg(test)]
mod mcp_headers;
#[cfg(test)]
mod overlays;
#[cfg(test)]
mod patches;
#[cfg(test)]
mod prelude;
#[cfg(test)]
mod references;
#[cfg(test)]
mod schemas;
#[cfg(test)]
mod self_address;
#[cfg(test)]
mod session;
#[cfg(test)]
mod shared;
#[cfg(test)]
mod swagger;
#[cfg(test)]
mod versions;
