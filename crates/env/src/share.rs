//! Sharing work among threads.

use crate::{Encoder, EnvError};

/// The threads that step environments: the current one and an optional pool.
pub(crate) struct Workers {
    /// Indexed by thread, then by board.
    encoders: Vec<Vec<Encoder>>,
    pool: Option<rayon::ThreadPool>,
}

/// Work that can be split into pieces.
pub(crate) trait Parts: Sized + Send {
    /// Returns the number of pieces.
    fn count(&self) -> usize;
    /// Splits off the first `n` pieces.
    fn split(self, n: usize) -> (Self, Self);
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
        self.pool = match threads {
            0 => return Err(EnvError::NoThreads),
            1 => None,
            _ => {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads - 1);
                Some(pool.build().map_err(|error| EnvError::Threads {
                    threads,
                    reason: error.to_string(),
                })?)
            }
        };
        let encoders = self.encoders[0].clone();
        self.encoders.resize(threads, encoders);
        Ok(self)
    }

    /// Returns the encoders of the current thread.
    pub(crate) fn first(&mut self) -> &mut [Encoder] {
        &mut self.encoders[0]
    }

    /// Splits the work into one part per thread, or fewer if there are few pieces: a part needs
    /// `grain` pieces. The current thread takes one part, the pool the others.
    pub(crate) fn share<P: Parts>(
        &mut self,
        work: P,
        grain: usize,
        act: impl Fn(P, &mut [Encoder]) + Sync,
    ) {
        let parts = self.encoders.len().min(work.count() / grain);
        let Some(pool) = self.pool.as_ref().filter(|_| parts > 1) else {
            return act(work, &mut self.encoders[0]);
        };
        let act = &act;
        pool.in_place_scope(|scope| {
            let mut rest = work;
            let (mine, others) = self.encoders.split_first_mut().expect("own encoders");
            for (parts, encoders) in (2..=parts).rev().zip(others) {
                let n = rest.count() / parts;
                let (part, others) = rest.split(n);
                rest = others;
                scope.spawn(move |_| act(part, encoders));
            }
            act(rest, mine);
        });
    }
}
