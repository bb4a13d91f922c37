//! The terminal as a screen: pictures at a pace, and keys.

use crate::error::Result;
use crate::{interrupt, print};
use hognose_game::Direction;
use hognose_viewer::Scene;
use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use std::io::IsTerminal;
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
    /// Ctrl-C.
    Interrupt,
}

/// Draws over a whole terminal; where the output is none, prints text.
pub(crate) struct Screen {
    terminal: Option<DefaultTerminal>,
    /// The time of a step.
    pace: Duration,
    /// When the next step is due.
    due: Instant,
    pub(crate) paused: bool,
    /// Whether what the policy has in mind is shown.
    pub(crate) overlay: bool,
}

/// The fastest and the slowest step that keys can set.
const FASTEST: Duration = Duration::from_millis(1);
const SLOWEST: Duration = Duration::from_secs(5);
/// How often Ctrl-C is looked for.
const NAP: Duration = Duration::from_millis(50);

impl Screen {
    /// A screen with a step of this time.
    pub(crate) fn new(pace: Duration) -> Screen {
        let terminal = std::io::stdout().is_terminal().then(ratatui::init);
        Screen { terminal, pace, due: Instant::now() + pace, paused: false, overlay: true }
    }

    /// Whether there is a terminal.
    pub(crate) fn is_terminal(&self) -> bool {
        self.terminal.is_some()
    }

    /// Seconds a step.
    pub(crate) fn seconds(&self) -> f64 {
        self.pace.as_secs_f64()
    }

    pub(crate) fn show(&mut self, scene: &Scene<'_>) -> Result<()> {
        match &mut self.terminal {
            Some(terminal) => _ = terminal.draw(|frame| frame.render_widget(scene, frame.area()))?,
            None => print(format_args!("{}\n{}", scene.title, scene.position)),
        }
        Ok(())
    }

    /// Waits until a step is due, longer while paused. A key comes back first: then draw and call again.
    pub(crate) fn wait(&mut self) -> Result<Option<Key>> {
        if interrupt::asked() {
            return Ok(Some(Key::Interrupt));
        }
        if self.terminal.is_none() {
            return Ok(None);
        }
        loop {
            let left = if self.paused { NAP } else { self.due.saturating_duration_since(Instant::now()) };
            if event::poll(left.min(NAP))? {
                match event::read()? {
                    Event::Key(key) if key.kind != KeyEventKind::Release => {
                        if let Some(key) = self.key(key) {
                            return Ok(Some(key));
                        }
                    }
                    _ => {}
                }
            }
            if interrupt::asked() {
                return Ok(Some(Key::Interrupt));
            }
            if !self.paused && Instant::now() >= self.due {
                self.due = Instant::now() + self.pace;
                return Ok(None);
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

    fn key(&mut self, key: KeyEvent) -> Option<Key> {
        match key.code {
            KeyCode::Char('c') if key.modifiers.contains(KeyModifiers::CONTROL) => Some(Key::Interrupt),
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
        if self.terminal.is_some() {
            ratatui::restore();
        }
    }
}
