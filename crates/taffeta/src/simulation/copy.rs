//! Copies of a simulation: branches that go on apart from the same point.

use super::Simulation;
use crate::step::Workspace;

impl Clone for Simulation {
    /// A simulation that goes on to the same bits. The model is shared, and so is the analysis of its
    /// matrix, so that a copy costs what its state does.
    fn clone(&self) -> Self {
        let mut workspace = Workspace::new(&self.model);
        workspace.set_cores(self.workspace.cores());
        workspace.follow(&self.workspace);
        Self {
            model: self.model.clone(),
            params: self.params,
            obstacles: self.obstacles.clone(),
            dt: self.dt,
            grasps: self.grasps.clone(),
            loads: self.loads.clone(),
            seams: self.seams.clone(),
            in_hand: self.in_hand.clone(),
            let_go: self.let_go.clone(),
            progress: self.progress.clone(),
            workspace,
            bodies: self.bodies.clone(),
            held: self.held.clone(),
            forces: self.forces.clone(),
            distances: self.distances.clone(),
            jaws: self.jaws.clone(),
            grippers: self.grippers.clone(),
            grip_start: self.grip_start.clone(),
            cups: self.cups.clone(),
            taken: self.taken.clone(),
            last_targets: self.last_targets.clone(),
        }
    }

    /// The same, in the workspace and in the memory that are there already.
    fn clone_from(&mut self, source: &Self) {
        let Self {
            model,
            params,
            obstacles,
            dt,
            grasps,
            loads,
            seams,
            in_hand,
            let_go,
            progress,
            workspace,
            bodies,
            held,
            forces,
            distances,
            jaws,
            grippers,
            grip_start,
            cups,
            taken,
            last_targets,
        } = source;
        self.model.clone_from(model);
        // Where it is of another model, it is made again by the next step.
        self.workspace.follow(workspace);
        (self.params, self.dt) = (*params, *dt);
        self.obstacles.clone_from(obstacles);
        self.grasps.clone_from(grasps);
        self.loads.clone_from(loads);
        self.seams.clone_from(seams);
        self.in_hand.clone_from(in_hand);
        self.let_go.clone_from(let_go);
        self.progress.clone_from(progress);
        self.bodies.clone_from(bodies);
        self.held.clone_from(held);
        self.forces.clone_from(forces);
        self.distances.clone_from(distances);
        self.jaws.clone_from(jaws);
        self.grippers.clone_from(grippers);
        self.grip_start.clone_from(grip_start);
        self.cups.clone_from(cups);
        self.taken.clone_from(taken);
        self.last_targets.clone_from(last_targets);
    }
}
