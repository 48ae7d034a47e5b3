//! Growing `.npy` files: what is written is what is read, and what is damaged is refused.

use std::fs;
use std::path::PathBuf;

use taffeta_io::npy::{Dtype, NpyReader, NpyWriter};
use tempfile::TempDir;

fn scratch() -> (TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("array.npy");
    (dir, path)
}

/// A file as NumPy writes it: version, dictionary, padding, data.
fn numpy_file(major: u8, dictionary: &str, data: &[u8]) -> Vec<u8> {
    let length_bytes = if major == 1 { 2 } else { 4 };
    let prefix = 8 + length_bytes;
    let total = (prefix + dictionary.len() + 1).next_multiple_of(64).max(128);
    let mut bytes = b"\x93NUMPY".to_vec();
    bytes.extend_from_slice(&[major, 0]);
    bytes.extend_from_slice(&((total - prefix) as u32).to_le_bytes()[..length_bytes]);
    bytes.extend_from_slice(dictionary.as_bytes());
    bytes.resize(total - 1, b' ');
    bytes.push(b'\n');
    bytes.extend_from_slice(data);
    bytes
}

fn f8(numbers: &[f64]) -> Vec<u8> {
    numbers.iter().flat_map(|x| x.to_le_bytes()).collect()
}

#[test]
fn a_file_is_to_the_byte_what_numpy_saves() {
    let (_dir, path) = scratch();
    let numbers = [1.0, -0.0, f64::MIN_POSITIVE, 1e300, 0.1, -7.0];
    let mut writer = NpyWriter::create(&path, Dtype::F64, &[3]).unwrap();
    writer.append(&numbers).unwrap();
    writer.flush().unwrap();
    let dictionary = "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }";
    assert_eq!(fs::read(&path).unwrap(), numpy_file(1, dictionary, &f8(&numbers)));

    let mut writer = NpyWriter::create(&path, Dtype::Bool, &[]).unwrap();
    writer.append(&[true, false, true]).unwrap();
    writer.flush().unwrap();
    let dictionary = "{'descr': '|b1', 'fortran_order': False, 'shape': (3,), }";
    assert_eq!(fs::read(&path).unwrap(), numpy_file(1, dictionary, &[1, 0, 1]));
}

#[test]
fn rows_are_seen_once_they_are_flushed() {
    let (_dir, path) = scratch();
    let mut writer = NpyWriter::create(&path, Dtype::F64, &[2]).unwrap();
    let rows_seen = || NpyReader::open(&path).unwrap().rows();
    assert_eq!(rows_seen(), 0);

    writer.append(&[1.0, 2.0, 3.0, 4.0]).unwrap();
    assert_eq!((writer.rows(), writer.pending_bytes()), (2, 32));
    assert_eq!(rows_seen(), 0);

    writer.spill().unwrap();
    assert_eq!((writer.rows(), writer.pending_bytes()), (2, 0));
    assert_eq!(fs::metadata(&path).unwrap().len(), 128 + 32);
    assert_eq!(rows_seen(), 0);

    writer.append(&[5.0, 6.0]).unwrap();
    writer.flush().unwrap();
    let reader = NpyReader::open(&path).unwrap();
    assert_eq!(reader.rows(), 3);
    assert_eq!(reader.read::<f64>(0..3).unwrap(), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);

    // The reader keeps to what was there when it was opened.
    writer.append(&[7.0, 8.0]).unwrap();
    writer.flush().unwrap();
    assert!(reader.read::<f64>(3..4).is_err());
    assert_eq!(rows_seen(), 4);
}

