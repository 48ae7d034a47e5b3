//! Colours: sRGB bytes outside, linear light inside, so that averages are physical ones.

use glam::DVec3;

/// Linear light of an sRGB colour.
pub(crate) fn linear(srgb: [u8; 3]) -> DVec3 {
    let decode = |byte: u8| {
        let value = f64::from(byte) / 255.0;
        if value <= 0.040_45 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
    };
    DVec3::new(decode(srgb[0]), decode(srgb[1]), decode(srgb[2]))
}

/// The sRGB colour of some linear light, clamped to what a pixel can show.
pub(crate) fn srgb(light: DVec3) -> [u8; 3] {
    let encode = |value: f64| {
        let value = value.clamp(0.0, 1.0);
        let encoded = if value <= 0.003_130_8 { value * 12.92 } else { 1.055 * value.powf(1.0 / 2.4) - 0.055 };
        (encoded * 255.0).round() as u8
    };
    [encode(light.x), encode(light.y), encode(light.z)]
}

/// Bends strong light smoothly towards white instead of cutting it off, which would flatten the
/// brightest folds into one patch.
pub(crate) fn soften_highlights(light: DVec3) -> DVec3 {
    const KNEE: f64 = 0.7;
    let soften = |value: f64| {
        if value <= KNEE {
            value
        } else {
            let excess = (value - KNEE) / (1.0 - KNEE);
            KNEE + (1.0 - KNEE) * (1.0 - (-excess).exp())
        }
    };
    DVec3::new(soften(light.x), soften(light.y), soften(light.z))
}

/// The colour of a number from 0 to 1: from pale to dark by way of blue and violet, rising in darkness so that grey prints tell as much.
pub fn ramp(x: f64) -> [u8; 3] {
    const STOPS: [[f64; 3]; 4] =
        [[242.0, 240.0, 230.0], [140.0, 191.0, 217.0], [84.0, 107.0, 191.0], [97.0, 26.0, 107.0]];
    let at = x.clamp(0.0, 1.0) * (STOPS.len() - 1) as f64;
    let k = (at as usize).min(STOPS.len() - 2);
    let part = at - k as f64;
    [0, 1, 2].map(|c| (STOPS[k][c] * (1.0 - part) + STOPS[k + 1][c] * part).round() as u8)
}

/// Smooth step from 0 at `low` to 1 at `high`.
pub(crate) fn smooth_step(low: f64, high: f64, value: f64) -> f64 {
    let t = ((value - low) / (high - low)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_survives_linear_light() {
        for byte in 0..=255 {
            assert_eq!(srgb(linear([byte; 3])), [byte; 3]);
        }
    }

    #[test]
    fn the_ramp_gets_darker_all_the_way() {
        let light = |k: i32| ramp(f64::from(k) / 100.0).iter().map(|&c| i32::from(c)).sum::<i32>();
        assert!((0..100).all(|k| light(k + 1) < light(k)));
        assert_eq!(ramp(f64::NAN.max(0.0)), ramp(-1.0));
        assert_eq!(ramp(2.0), ramp(1.0));
    }

    #[test]
    fn half_the_light_of_white_is_a_bright_grey() {
        assert_eq!(srgb(DVec3::splat(0.5)), [188; 3]);
    }
}
