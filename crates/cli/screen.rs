//! The terminal as a screen: pictures at a pace, and keys.

use crate::error::{Error, Result};
use crate::interrupt;
use crate::output::print;
use crate::terminal::{self, Terminal, is_there};
use hognose_game::Direction;
use hognose_viewer::Scene;
use ratatui::crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use std::collections::VecDeque;
use std::fmt::Display;
use std::io;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

/// What a key asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Key {
    Turn(Direction),
    Record,
    New,
    /// Pause, speed or overlay changed: draw again.
    Changed,
    Quit,
    /// Ctrl-C, or the terminal is gone.
    Interrupt,
}

/// Draws over a whole terminal; where the output is none, prints text.
pub(crate) struct Screen {
    terminal: Option<Terminal>,
    /// The time of a step.
    pace: Duration,
    /// When the next step is due.
    due: Instant,
    /// Keys that were pressed during work, which did not stop it.
    pressed: VecDeque<Key>,
    pub(crate) paused: bool,
    /// Whether what the policy has in mind is shown.
    pub(crate) overlay: bool,
}

/// The fastest and the slowest step that keys can set.
const FASTEST: Duration = Duration::from_millis(1);
const SLOWEST: Duration = Duration::from_secs(5);
/// How often it is looked for Ctrl-C and whether the terminal is still there.
const NAP: Duration = Duration::from_millis(50);

/// The keys of commands that show games, as the last line of a picture tells them.
pub(crate) const KEYS: &str = "space pause, +/- speed, o what it has in mind, q quit";

/// Reads how many moves are shown each second.
pub(crate) fn frames(text: &str) -> std::result::Result<f64, String> {
    let fps: f64 = text.parse().map_err(|_| "expected a number".to_owned())?;
    if (0.01..=1000.0).contains(&fps) {
        Ok(fps)
    } else {
        Err("expected 0.01 to 1000".to_owned())
    }
}

/// An error of a terminal that is still there; one that is going away needs a moment.
fn unless_gone(error: io::Error) -> Result<()> {
    std::thread::sleep(NAP);
    if is_there() {
        Err(error.into())
    } else {
        Ok(())
    }
}

impl Screen {
    /// A screen with a step of this time.
    pub(crate) fn new(pace: Duration) -> Result<Screen> {
        let terminal = is_there().then(Terminal::take_over).transpose()?;
        Ok(Screen {
            terminal,
            pace,
            due: Instant::now() + pace,
            pressed: VecDeque::new(),
            paused: false,
            overlay: true,
        })
    }

    /// Whether there is a terminal.
    pub(crate) fn is_terminal(&self) -> bool {
        self.terminal.is_some()
    }

    /// Seconds a step.
    pub(crate) fn seconds(&self) -> f64 {
        self.pace.as_secs_f64()
    }

    /// Shows a scene of a position; without a terminal, its title and the position as text.
    pub(crate) fn show(&mut self, scene: &Scene, position: &impl Display) -> Result<()> {
        match &mut self.terminal {
            Some(terminal) => {
                let drawn = terminal
                    .canvas
                    .draw(|frame| frame.render_widget(scene, frame.area()));
                // Waiting finds out that the terminal is gone.
                drawn.map(|_| ()).or_else(unless_gone)?;
            }
            None => print(format_args!("{}\n{}", scene.title, position)),
        }
        Ok(())
    }

    /// Waits until a step is due, longer while paused. A key comes back first: then draw and call
    /// again.
    pub(crate) fn wait(&mut self) -> Result<Option<Key>> {
        if let Some(key) = self.pressed.pop_front() {
            return Ok(Some(key));
        }
        loop {
            let left = if self.paused {
                NAP
            } else {
                self.due.saturating_duration_since(Instant::now())
            };
            // Keys come first, even where every step is late.
            let key = self.key_within(left.min(NAP))?;
            if key.is_some() || self.terminal.is_none() {
                return Ok(key);
            }
            if left.is_zero() {
                self.due = Instant::now() + self.pace;
                return Ok(None);
            }
        }
    }

