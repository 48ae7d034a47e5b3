//! The scenes that come with taffeta.

macro_rules! scenes {
    ($($name:literal),+ $(,)?) => {
        [$(($name, include_str!(concat!("../../../../scenes/", $name, ".toml")))),+]
    };
}

static SHIPPED: [(&str, &str); 34] = scenes![
    "swing",
    "swing-fine",
    "triangles",
    "flag",
    "catenary",
    "cantilever",
    "drop-and-catch",
    "crumple",
    "pegs",
    "incline",
    "slide",
    "capstan",
    "drop-floor",
    "drop-sphere",
    "cylinder",
    "sphere",
    "tablecloth",
    "needles",
    "hit",
    "fold",
    "fold-fine",
    "shorts",
    "shirt",
    "pile",
    "twist",
    "stack",
    "pinch",
    "slip",
    "pull-from-under",
    "hook",
    "wipe",
    "press",
    "hang",
    "fold-gripper",
];

/// The scenes that come with taffeta: name and text of each.
pub fn shipped() -> &'static [(&'static str, &'static str)] {
    &SHIPPED
}
