//! OBJ files: what is read of them, and what is said of those that make no sense.

use std::fs;

use glam::{DVec2, DVec3, dvec2, dvec3};
use taffeta::mesh::garment::{Cut, Garment};
use taffeta::mesh::{Element, Mesh};
use taffeta_io::obj::{ObjError, read_obj, write_garment, write_obj};

fn read(text: impl AsRef<[u8]>) -> Result<Mesh, ObjError> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("shirt.obj");
    fs::write(&path, text).unwrap();
    read_obj(&path)
}

/// A square and a triangle beside it.
const VERTICES: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 2 0 0\n";
const POSITIONS: [DVec3; 5] =
    [dvec3(0.0, 0.0, 0.0), dvec3(1.0, 0.0, 0.0), dvec3(1.0, 1.0, 0.0), dvec3(0.0, 1.0, 0.0), dvec3(2.0, 0.0, 0.0)];
const ELEMENTS: [Element; 2] = [Element::Quad([0, 1, 2, 3]), Element::Triangle([1, 4, 2])];
const TEXTURES: &str = "vt 0 0\nvt 0.5 0\nvt 0.5 0.5 0\nvt 0 0.5\nvt 1 0\n";

#[test]
fn faces_are_read_in_every_notation() {
    for faces in [
        "f 1 2 3 4\nf 2 5 3\n",
        "f 1/1 2/2 3/3 4/4\nf 2/2 5/5 3/3\n",
        "vn 0 0 1\nf 1//1 2//1 3//1 4//1\nf 2//1 5//1 3//1\n",
        "vn 0 0 1\nf 1/1/1 2/2/1 3/3/1 4/4/1\nf 2/2/1 5/5/1 3/3/1",
        "f -5 -4 -3 -2\nf -4 -1 -3\n",
        "f 1/-5 2/-4 3/-3 4/-2\nf -4/2 5/-1 3/3\n",
        "f 1 2 \\\n  3 4\nf 2\\\n5\\\r\n3\n",
        "# a shirt\r\no shirt\r\n\r\ng front # left\r\ns off\r\nusemtl red\r\nf 1 2 3 4\r\nl 1 2\r\ncurv 1 2\r\nf\t2 5  3 \r\n",
    ] {
        let mesh = read(format!("mtllib shirt.mtl\n{VERTICES}{TEXTURES}{faces}")).unwrap();
        assert_eq!(mesh.positions(), POSITIONS, "{faces}");
        assert_eq!(mesh.elements(), ELEMENTS, "{faces}");
        let textured = faces.contains("1/1") || faces.contains("1/-5");
        assert_eq!(mesh.uv().is_some(), textured, "{faces}");
        if let Some(uv) = mesh.uv() {
            let expected: [DVec2; 4] = [dvec2(0.0, 0.0), dvec2(0.5, 0.0), dvec2(0.5, 0.5), dvec2(0.0, 0.5)];
            assert_eq!(uv[0], expected, "{faces}");
            assert_eq!(uv[1][..3], [expected[1], dvec2(1.0, 0.0), expected[2]]);
        }
    }
}

#[test]
fn faces_may_come_before_their_vertices_and_negative_numbers_count_from_where_they_stand() {
    let mesh = read(format!("f 1 2 3 4\nf 2 5 3\n{VERTICES}")).unwrap();
    assert_eq!(mesh.elements(), ELEMENTS);

    let (first, last) = VERTICES.split_at(4 * "v 0 0 0\n".len());
    let mesh = read(format!("{first}f -4 -3 -2 -1\n{last}f -4 -1 -3\n")).unwrap();
    assert_eq!(mesh.elements(), ELEMENTS);
}

#[test]
fn texture_coordinates_count_only_if_every_face_has_them() {
    let text = format!("{VERTICES}{TEXTURES}f 1/1 2/2 3/3 4/4\nf 2 5 3\n");
    assert_eq!(read(text).unwrap().uv(), None);
}

#[test]
fn comments_need_not_be_utf_8() {
    let mut text = b"\xef\xbb\xbf# caf\xe9\n".to_vec();
    text.extend_from_slice(VERTICES.as_bytes());
    text.extend_from_slice(b"f 1 2 3 4\nf 2 5 3 # \xff\n");
    assert_eq!(read(text).unwrap().elements(), ELEMENTS);
}

#[test]
fn vertices_may_have_weights_and_colours() {
    let text = "v 0 0 0 1\nv 1 0 0 0.5 0.5 0.5\nv 1 1 0 x\nf 1 2 3\n";
    assert_eq!(read(text).unwrap().positions(), &POSITIONS[..3]);
}