    /// Lets work be done on a thread of its own, and returns what came of it. `None`: a key asked
    /// to stop, and the thread is left behind. That key, and others that were pressed, come back
    /// from the next calls of [`wait`](Self::wait).
    pub(crate) fn meanwhile<T: Send + 'static>(
        &mut self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<Option<T>> {
        let (sender, done) = mpsc::sync_channel(1);
        // Nobody waits for it any more once a key asked to stop.
        thread::Builder::new().spawn(move || drop(sender.send(work())))?;
        loop {
            match done.recv_timeout(NAP) {
                Ok(done) => return Ok(Some(done)),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(Error::new("a player panicked")),
            }
            while let Some(key) = self.key_within(Duration::ZERO)? {
                if matches!(key, Key::Quit | Key::Interrupt) {
                    self.pressed.push_front(key);
                    return Ok(None);
                }
                self.pressed.push_back(key);
            }
        }
    }

    /// The next key, if one is pressed within this time. Without a terminal it does not wait.
    fn key_within(&mut self, time: Duration) -> Result<Option<Key>> {
        if interrupt::asked() {
            return Ok(Some(Key::Interrupt));
        }
        let Some(terminal) = &self.terminal else {
            return Ok(None);
        };
        if !is_there() {
            interrupt::ask();
            return Ok(Some(Key::Interrupt));
        }
        match terminal.events.recv_timeout(time) {
            Ok(Ok(event)) => Ok(self.event(event)),
            Ok(Err(error)) => unless_gone(error).map(|()| None),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => {
                unless_gone(io::Error::other("the terminal sends no keys any more")).map(|()| None)
            }
        }
    }

    /// Waits for a key, as long as it takes.
    pub(crate) fn wait_for_key(&mut self) -> Result<Key> {
        let paused = std::mem::replace(&mut self.paused, true);
        loop {
            let key = self.wait()?;
            if let Some(key) = key {
                self.paused = paused;
                return Ok(key);
            }
        }
    }

    /// What an event of the terminal asks for.
    fn event(&mut self, event: Event) -> Option<Key> {
        match event {
            Event::Key(key) if key.kind != KeyEventKind::Release => self.key(key),
            Event::Resize(..) => Some(Key::Changed),
            _ => None,
        }
    }

    /// What a key asks for. Pause, speed and overlay are the screen's own and take effect here.
    fn key(&mut self, key: KeyEvent) -> Option<Key> {
        match key.code {
            KeyCode::Char('c') if key.modifiers.contains(KeyModifiers::CONTROL) => {
                Some(Key::Interrupt)
            }
            KeyCode::Up | KeyCode::Char('w') => Some(Key::Turn(Direction::Up)),
            KeyCode::Right | KeyCode::Char('d') => Some(Key::Turn(Direction::Right)),
            KeyCode::Down | KeyCode::Char('s') => Some(Key::Turn(Direction::Down)),
            KeyCode::Left | KeyCode::Char('a') => Some(Key::Turn(Direction::Left)),
            KeyCode::Char('q') | KeyCode::Esc => Some(Key::Quit),
            KeyCode::Char('r') => Some(Key::Record),
            KeyCode::Char('n') => Some(Key::New),
            own => {
                match own {
                    KeyCode::Char(' ' | 'p') => self.paused = !self.paused,
                    KeyCode::Char('+' | '=') => self.pace = (self.pace * 4 / 5).max(FASTEST),
                    KeyCode::Char('-') => self.pace = (self.pace * 5 / 4).min(SLOWEST),
                    KeyCode::Char('o') => self.overlay = !self.overlay,
                    _ => return None,
                }
                Some(Key::Changed)
            }
        }
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        let Some(mut terminal) = self.terminal.take() else {
            return;
        };
        let shown = terminal.canvas.show_cursor();
        terminal::restore();
        if shown.is_err() {
            // Dropping it would complain about the cursor to a terminal that is gone.
            std::mem::forget(terminal);
        }
    }
}
