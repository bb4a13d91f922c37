//! Work that is shared among threads.

use crate::EnvError;

/// The threads beside this one, if there are any.
pub(crate) fn pool(threads: usize) -> Result<Option<rayon::ThreadPool>, EnvError> {
    match threads {
        0 => Err(EnvError::NoThreads),
        1 => Ok(None),
        _ => {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads - 1)
                .build();
            pool.map(Some).map_err(|error| EnvError::Threads {
                threads,
                reason: error.to_string(),
            })
        }
    }
}

/// Something that can be worked on in parts.
pub(crate) trait Parts: Sized + Send {
    /// How many pieces there are.
    fn count(&self) -> usize;
    /// The first `n` pieces and the rest.
    fn split(self, n: usize) -> (Self, Self);
}

/// Does the work in as many parts as there are workers, or in fewer where pieces are few: this
/// thread takes one of the parts, the pool the others. `grain` pieces are worth a part.
pub(crate) fn share<P: Parts, W: Send>(
    work: P,
    workers: &mut [W],
    pool: Option<&rayon::ThreadPool>,
    grain: usize,
    act: impl Fn(P, &mut W) + Sync,
) {
    let parts = workers.len().min(work.count() / grain);
    let Some(pool) = pool.filter(|_| parts > 1) else {
        return act(work, &mut workers[0]);
    };
    let act = &act;
    pool.in_place_scope(|scope| {
        let mut rest = work;
        let mut workers = workers;
        for parts in (2..=parts).rev() {
            let n = rest.count() / parts;
            let (part, others) = rest.split(n);
            let (worker, other_workers) =
                workers.split_first_mut().expect("a worker for each part");
            (rest, workers) = (others, other_workers);
            scope.spawn(move |_| act(part, worker));
        }
        act(rest, &mut workers[0]);
    });
}
