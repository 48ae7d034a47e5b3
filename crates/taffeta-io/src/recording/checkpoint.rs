//! The checkpoint file: a run's state, opaque here, and how much of the arrays it goes with.
//!
//! Little-endian: the magic, the version (`u32`), frames, reports and payload length (`u64` each),
//! the payload, and the CRC-32 of all that (`u32`).

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use super::RecordingError;
use super::folder::CHECKPOINT;
use crate::{FileError, file};

const MAGIC: &[u8; 8] = b"TAFFETA\0";
const VERSION: u32 = 1;

/// A checkpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Checkpoint {
    /// The frames recorded when it was taken.
    pub frames: usize,
    /// The reports recorded when it was taken.
    pub reports: usize,
}

impl Checkpoint {
    /// Replaces the checkpoint of a recording at one stroke.
    pub fn write(&self, dir: &Path, payload: &[u8]) -> Result<(), FileError> {
        file::replace(&dir.join(CHECKPOINT), &self.encode(payload))
    }

    /// Reads the checkpoint of a recording and its payload.
    pub fn read(dir: &Path) -> Result<(Checkpoint, Vec<u8>), RecordingError> {
        let path = dir.join(CHECKPOINT);
        let bytes = match fs::read(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return Err(RecordingError::NoCheckpoint { dir: dir.to_path_buf() });
            }
            bytes => bytes.map_err(FileError::when("read", &path))?,
        };
        Checkpoint::decode(&bytes).map_err(|why| RecordingError::BadCheckpoint { path, why })
    }

    fn encode(&self, payload: &[u8]) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend_from_slice(&VERSION.to_le_bytes());
        for count in [self.frames, self.reports, payload.len()] {
            bytes.extend_from_slice(&(count as u64).to_le_bytes());
        }
        bytes.extend_from_slice(payload);
        bytes.extend_from_slice(&crc32(&bytes).to_le_bytes());
        bytes
    }

    fn decode(bytes: &[u8]) -> Result<(Checkpoint, Vec<u8>), String> {
        let mut rest = bytes.strip_prefix(MAGIC).ok_or("it is not a checkpoint of this program")?;
        let cut_short = || "it is cut short".to_owned();
        let version = u32::from_le_bytes(take(&mut rest).ok_or_else(cut_short)?);
        if version != VERSION {
            return Err(format!(
                "it is of version {version}, and this program reads version {VERSION}: resume with the program that wrote it"
            ));
        }
        let mut count = || {
            let count = u64::from_le_bytes(take(&mut rest).ok_or_else(cut_short)?);
            usize::try_from(count).map_err(|_| format!("it counts {count} items"))
        };
        let (frames, reports, length) = (count()?, count()?, count()?);
        let (payload, mut rest) = rest.split_at_checked(length).ok_or_else(cut_short)?;
        let checksum = u32::from_le_bytes(take(&mut rest).ok_or_else(cut_short)?);
        let summed = bytes.len() - rest.len() - size_of_val(&checksum);
        if checksum != crc32(&bytes[..summed]) {
            return Err("its checksum does not fit: it is damaged".to_owned());
        }
        Ok((Checkpoint { frames, reports }, payload.to_vec()))
    }
}

/// Takes so many bytes off the front.
fn take<const COUNT: usize>(rest: &mut &[u8]) -> Option<[u8; COUNT]> {
    let (front, back) = rest.split_first_chunk()?;
    *rest = back;
    Some(*front)
}

/// The CRC-32 of zip, PNG and Ethernet.
fn crc32(bytes: &[u8]) -> u32 {
    const TABLE: [u32; 256] = crc32_table();
    !bytes.iter().fold(!0, |crc, &byte| (crc >> 8) ^ TABLE[usize::from(byte ^ crc.to_le_bytes()[0])])
}

const fn crc32_table() -> [u32; 256] {
    let mut table = [0; 256];
    let mut index = 0;
    while index < table.len() {
        let mut crc = index as u32;
        let mut bit = 0;
        while bit < 8 {
            crc = (crc >> 1) ^ if crc & 1 == 1 { 0xedb8_8320 } else { 0 };
            bit += 1;
        }
        table[index] = crc;
        index += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    const COUNTS: Checkpoint = Checkpoint { frames: 7, reports: 300 };

    #[test]
    fn the_checksum_is_the_usual_one() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
    }

    #[test]
    fn a_checkpoint_is_read_as_it_was_written() {
        for payload in [&b""[..], b"x", &[0xff; 1000]] {
            let bytes = COUNTS.encode(payload);
            assert_eq!(Checkpoint::decode(&bytes), Ok((COUNTS.clone(), payload.to_vec())));
        }
    }

    #[test]
    fn no_damage_goes_unnoticed() {
        let sound = COUNTS.encode(b"the state");
        for length in 0..sound.len() {
            let error = Checkpoint::decode(&sound[..length]).unwrap_err();
            let expected = if length < MAGIC.len() { "not a checkpoint" } else { "cut short" };
            assert!(error.contains(expected), "{length} bytes: {error}");
        }
        for index in 0..sound.len() {
            let mut damaged = sound.clone();
            damaged[index] ^= 0x10;
            assert!(Checkpoint::decode(&damaged).is_err(), "byte {index}");
        }
    }

    #[test]
    fn random_bytes_after_a_sound_beginning_are_refused() {
        let (beginning, mut seed) = (COUNTS.encode(b"the state"), 1u64);
        for case in 0..2000 {
            let mut random = || {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (seed >> 33) as usize
            };
            let mut bytes = beginning[..random() % beginning.len()].to_vec();
            let more = random() % 60;
            bytes.extend((0..more).map(|_| random() as u8));
            assert!(Checkpoint::decode(&bytes).is_err(), "case {case}: {bytes:?}");
        }
    }

    #[test]
    fn another_version_is_named() {
        let mut bytes = COUNTS.encode(b"the state");
        bytes[MAGIC.len()] = 9;
        let error = Checkpoint::decode(&bytes).unwrap_err();
        assert!(error.contains("version 9") && error.contains("version 1"));
    }
}