#[test]
fn every_type_is_read_as_it_was_written() {
    let (_dir, path) = scratch();

    let integers = [i64::MIN, -1, 0, 1, i64::MAX, 42];
    let mut writer = NpyWriter::create(&path, Dtype::I64, &[2]).unwrap();
    writer.append(&integers[..2]).unwrap();
    writer.append(&integers[2..]).unwrap();
    writer.flush().unwrap();
    let reader = NpyReader::open(&path).unwrap();
    assert_eq!(reader.dtype(), &Dtype::I64);
    assert_eq!(reader.read::<i64>(0..3).unwrap(), integers);

    let truths = [true, false, false, true];
    let mut writer = NpyWriter::create(&path, Dtype::Bool, &[4]).unwrap();
    writer.append(&truths).unwrap();
    writer.flush().unwrap();
    let reader = NpyReader::open(&path).unwrap();
    assert_eq!(reader.dtype(), &Dtype::Bool);
    assert_eq!(reader.read::<bool>(0..1).unwrap(), truths);

    let names: Vec<String> = (0..30).map(|index| format!("quantity_{index}")).collect();
    let dtype = Dtype::Record(names);
    let numbers: Vec<f64> = (0..90).map(|x| f64::from(x).sqrt()).collect();
    let mut writer = NpyWriter::create(&path, dtype.clone(), &[]).unwrap();
    writer.append(&numbers).unwrap();
    writer.flush().unwrap();
    let reader = NpyReader::open(&path).unwrap();
    assert_eq!(reader.dtype(), &dtype);
    assert_eq!((reader.rows(), reader.trailing_shape()), (3, &[][..]));
    assert_eq!(reader.read::<f64>(0..3).unwrap(), numbers);
}

#[test]
fn some_rows_are_read_without_the_rest() {
    let (_dir, path) = scratch();
    let numbers: Vec<f64> = (0..300).map(f64::from).collect();
    let mut writer = NpyWriter::create(&path, Dtype::F64, &[3]).unwrap();
    writer.append(&numbers).unwrap();
    writer.flush().unwrap();
    let reader = NpyReader::open(&path).unwrap();
    assert_eq!(reader.read::<f64>(40..42).unwrap(), [120.0, 121.0, 122.0, 123.0, 124.0, 125.0]);
    assert!(reader.read::<f64>(100..100).unwrap().is_empty());
    std::thread::scope(|scope| {
        for row in 0..100 {
            let (reader, numbers) = (&reader, &numbers);
            scope.spawn(move || {
                let expected = &numbers[3 * row..3 * row + 3];
                assert_eq!(reader.read::<f64>(row..row + 1).unwrap(), expected);
            });
        }
    });

    let error = reader.read::<f64>(99..101).unwrap_err().to_string();
    assert!(error.contains("has 100 rows"), "{error}");
    let error = reader.read::<i64>(0..1).unwrap_err().to_string();
    assert!(error.contains("holds f64, not i64"), "{error}");
}

#[test]
fn a_reopened_file_goes_on_where_it_is_told_to() {
    let (_dir, path) = scratch();
    let mut writer = NpyWriter::create(&path, Dtype::record(&["a", "b"]), &[]).unwrap();
    writer.append(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]).unwrap();
    writer.flush().unwrap();
    // These rows are in the file but not counted, and must not come to light later.
    writer.append(&[-1.0; 20]).unwrap();
    writer.spill().unwrap();
    drop(writer);

    let error = NpyWriter::reopen(&path, 4).unwrap_err().to_string();
    assert!(error.contains("cut short"), "{error}");

    let mut writer = NpyWriter::reopen(&path, 2).unwrap();
    assert_eq!(writer.rows(), 2);
    let reader = NpyReader::open(&path).unwrap();
    assert_eq!(reader.rows(), 2);
    let offset = fs::metadata(&path).unwrap().len() - 2 * 16;
    assert_eq!(offset % 64, 0);
    writer.append(&[7.0, 8.0]).unwrap();
    writer.flush().unwrap();
    let reader = NpyReader::open(&path).unwrap();
    assert_eq!(reader.read::<f64>(0..3).unwrap(), [1.0, 2.0, 3.0, 4.0, 7.0, 8.0]);
    assert_eq!(fs::metadata(&path).unwrap().len(), offset + 3 * 16);
}

