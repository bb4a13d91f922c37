"""A window that shows one environment, for ``render_mode="human"``. It needs pygame."""

import os

import numpy as np
from gymnasium.error import DependencyNotInstalled
from numpy.typing import NDArray

try:
    import pygame
except ImportError as error:
    raise DependencyNotInstalled("render_mode='human' needs pygame: pip install 'hognose[human]'") from error


class Window:
    """A window that shows pictures at a given rate."""

    def __init__(self, title: str) -> None:
        """Prepares the window, which opens with the first picture.

        Raises:
            RuntimeError: There is no display.
        """
        try:
            pygame.display.init()
            driver = pygame.display.get_driver()
        except pygame.error:
            driver = "offscreen"
        # Without a display SDL draws into memory, where nobody sees it.
        if driver in ("dummy", "offscreen") and os.environ.get("SDL_VIDEODRIVER") != driver:
            pygame.display.quit()
            raise RuntimeError(
                "render_mode='human' needs a display, and there is none: use render_mode='rgb_array', or set "
                "SDL_VIDEODRIVER=dummy to draw into memory"
            )
        pygame.display.set_caption(title)
        self._screen: pygame.Surface | None = None
        self._closed = False
        self._clock = pygame.time.Clock()

    def show(self, picture: NDArray[np.uint8], fps: float) -> bool:
        """Shows a picture in a window of the same size, and waits until the next one is due.

        Returns:
            Whether the window is still open: the user may have closed it.
        """
        size = (picture.shape[1], picture.shape[0])
        if self._screen is None or self._screen.get_size() != size:
            self._screen = pygame.display.set_mode(size)
        pygame.surfarray.blit_array(self._screen, picture.transpose(1, 0, 2))
        pygame.display.flip()
        wanted = not pygame.event.get(pygame.QUIT)
        pygame.event.clear()
        self._clock.tick(fps)
        return wanted

    def close(self) -> None:
        """Closes the window. Closing it twice does nothing."""
        if not self._closed:
            self._closed, self._screen = True, None
            pygame.display.quit()
