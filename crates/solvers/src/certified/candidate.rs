//! Plans that a search finds.

use super::certificate::Certificate;
use super::problem::Problem;

/// A path to the food, with the body after it, its certificate, and its cost.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    /// From the cell after the head to the food.
    pub(crate) path: Vec<u16>,
    /// The body after it, from tail to head.
    pub(crate) after: Vec<u16>,
    /// A certificate that holds the body after it, unless the body fills the board.
    pub(crate) certificate: Certificate,
    /// The steps of the path, plus the estimated later cost of the body after it.
    pub(crate) cost: f64,
}

impl Candidate {
    /// Returns memory for a candidate on a certificate's board.
    pub(crate) fn new(certificate: Certificate) -> Candidate {
        Candidate {
            path: Vec::new(),
            after: Vec::new(),
            certificate,
            cost: f64::INFINITY,
        }
    }

    /// Writes the body after the path.
    pub(crate) fn eat(&mut self, problem: &Problem) {
        let length = problem.body.len() + 1;
        let steps = self.path.len();
        self.after.clear();
        self.after
            .extend_from_slice(&problem.body[(steps - 1).min(length - 1)..]);
        self.after
            .extend_from_slice(&self.path[steps.saturating_sub(length)..]);
    }

    /// Returns the cost beyond the steps, in thousandths of a step.
    pub(crate) fn outlook(&self) -> u32 {
        ((self.cost - self.path.len() as f64) * 1e3).round() as u32
    }
}

/// The best candidate that a search has found so far, and others that cost little more.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub(crate) best: Candidate,
    /// How much more other candidates may cost to be kept; 0 keeps none.
    margin: f64,
    /// The kept candidates, including the best one; each ends in a different body.
    kept: Vec<Candidate>,
}

impl Found {
    /// Returns memory for the candidates of a search on a certificate's board.
    pub(crate) fn new(certificate: Certificate) -> Found {
        Found {
            best: Candidate::new(certificate),
            margin: 0.0,
            kept: Vec::new(),
        }
    }

    /// Starts over with a first candidate.
    pub(crate) fn begin(&mut self, first: &mut Candidate, margin: f64) {
        std::mem::swap(&mut self.best, first);
        self.margin = margin;
        self.kept.clear();
        if self.margin > 0.0 {
            self.kept.push(self.best.clone());
        }
    }

    /// Returns whether candidates other than the best one cost little more.
    pub(crate) fn keeps_several(&self) -> bool {
        self.kept
            .iter()
            .filter(|kept| kept.cost <= self.limit())
            .nth(1)
            .is_some()
    }

    pub(crate) fn limit(&self) -> f64 {
        self.best.cost + self.margin
    }

    /// Keeps a candidate, unless a kept one that ends in the same body costs no more.
    pub(crate) fn keep(&mut self, candidate: &Candidate) {
        if self.margin == 0.0 {
            return;
        }
        match self
            .kept
            .iter_mut()
            .find(|kept| kept.after == candidate.after)
        {
            Some(kept) if kept.cost <= candidate.cost => {}
            Some(kept) => kept.clone_from(candidate),
            None => self.kept.push(candidate.clone()),
        }
    }

    /// Keeps these candidates instead, at least one, with another margin.
    pub(crate) fn replace(&mut self, mut kept: Vec<Candidate>, margin: f64) {
        kept.sort_by(|a, b| a.cost.total_cmp(&b.cost));
        self.best.clone_from(&kept[0]);
        (self.kept, self.margin) = (kept, margin);
    }

    /// Takes the candidates that cost little more than the best one, the best first.
    pub(crate) fn take_kept(&mut self) -> Vec<Candidate> {
        let mut kept = std::mem::take(&mut self.kept);
        kept.sort_by(|a, b| a.cost.total_cmp(&b.cost));
        let best = kept.first().map_or(0.0, |first| first.cost);
        kept.retain(|candidate| candidate.cost <= best + self.margin);
        kept
    }
}
