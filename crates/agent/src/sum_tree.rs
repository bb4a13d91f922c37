//! Priorities to sample by, with their sums.

/// Priorities with their sums. Every inner node is the sum of its two children, so that the tree
/// follows from its leaves alone.
#[derive(Clone, Debug)]
pub(crate) struct SumTree {
    /// A complete binary tree: node i has the children 2i and 2i + 1; the leaves are the second
    /// half.
    nodes: Vec<f64>,
    /// The highest priority ever set, which new transitions get.
    pub(crate) highest: f64,
}

impl SumTree {
    pub(crate) fn new(capacity: usize) -> SumTree {
        SumTree {
            nodes: vec![0.0; 2 * capacity.next_power_of_two()],
            highest: 1.0,
        }
    }

    pub(crate) fn total(&self) -> f64 {
        self.nodes[1]
    }

    pub(crate) fn get(&self, slot: usize) -> f64 {
        self.nodes[self.nodes.len() / 2 + slot]
    }

    pub(crate) fn set(&mut self, slot: usize, priority: f64) {
        let mut node = self.nodes.len() / 2 + slot;
        self.nodes[node] = priority;
        self.highest = self.highest.max(priority);
        while node > 1 {
            node /= 2;
            self.nodes[node] = self.nodes[2 * node] + self.nodes[2 * node + 1];
        }
    }

    /// The slot in whose stretch of the total `sum` falls.
    pub(crate) fn find(&self, mut sum: f64) -> usize {
        let mut node = 1;
        while node < self.nodes.len() / 2 {
            node *= 2;
            // Rounding must not lead into an empty stretch.
            if sum >= self.nodes[node] && self.nodes[node + 1] > 0.0 {
                sum -= self.nodes[node];
                node += 1;
            }
        }
        node - self.nodes.len() / 2
    }
}
