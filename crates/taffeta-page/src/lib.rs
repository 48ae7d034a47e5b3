//! The viewer's page, as `cargo xtask web` has built it, and what is put into it: films, or a scene to run.

pub mod film;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;
use taffeta_io::scene::{Scene, SceneError};

const PAGE: &str = include_str!("../../../web/page.html");
const SCRIPT: &str = include_str!("../../../web/dist/viewer.js");
const WORKER: &str = include_str!("../../../web/dist/worker.js");
const SIMULATOR: &[u8] = include_bytes!("../../../web/dist/live.wasm.deflate");

/// A page that asks its server for these films.
pub fn that_asks(films: &[&str]) -> String {
    page("", &films.join(" "))
}

/// A page that needs nothing but itself, with packed films in it: one, and another to compare with.
pub fn with_films(film: &[u8], other: Option<&[u8]>) -> String {
    let films = [("film", Some(film)), ("other", other)];
    let parts = films.into_iter().filter_map(|(id, packed)| Some(bytes(id, packed?)));
    page(&parts.collect::<String>(), "")
}

/// A page that runs a scene, and needs nothing but itself; `native` is what follows `taffeta run` to run it natively.
///
/// # Errors
///
/// If a file that the scene refers to cannot be read.
pub fn with_scene(scene: &Scene, native: &str) -> Result<String, SceneError> {
    let is_shipped = Scene::load(scene.name(), &[]).is_ok_and(|shipped| shipped.settings() == scene.settings());
    let given = json!({ "name": scene.name(), "toml": scene.to_toml()?, "files": scene.files()?, "shipped": is_shipped, "native": native });
    // In a script a bracket may end it; in a string of JSON it may be written otherwise.
    let text = given.to_string().replace('<', "\\u003c");
    let scene = format!("<script type=\"application/json\" id=\"scene\">{text}</script>");
    let worker = format!("<script type=\"text/plain\" id=\"worker\">{WORKER}</script>");
    Ok(page(&[scene, worker, bytes("wasm", SIMULATOR)].concat(), ""))
}

/// An element of the page that holds bytes.
fn bytes(id: &str, contents: &[u8]) -> String {
    format!("<script type=\"application/octet-stream\" id=\"{id}\">{}</script>", STANDARD.encode(contents))
}

/// The page with these parts in it, and served films that it may ask for.
fn page(parts: &str, served: &str) -> String {
    let script = format!("<script>{SCRIPT}</script>");
    let (mut page, mut rest) = (String::new(), PAGE);
    // Each mark is looked for behind the last, in the page itself: the parts may hold any text.
    for (mark, text) in [("<!--served-->", served), ("<!--parts-->", parts), ("<!--script-->", &script)] {
        let (before, after) = rest.split_once(mark).unwrap_or((rest, ""));
        page.extend([before, text]);
        rest = after;
    }
    page + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_has_its_parts_once() {
        let page = with_films(b"cloth", Some(b"linen"));
        for part in ["id=\"film\">Y2xvdGg=</script>", "id=\"other\">bGluZW4=</script>", SCRIPT, "</html>"] {
            assert_eq!(page.matches(part).count(), 1, "{part}");
        }
        assert!(!page.contains("<!--"), "a mark is left");
        // What would end the scripts early.
        assert!(!SCRIPT.contains("</script") && !WORKER.contains("</script"), "a script holds its own end");
        assert!(that_asks(&["film", "other"]).contains("data-served=\"film other\""));
    }

    #[test]
    fn a_scene_cannot_end_its_element() {
        let text =
            "title = \"</script><b>\"\nduration_s = 1\ndt_s = 0.01\n[cloth.grid]\nnodes = [2, 2]\nsize_m = [1, 1]\n";
        let scene = Scene::from_text("mine", text, None).expect("a scene");
        let page = with_scene(&scene, "mine").expect("a page");
        let start = page.find("id=\"scene\">").expect("a scene") + 11;
        let given = &page[start..start + page[start..].find("</script>").expect("an end")];
        let given: serde_json::Value = serde_json::from_str(given).expect("JSON");
        let again = Scene::from_text("mine", given["toml"].as_str().expect("a text"), None).expect("a scene");
        assert_eq!(again.settings(), scene.settings());
    }
}
