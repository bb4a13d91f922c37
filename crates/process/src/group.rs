//! A program and all processes that it starts: they end together, and when our process ends for any
//! reason.

pub(crate) use system::Group;

/// A process group, led by a shell that watches us. When we close the shell's input, or the system
/// closes it because our process has ended, the shell kills the group. No signal, panic or crash of
/// our process leaves a program running.
#[cfg(unix)]
mod system {
    use rustix::process::{Pid, Signal, kill_process_group};
    use std::io;
    use std::os::unix::process::CommandExt;
    use std::process::{Child, Command, Stdio};

    /// Waits until its input is closed, then kills its process group, including itself. If a
    /// program reads the terminal, the system stops its whole group; this shell must ignore that.
    const WATCH: &str = "trap '' HUP INT TERM TSTP TTIN TTOU; read _; kill -KILL 0";

    pub(crate) struct Group {
        watcher: Child,
    }

    impl Group {
        /// Starts a program in its own group.
        pub(crate) fn start(command: &mut Command) -> io::Result<(Group, Child)> {
            let mut watcher = Command::new("/bin/sh");
            watcher
                .args(["-c", WATCH])
                .stdin(Stdio::piped())
                .stdout(Stdio::null())
                .stderr(Stdio::null());
            let mut group = Group {
                watcher: watcher.process_group(0).spawn()?,
            };
            let leader = i32::try_from(group.watcher.id()).map_err(io::Error::other)?;
            match command.process_group(leader).spawn() {
                Ok(child) => Ok((group, child)),
                Err(error) => {
                    group.kill();
                    Err(error)
                }
            }
        }

        /// Kills all programs in the group.
        pub(crate) fn kill(&mut self) {
            // This can't fail: the watcher is our child, leads the group, and has not been waited
            // for.
            let leader = i32::try_from(self.watcher.id())
                .ok()
                .and_then(Pid::from_raw);
            let _ = leader.map(|leader| kill_process_group(leader, Signal::KILL));
            let _ = self.watcher.wait();
        }
    }
}

/// A job object: the system ends its programs when its last handle is closed, by us or because our
/// process has ended.
#[cfg(windows)]
mod system {
    use std::io;
    use std::os::windows::io::AsRawHandle;
    use std::process::{Child, Command};
    use win32job::{ExtendedLimitInfo, Job};

    pub(crate) struct Group {
        job: Option<Job>,
    }

    impl Group {
        /// Starts a program in its own job.
        pub(crate) fn start(command: &mut Command) -> io::Result<(Group, Child)> {
            let mut limits = ExtendedLimitInfo::new();
            limits.limit_kill_on_job_close();
            let job = Job::create_with_limit_info(&limits).map_err(io::Error::other)?;
            let mut child = command.spawn()?;
            if let Err(error) = job.assign_process(child.as_raw_handle() as isize) {
                child.kill()?;
                return Err(io::Error::other(error));
            }
            Ok((Group { job: Some(job) }, child))
        }

        /// Kills all programs in the job.
        pub(crate) fn kill(&mut self) {
            drop(self.job.take());
        }
    }
}

/// Unsupported: web pages start no programs.
#[cfg(not(any(unix, windows)))]
mod system {
    use std::io;
    use std::process::{Child, Command};

    pub(crate) struct Group;

    impl Group {
        /// Always fails.
        pub(crate) fn start(_command: &mut Command) -> io::Result<(Group, Child)> {
            Err(io::ErrorKind::Unsupported.into())
        }

        /// Does nothing: no group was started.
        pub(crate) fn kill(&mut self) {}
    }
}
