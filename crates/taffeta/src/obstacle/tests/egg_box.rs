//! The nearest point of a bed of nails, against trying them all.

use super::*;

/// The distance to the body below the surface (or to the one above) over a fine lattice of columns: never less than the
/// true one.
fn by_columns(shape: EggBox, point: DVec3) -> f64 {
    let EggBox { c1, c2 } = shape;
    // The nearest point is at most half a wave away.
    let (reach, steps) = (std::f64::consts::PI / c1, 300);
    let offsets: Vec<f64> = (-steps..=steps).map(|k| reach * f64::from(k) / f64::from(steps)).collect();
    let sines = |along: f64| offsets.iter().map(|offset| (c1 * (along + offset)).sin()).collect::<Vec<_>>();
    let (x_sines, y_sines) = (sines(point.x), sines(point.y));
    let above = shape.value(point) > 0.0;
    let mut least = f64::INFINITY;
    for (dx, sx) in offsets.iter().zip(&x_sines) {
        for (dy, sy) in offsets.iter().zip(&y_sines) {
            let short = point.z - sx * sy / (c1 * c2);
            let short = if above { short.max(0.0) } else { short.min(0.0) };
            least = least.min(dx * dx + dy * dy + short * short);
        }
    }
    least.sqrt()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn no_column_is_nearer_than_the_gap(
        c1 in 1.0..30.0_f64,
        log_c2 in -4.6..4.6_f64,
        phases in prop::array::uniform2(-9.0..9.0_f64),
        lift in -2.0..2.0_f64,
        beside in any::<bool>(),
        symmetry in 0..8_u32,
    ) {
        let shape = EggBox::new(c1, log_c2.exp());
        // Half of the points are on the lines and in the corners in which the surface is its own mirror image: there a search
        // that looks at slopes only cannot tell a saddle from a minimum.
        let quarter = std::f64::consts::FRAC_PI_2;
        let snapped = |phase: f64| (phase / quarter).round() * quarter;
        let phases = match symmetry {
            0 => [snapped(phases[0]), phases[1]],
            1 => [phases[0], phases[0]],
            2 => [phases[0], -phases[0]],
            3 => phases.map(snapped),
            _ => phases,
        };
        let sines = phases[0].sin() * phases[1].sin();
        let top = 1.0 / (c1 * shape.c2);
        // Near the surface, or anywhere up to some way above the spikes and below the pits.
        let z = if beside { sines * top + 0.1 * lift / c1 } else { lift * (top + 1.0 / c1) };
        let point = DVec3::new(phases[0] / c1, phases[1] / c1, z);
        let near = shape.near(point);
        let distance = by_columns(shape, point);
        prop_assert!(near.gap.abs() <= distance * (1.0 + 1e-9) + 1e-12, "{near:?}, {distance}");
        // And the gap leads to the surface, so that it is not too small either.
        let foot = shape.value(point - near.gap * near.normal);
        prop_assert!(foot.abs() < 1e-9, "{near:?} leads to {foot}");
        prop_assert_eq!(near.gap > 0.0, z > sines * top);
    }
}

#[test]
fn spikes_pits_and_walls_of_the_paper() {
    let shape = EggBox::default();
    let quarter = std::f64::consts::FRAC_PI_2 / shape.c1;
    let top = 1.0 / 1.5;
    let above_spike = shape.near(DVec3::new(quarter, quarter, top + 0.1));
    assert!((above_spike.gap - 0.1).abs() < 1e-9 && above_spike.normal.distance(DVec3::Z) < 1e-6, "{above_spike:?}");
    // Half way up a pit the walls are near and the bottom is far.
    let in_pit = shape.near(DVec3::new(-quarter, quarter, 0.0));
    assert!(in_pit.gap < 0.08 && in_pit.normal.z.abs() < 0.2, "{in_pit:?}");
    // The surface crosses the z plane where a sine vanishes.
    assert!(shape.near(DVec3::new(0.0, 0.03, 0.0)).gap.abs() < 1e-12);
}

#[test]
fn tips_are_the_spikes_in_a_box() {
    let shape = EggBox::default();
    let (low, high) = (DVec3::new(-0.5, -0.4, 0.0), DVec3::new(0.6, 0.7, 1.0));
    let mut tips = Vec::new();
    shape.tips(low, high, &mut tips);
    // Where the surface is as high as it gets, by looking at all of it.
    let (steps, quarter) = (400, std::f64::consts::FRAC_PI_2 / shape.c1);
    let columns =
        (-steps..=steps).flat_map(|i| (-steps..=steps).map(move |j| (f64::from(i) * quarter, f64::from(j) * quarter)));
    let top = |x: f64, y: f64| (shape.c1 * x).sin() * (shape.c1 * y).sin() > 1.0 - 1e-9;
    let inside = |x: f64, y: f64| x > low.x && x < high.x && y > low.y && y < high.y;
    let spikes: Vec<(f64, f64)> = columns.filter(|&(x, y)| top(x, y) && inside(x, y)).collect();
    assert_eq!(tips.len(), spikes.len());
    for (x, y) in spikes {
        let tip = tips.iter().find(|tip| (tip.place.x - x).abs() < 1e-9 && (tip.place.y - y).abs() < 1e-9);
        let tip = tip.unwrap_or_else(|| panic!("no tip at ({x}, {y})"));
        // Its ball touches the surface from inside at the top, and is in the body elsewhere.
        assert!((shape.near(tip.place).gap + tip.radius).abs() < 1e-9, "{tip:?}");
    }
    tips.clear();
    shape.tips(low.with_z(0.7), high, &mut tips);
    assert_eq!(tips, [], "nothing is as high");
}
