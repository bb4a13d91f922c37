"""A window that shows one environment, for ``render_mode="human"``. It needs pygame."""

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
        """Prepares the window, which opens with the first picture."""
        self._title = title
        self._screen: pygame.Surface | None = None
        self._clock = pygame.time.Clock()

    def show(self, picture: NDArray[np.uint8], fps: float) -> bool:
        """Shows a picture in a window of the same size, and waits until the next one is due.

        Returns:
            Whether the window is still open: the user may have closed it.
        """
        if self._screen is None:
            pygame.display.init()
            pygame.display.set_caption(self._title)
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
        if self._screen is not None:
            self._screen = None
            pygame.display.quit()