#[test]
fn files_of_other_programs_are_read() {
    let (_dir, path) = scratch();
    let data = f8(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    for (major, dictionary) in [
        (1, "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }"),
        (2, "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }"),
        (1, "{\"shape\":(2,3),\"fortran_order\":False,\"descr\":\"<f8\"}"),
        (1, "{'descr': [('x', '<f8'), ('y', '<f8'), ('z', '<f8')], 'fortran_order': False, 'shape': (2,), }"),
    ] {
        fs::write(&path, numpy_file(major, dictionary, &data)).unwrap();
        let reader = NpyReader::open(&path).unwrap();
        assert_eq!(reader.rows(), 2, "{dictionary}");
        assert_eq!(reader.read::<f64>(1..2).unwrap(), [4.0, 5.0, 6.0]);
        let writer = NpyWriter::reopen(&path, 1);
        assert_eq!(writer.map(|writer| writer.rows()).ok(), Some(1), "{dictionary}");
        assert_eq!(NpyReader::open(&path).unwrap().read::<f64>(0..1).unwrap(), [1.0, 2.0, 3.0]);
    }
    let dictionary = "{'descr': '<f8', 'fortran_order': True, 'shape': (6,), }";
    fs::write(&path, numpy_file(1, dictionary, &data)).unwrap();
    assert_eq!(NpyReader::open(&path).unwrap().rows(), 6);
}

#[test]
fn a_header_without_room_is_not_extended() {
    let (_dir, path) = scratch();
    let dictionary = "{'descr': '<f8', 'fortran_order': False, 'shape': (0,), }";
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend_from_slice(&(dictionary.len() as u16).to_le_bytes());
    bytes.extend_from_slice(dictionary.as_bytes());
    fs::write(&path, &bytes).unwrap();
    assert_eq!(NpyReader::open(&path).unwrap().rows(), 0);
    let error = NpyWriter::reopen(&path, 0).unwrap_err().to_string();
    assert!(error.contains("no room"), "{error}");
    assert_eq!(fs::read(&path).unwrap(), bytes);
}

#[test]
fn bytes_beyond_the_array_are_ignored_and_missing_ones_noticed() {
    let (_dir, path) = scratch();
    let mut writer = NpyWriter::create(&path, Dtype::F64, &[2]).unwrap();
    writer.append(&[1.0, 2.0, 3.0, 4.0]).unwrap();
    writer.flush().unwrap();
    let whole = fs::read(&path).unwrap();

    let mut longer = whole.clone();
    longer.extend_from_slice(b"half a row");
    fs::write(&path, &longer).unwrap();
    let reader = NpyReader::open(&path).unwrap();
    assert_eq!(reader.read::<f64>(0..2).unwrap(), [1.0, 2.0, 3.0, 4.0]);

    for length in 0..whole.len() {
        fs::write(&path, &whole[..length]).unwrap();
        let error = NpyReader::open(&path).unwrap_err().to_string();
        let expected = match length {
            0..8 => "does not begin as one",
            8..128 => "ends within its header",
            128..144 => "counts 2 rows and 0 are there",
            _ => "counts 2 rows and 1 are there",
        };
        assert!(error.contains(expected), "{length} bytes: {error}");
        assert!(error.contains("array.npy"), "{error}");
        if let Ok(reader) = NpyReader::open_cut_short(&path) {
            let rows = (length - 128) / 16;
            assert_eq!(reader.rows(), rows);
            assert_eq!(reader.read::<f64>(0..rows).unwrap(), [1.0, 2.0][..2 * rows]);
        } else {
            assert!(length < 128, "{length} bytes");
        }
    }
}

#[test]
fn garbled_and_unsupported_files_are_refused() {
    let (_dir, path) = scratch();
    let array = |descr: &str, order: &str, shape: &str| {
        let dictionary = format!("{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}");
        numpy_file(1, &dictionary, &[0; 640])
    };
    let mut too_long = b"\x93NUMPY\x02\x00".to_vec();
    too_long.extend_from_slice(&u32::MAX.to_le_bytes());
    for (bytes, complaint) in [
        (b"PK\x03\x04, a zip file".to_vec(), "does not begin as one"),
        (b"\x93NUMPY\x03\x00aaaa".to_vec(), "version 3"),
        (b"\x93NUMPY\x01\x00a".to_vec(), "ends within its header"),
        (too_long, "longer than those that NumPy loads"),
        (numpy_file(1, "", &[]), "breaks off"),
        (numpy_file(1, "(3,)", &[]), "not a dictionary"),
        (numpy_file(1, "{'descr': '<f8'}", &[]), "no \"shape\""),
        (array("'<f4'", "False", "(2,)"), "type '<f4'"),
        (array("'>f8'", "False", "(2,)"), "convert it to float64"),
        (array("'|O'", "False", "(2,)"), "type '|O'"),
        (array("[]", "False", "(2,)"), "unknown type"),
        (array("[('a', '<f8', (3,))]", "False", "(2,)"), "records with"),
        (array("[('a', '<i8')]", "False", "(2,)"), "records with"),
        (array("'<f8'", "True", "(2, 3)"), "ascontiguousarray"),
        (array("'<f8'", "0", "(2, 3)"), "not a truth value"),
        (array("'<f8'", "False", "()"), "atleast_1d"),
        (array("'<f8'", "False", "7"), "not a tuple"),
        (array("'<f8'", "False", "('a',)"), "not made of counts"),
        (array("'<f8'", "False", "(2305843009213693952,)"), "larger than any file"),
        (array("'<f8'", "False", "(1, 9999999999999, 9999999999999)"), "larger than any file"),
    ] {
        fs::write(&path, bytes).unwrap();
        for error in [NpyReader::open(&path).map(drop).unwrap_err(), NpyWriter::reopen(&path, 0).map(drop).unwrap_err()]
        {
            let error = error.to_string();
            assert!(error.contains(complaint), "{complaint}: {error}");
            assert!(error.contains("array.npy"), "{error}");
        }
    }
    fs::remove_file(&path).unwrap();
    let error = NpyReader::open(&path).unwrap_err().to_string();
    assert!(error.starts_with("cannot open") && error.contains("array.npy"), "{error}");
}

#[test]
fn what_cannot_be_stored_is_refused_before_anything_is_written() {
    let (_dir, path) = scratch();
    let many: Vec<String> = (0..1000).map(|index| format!("quantity_{index}")).collect();
    for (dtype, trailing, complaint) in [
        (Dtype::F64, &[3, 0][..], "at least 1"),
        (Dtype::F64, &[usize::MAX, 2], "addressable"),
        (Dtype::record(&[]), &[], "at least one field"),
        (Dtype::record(&["a", ""]), &[], "\"\""),
        (Dtype::record(&["it's"]), &[], "it's"),
        (Dtype::record(&["a", "b", "a"]), &[], "two fields are named \"a\""),
        (Dtype::Record(many), &[], "fewer or shorter field names"),
    ] {
        let error = NpyWriter::create(&path, dtype, trailing).unwrap_err();
        let error = error.to_string();
        assert!(error.contains(complaint), "{complaint}: {error}");
        assert!(!path.exists());
    }

    let mut writer = NpyWriter::create(&path, Dtype::F64, &[3]).unwrap();
    let error = writer.append(&[1.0; 4]).unwrap_err().to_string();
    assert!(error.contains("4 numbers") && error.contains("3 each"), "{error}");
    let error = writer.append(&[1_i64; 3]).unwrap_err().to_string();
    assert!(error.contains("holds f64, not i64"), "{error}");
    assert_eq!(writer.rows(), 0);

    let error = NpyWriter::create(&path.join("under_a_file"), Dtype::F64, &[]).unwrap_err();
    assert!(error.to_string().starts_with("cannot create"), "{error}");
}
