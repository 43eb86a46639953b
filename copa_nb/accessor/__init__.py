"""``df.moo``: a table with its description, and a method for each question."""

from copa_nb.accessor.asked import ByGroup as ByGroup
from copa_nb.accessor.of_frames import VERBS as VERBS
from copa_nb.accessor.of_frames import Moo as Moo
from copa_nb.accessor.of_frames import PandasMoo as PandasMoo
from copa_nb.accessor.of_frames import moo as moo
