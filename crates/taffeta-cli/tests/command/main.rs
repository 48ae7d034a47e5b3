//! The command, as its users meet it.

mod broken_input;
mod commands;
mod interrupted;
mod taffeta;
mod world;