#[test]
fn malformed_statements_are_refused_with_their_line() {
    for (statements, line, complaint) in [
        ("v 1 2\n", 6, "takes 3 numbers and has 2"),
        ("v 1 2 north\n", 6, "\"north\" is none"),
        ("v 1 nan 2\n", 6, "\"nan\" is none"),
        ("v 1 inf 2\n", 6, "\"inf\" is none"),
        ("\n\nvt 1\n", 8, "takes 2 numbers and has 1"),
        ("vt 1 1e999\n", 6, "\"1e999\" is none"),
        ("f 1 2\n", 6, "a face has 2 corners"),
        ("f\n", 6, "a face has 0 corners"),
        ("f 1 2 5 3 4\n", 6, "5 corners"),
        ("f 1 2 3 4\nf 1 2 \\\n5 \\\n3 4\n", 7, "5 corners"),
        ("f 1 2 x\n", 6, "\"x\" is no corner"),
        ("f 1 2 3/\nf 1 2 /3\n", 7, "\"/3\" is no corner"),
        ("f 1 2 1.5\n", 6, "\"1.5\" is no corner"),
        ("f 1 2 3/1/1/1\n", 6, "\"3/1/1/1\" is no corner"),
        ("f 1 2 99999999999999999999\n", 6, "is no corner"),
        ("f 0 1 2\n", 6, "count from 1"),
        ("f 1 2 6\n", 6, "refers to vertex 6, and the file has 5"),
        ("f 1 2 -6\n", 6, "beyond the first of the 5"),
        ("f 1/1 2/1 3/1\n", 6, "texture coordinate 1, and the file has 0"),
        ("vt 0 0\nf 1/1 2/-1 3/-2\n", 7, "beyond the first of the 1"),
        ("vt 0 0\nf 1/1 2/1 3\n", 7, "give them to all or to none"),
        ("f 1 2 3 2\n", 6, "\"2\" twice"),
    ] {
        let error = read(format!("{VERTICES}{statements}")).expect_err(statements);
        let error = error.to_string();
        assert!(error.contains(complaint), "{statements:?}: {error}");
        assert!(error.contains(&format!("shirt.obj, line {line}:")), "{statements:?}: {error}");
    }
}

#[test]
fn unusable_meshes_are_refused_with_their_line() {
    for (faces, place, complaint) in [
        ("f 1 2 3 4\n", "shirt.obj, line 5:", "node 4 belongs to no element"),
        ("f 1 2 3 4\n\nf 5 2 3\n", "shirt.obj, line 8:", "inverted"),
        ("f 2 5 3\nf 1 3 2 4\n", "shirt.obj, line 7:", "element 1"),
        ("f 1 2 3 4\nf 2 5 3\nf 5 3 2\n", "shirt.obj, line 8:", "remove one"),
        ("vt 0 0\nf 1/1 2/1 3/1 4/1\nf 2/1 5/1 3/1\n", "shirt.obj, line 7:", "UV"),
    ] {
        let error = read(format!("{VERTICES}{faces}")).expect_err(faces).to_string();
        assert!(error.contains(place), "{faces:?}: {error}");
        assert!(error.contains(complaint), "{faces:?}: {error}");
    }
    let error = read(VERTICES).unwrap_err().to_string();
    assert!(error.contains("shirt.obj has no faces"), "{error}");
}

#[test]
fn a_mesh_is_read_to_the_bit_as_it_was_written() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("out.obj");
    let mut positions = POSITIONS;
    for (node, position) in positions.iter_mut().enumerate() {
        *position += 0.01 * dvec3(node as f64, 1.7, node as f64 + 0.3).map(f64::sin);
    }
    positions[0].z = -1e-300;
    write_obj(&path, &positions, &ELEMENTS).unwrap();
    let mesh = read_obj(&path).unwrap();
    let bits = |positions: &[DVec3]| -> Vec<[u64; 3]> {
        let bits = |position: &DVec3| position.to_array().map(f64::to_bits);
        positions.iter().map(bits).collect()
    };
    assert_eq!(bits(mesh.positions()), bits(&positions));
    assert_eq!(mesh.elements(), ELEMENTS);
}

#[test]
fn unsound_meshes_are_not_written() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("out.obj");
    let mut positions = POSITIONS;
    positions[3].y = f64::NAN;
    let error = write_obj(&path, &positions, &ELEMENTS).unwrap_err();
    assert!(error.to_string().contains("node 3"), "{error}");
    let error = write_obj(&path, &POSITIONS[..4], &ELEMENTS).unwrap_err();
    assert!(error.to_string().contains("element 1 has the corner 4"), "{error}");
    assert!(!path.exists());
    let error = write_obj(dir.path(), &POSITIONS, &ELEMENTS).unwrap_err();
    assert!(error.to_string().starts_with("cannot create"), "{error}");
    let error = read_obj(&path).unwrap_err();
    assert!(error.to_string().starts_with("cannot read"), "{error}");
}

#[test]
fn a_garment_is_read_to_the_bit_as_it_was_written_with_its_seams() {
    let dir = tempfile::tempdir().unwrap();
    for name in Garment::NAMES {
        let path = dir.path().join(name);
        let garment = Garment::named(name).unwrap().sew(Cut::with_cell(0.04)).unwrap();
        write_garment(&path, &garment).unwrap();
        let mesh = read_obj(&path).unwrap();
        assert_eq!(mesh.positions(), garment.mesh.positions(), "{name}");
        assert_eq!(mesh.elements(), garment.mesh.elements(), "{name}");
        assert_eq!(mesh.uv(), garment.mesh.uv(), "{name}");
        let text = std::fs::read_to_string(&path).unwrap();
        for (set, nodes) in &garment.sets {
            assert!(text.contains(&format!("# {set} = {nodes:?}\n")), "{name}: {set}");
        }
    }
}
