//! Sharing work among threads.

use crate::{Encoder, EnvError};
use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};

/// The maximum number of threads.
const MOST_THREADS: usize = 256;

/// The threads that step environments: the current one and an optional pool.
pub(crate) struct Workers {
    /// Indexed by thread, then by board.
    encoders: Vec<Vec<Encoder>>,
    pool: Option<Pool>,
}

struct Pool {
    threads: ThreadPool,
    /// The process in which they started. They don't survive a fork.
    process: u32,
}

/// Work that can be split into pieces.
pub(crate) trait Parts: Sized + Send {
    /// Returns the number of pieces.
    fn count(&self) -> usize;
    /// Splits off the first `n` pieces.
    fn split_off(&mut self, n: usize) -> Self;
}

impl Workers {
    /// Creates workers with the current thread only, with an encoder for each board.
    pub(crate) fn one(encoders: Vec<Encoder>) -> Workers {
        Workers {
            encoders: vec![encoders],
            pool: None,
        }
    }

    /// Sets the number of threads.
    pub(crate) fn with_threads(mut self, threads: usize) -> Result<Workers, EnvError> {
        if !(1..=MOST_THREADS).contains(&threads) {
            return Err(EnvError::ThreadCount {
                most: MOST_THREADS,
                got: threads,
            });
        }
        self.abandon_lost_threads();
        self.pool = match threads {
            1 => None,
            _ => Some(start(threads - 1).map_err(|error| EnvError::Threads {
                threads,
                reason: error.to_string(),
            })?),
        };
        let encoders = self.encoders[0].clone();
        self.encoders.resize(threads, encoders);
        Ok(self)
    }

    /// Replaces the encoders.
    pub(crate) fn encode_with(&mut self, encoders: &[Encoder]) {
        let threads = self.encoders.len();
        self.encoders = vec![encoders.to_vec(); threads];
    }

    /// Returns the encoders of the current thread.
    pub(crate) fn first(&mut self) -> &mut [Encoder] {
        &mut self.encoders[0]
    }

    /// Splits the work into one part per thread, or fewer if there are few pieces: a part needs
    /// `grain` pieces. The current thread takes one part, the pool the others.
    pub(crate) fn share<P: Parts>(
        &mut self,
        mut work: P,
        grain: usize,
        act: impl Fn(P, &mut [Encoder]) + Sync,
    ) {
        let parts = self.encoders.len().min(work.count() / grain);
        if parts > 1 && self.abandon_lost_threads() {
            // Without threads, the current one does all the work.
            self.pool = start(self.encoders.len() - 1).ok();
        }
        let Some(Pool { threads, .. }) = self.pool.as_ref().filter(|_| parts > 1) else {
            return act(work, &mut self.encoders[0]);
        };
        let act = &act;
        threads.in_place_scope(|scope| {
            let (mine, others) = self.encoders.split_first_mut().expect("own encoders");
            for (parts, encoders) in (2..=parts).rev().zip(others) {
                let part = work.split_off(work.count() / parts);
                scope.spawn(move |_| act(part, encoders));
            }
            act(work, mine);
        });
    }

    /// Forgets a pool whose threads did not survive a fork: they would never answer. Returns whether
    /// there was one.
    fn abandon_lost_threads(&mut self) -> bool {
        // WebAssembly has no processes, and no pools.
        let lost = self.pool.take_if(|pool| pool.process != std::process::id());
        let any = lost.is_some();
        std::mem::forget(lost);
        any
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        self.abandon_lost_threads();
    }
}

fn start(threads: usize) -> Result<Pool, ThreadPoolBuildError> {
    Ok(Pool {
        threads: ThreadPoolBuilder::new().num_threads(threads).build()?,
        process: std::process::id(),
    })
}
