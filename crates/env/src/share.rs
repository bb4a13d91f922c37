//! Work that is shared among threads.

use crate::{Encoder, EnvError};

/// The threads that step environments: this one, and perhaps a pool beside it.
pub(crate) struct Workers {
    /// By thread, by board.
    encoders: Vec<Vec<Encoder>>,
    pool: Option<rayon::ThreadPool>,
}

/// Something that can be worked on in parts.
pub(crate) trait Parts: Sized + Send {
    /// How many pieces there are.
    fn count(&self) -> usize;
    /// The first `n` pieces and the rest.
    fn split(self, n: usize) -> (Self, Self);
}

impl Workers {
    /// This thread alone, with an encoder for each board.
    pub(crate) fn one(encoders: Vec<Encoder>) -> Workers {
        Workers {
            encoders: vec![encoders],
            pool: None,
        }
    }

    /// So many threads.
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

    /// The encoders of this thread.
    pub(crate) fn first(&mut self) -> &mut [Encoder] {
        &mut self.encoders[0]
    }

    /// Does the work in as many parts as there are threads, or in fewer where pieces are few: this
    /// thread takes one of the parts, the pool the others. `grain` pieces are worth a part.
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
            let (mine, others) = self.encoders.split_first_mut().expect("of this thread");
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
