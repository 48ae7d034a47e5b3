//! Tests of who meets whom.

mod broad;
