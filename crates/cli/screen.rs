//! The terminal as a screen: pictures at a fixed pace, and keys.

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

/// The meaning of a key.
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

/// Draws on the whole terminal or, if the output is not a terminal, prints text.
pub(crate) struct Screen {
    terminal: Option<Terminal>,
    /// The time per step.
    pace: Duration,
    /// When the next step is due.
    due: Instant,
    /// Keys pressed during work that did not stop it.
    pressed: VecDeque<Key>,
    pub(crate) paused: bool,
    /// Whether the policy's plan is shown.
    pub(crate) overlay: bool,
}

/// The minimum and maximum step time that keys can set.
const FASTEST: Duration = Duration::from_millis(1);
const SLOWEST: Duration = Duration::from_secs(5);
/// The interval at which Ctrl-C and the terminal are checked.
const NAP: Duration = Duration::from_millis(50);

/// The keys of commands that show games, as shown in the last line of a picture.
pub(crate) const KEYS: &str = "space pause, +/- speed, o plan, q quit";

/// Parses the number of moves shown per second.
pub(crate) fn frames(text: &str) -> std::result::Result<f64, String> {
    let fps: f64 = text.parse().map_err(|_| "expected a number".to_owned())?;
    if (0.01..=1000.0).contains(&fps) {
        Ok(fps)
    } else {
        Err("expected 0.01 to 1000".to_owned())
    }
}

/// Returns an error if the terminal still exists; one that is going away needs a moment.
fn unless_gone(error: io::Error) -> Result<()> {
    std::thread::sleep(NAP);
    if is_there() {
        Err(error.into())
    } else {
        Ok(())
    }
}

impl Screen {
    /// Creates a screen with this time per step.
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

    /// Returns whether there is a terminal.
    pub(crate) fn is_terminal(&self) -> bool {
        self.terminal.is_some()
    }

    /// Returns the seconds per step.
    pub(crate) fn seconds(&self) -> f64 {
        self.pace.as_secs_f64()
    }

    /// Shows a scene of a position or, without a terminal, its title and the position as text.
    pub(crate) fn show(&mut self, scene: &Scene, position: &impl Display) -> Result<()> {
        match &mut self.terminal {
            Some(terminal) => {
                let drawn = terminal
                    .canvas
                    .draw(|frame| frame.render_widget(scene, frame.area()));
                // The next wait detects that the terminal is gone.
                drawn.map(|_| ()).or_else(unless_gone)?;
            }
            None => print(format_args!("{}\n{}", scene.title, position)),
        }
        Ok(())
    }

    /// Waits until a step is due, longer while paused. Returns early with a key if one was pressed;
    /// then draw and call again.
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
            // Keys come first, even if every step is late.
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

    /// Runs work on a separate thread and returns its result, or `None` if a key stopped it, which
    /// abandons the thread. That key and others pressed meanwhile are returned by the next calls of
    /// [`wait`](Self::wait).
    pub(crate) fn meanwhile<T: Send + 'static>(
        &mut self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<Option<T>> {
        let (sender, done) = mpsc::sync_channel(1);
        // Nobody receives the result after a key stopped the work.
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

    /// Returns the next key pressed within this time. Without a terminal it does not wait.
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
                unless_gone(io::Error::other("the terminal no longer sends keys")).map(|()| None)
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

    /// Returns the meaning of a terminal event.
    fn event(&mut self, event: Event) -> Option<Key> {
        match event {
            Event::Key(key) if key.kind != KeyEventKind::Release => self.key(key),
            Event::Resize(..) => Some(Key::Changed),
            _ => None,
        }
    }

    /// Returns the meaning of a key. Pause, speed and overlay take effect here.
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
            // Dropping it would report the cursor error to a terminal that is gone.
            std::mem::forget(terminal);
        }
    }
}
