"""Widgets for the notebooks: the only wing that imports ipywidgets.

```
markup.py   HTML in which whatever a person or a model wrote is text
draft.py    a template in three parts, and the ones of one's own
trial.py    one question through one template; what goes wrong, as a sentence
compare.py  what differs between two prompts and between two outcomes
task.py     run and stop, beside the kernel's main thread
editor.py   one template being edited
side.py     a template, what came of it, and the prompt it makes
grid.py     cases × variants: run, choose, count, export
board.py    the eight situations of the matrix
layers.py   one reply through part of the code layer
funnel.py   from all tools to the mounted ones
```

Then one file a widget. What a widget does is a plain function above it in this list
or at the head of its file, and that is what the tests call.
"""

from __future__ import annotations

from .case_grid import CaseGrid
from .layer_switches import LayerSwitches
from .matrix_board import MatrixBoard
from .mount_slider import MountSlider
from .prompt_lab import PromptLab

__all__ = ["CaseGrid", "LayerSwitches", "MatrixBoard", "MountSlider", "PromptLab"]
