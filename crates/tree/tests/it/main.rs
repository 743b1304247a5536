//! Tests of the public face of the parser's text side: reading, limits, positions, real descriptions.

#[cfg(test)]
mod corpus;
#[cfg(test)]
mod hostile;
#[cfg(test)]
mod locate;
#[cfg(test)]
mod read;
#[cfg(test)]
mod round_trip;
