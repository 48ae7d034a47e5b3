//! What the linker must be told of a module whose symbols of Python come from whoever imports it.

fn main() {
    pyo3_build_config::add_extension_module_link_args();
}
