//! The viewer's page, as `cargo xtask web` has built it, and films put into it.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

const PAGE: &str = include_str!("../../../web/page.html");
const SCRIPT: &str = include_str!("../../../web/dist/viewer.js");

/// A page that asks its server for the film.
pub fn that_asks() -> String {
    PAGE.replacen("<!--film-->", "", 1).replacen("<!--script-->", &format!("<script>{SCRIPT}</script>"), 1)
}

/// A page that needs nothing but itself, with a packed film in it.
pub fn with_film(packed: &[u8]) -> String {
    let film = format!("<script type=\"application/octet-stream\" id=\"film\">{}</script>", STANDARD.encode(packed));
    let script = format!("<script>{SCRIPT}</script>");
    // The film first: the script may hold any text, the film holds no brackets.
    PAGE.replacen("<!--film-->", &film, 1).replacen("<!--script-->", &script, 1)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use sha2::{Digest, Sha256};

    use super::*;

    #[test]
    fn the_built_page_is_of_these_sources() {
        let web = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web");
        let mut sources: Vec<String> = ["build.mjs", "package-lock.json", "package.json", "page.html", "tsconfig.json"]
            .map(str::to_owned)
            .to_vec();
        for entry in fs::read_dir(web.join("src")).expect("sources") {
            let name = entry.expect("a file").file_name().into_string().expect("a plain name");
            sources.push(format!("src/{name}"));
        }
        sources.sort();
        let mut hash = Sha256::new();
        for name in &sources {
            hash.update(format!("{name}\n"));
            hash.update(fs::read(web.join(name)).expect(name));
        }
        let found: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        let built = fs::read_to_string(web.join("dist/sources.sha256")).expect("a build");
        assert_eq!(
            built.trim(),
            found,
            "web/dist is not of these sources: run `cargo xtask web` and commit what it builds"
        );
    }

    #[test]
    fn a_page_has_its_film_and_its_script_once() {
        let page = with_film(b"cloth");
        assert_eq!(page.matches("id=\"film\">Y2xvdGg=</script>").count(), 1);
        assert_eq!(page.matches(SCRIPT).count(), 1);
        // What would end the script early.
        assert!(!SCRIPT.contains("</script"), "the script holds its own end");
    }
}
