//! The command, as its users meet it.

mod bench;
mod broken_input;
mod built_page;
mod check_recording;
mod commands;
mod evaluate;
mod export;
mod fit;
mod garment;
mod interrupted;
mod live;
mod taffeta;
mod view;
mod world;
