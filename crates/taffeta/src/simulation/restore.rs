//! Saved points of a simulation, and what is refused as one.

use super::{Progress, Simulation};
use crate::step::{StepError, check_state};

/// Steps that a simulation can take: beyond, their number is no longer exact in the time that is computed from it.
const MAX_STEPS: u64 = 1 << 53;

impl Simulation {
    /// Has grasps hold again what was [let go](Self::let_go) of, as before a point to which the simulation goes back.
    pub fn forget_let_go(&mut self) {
        self.let_go.clear();
    }

    /// Goes to a saved point of a simulation that was built alike.
    ///
    /// # Errors
    ///
    /// If what was saved is not of such a simulation, or damaged; then everything is as it was.
    pub fn restore(&mut self, progress: Progress) -> Result<(), StepError> {
        check_state(&self.model, &progress.state)?;
        if progress.steps > MAX_STEPS {
            let what = format!("it was saved after {} steps: more than {MAX_STEPS} cannot be counted", progress.steps);
            return Err(StepError::BadState { what });
        }
        let lists = [
            ("the saved list of grasps", progress.anchors.len(), self.grasps.len()),
            ("the saved list of grippers", progress.slips.len(), self.grippers.len()),
            ("the saved list of suction cups", progress.cups.len(), self.cups.len()),
        ];
        let anchors = self.grasps.iter().zip(&progress.anchors).filter(|(_, anchors)| !anchors.is_empty());
        let anchors = anchors.map(|(grasp, anchors)| ("a saved grasp", anchors.len(), grasp.nodes.len()));
        for (what, found, expected) in lists.into_iter().chain(anchors) {
            if found != expected {
                return Err(StepError::WrongSize { what, found, expected });
            }
        }
        if let Some(grasp) = progress.anchors.iter().position(|anchors| anchors.iter().any(|x| !x.is_finite())) {
            let what = format!("grasp {grasp} began at a place that is not finite: save the run again");
            return Err(StepError::BadState { what });
        }
        let nodes = self.model.node_count();
        if let Some(&(node, _)) = progress.targets.iter().find(|(node, target)| *node >= nodes || !target.is_finite()) {
            let what = format!(
                "it was to hold node {node}, which the cloth of {nodes} nodes does not have, or nowhere: save the run again"
            );
            return Err(StepError::BadState { what });
        }
        if let Some(gripper) = progress.slips.iter().position(|slip| !slip.is_finite()) {
            let what = format!("what gripper {gripper} held has slipped by no finite length: save the run again");
            return Err(StepError::BadState { what });
        }
        let cups = progress.cups.iter().flat_map(|cup| &cup.nodes);
        if let Some(&(node, _)) = cups.into_iter().find(|(node, place)| *node >= nodes || !place.is_finite()) {
            let what = format!(
                "a suction cup was to hold node {node}, which the cloth of {nodes} nodes does not have, or nowhere: save the run again"
            );
            return Err(StepError::BadState { what });
        }
        self.progress = progress;
        Ok(())
    }
}
