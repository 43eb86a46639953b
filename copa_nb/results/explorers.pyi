# Written by `make generate`; do not edit.
from ..control_panel.panel import Panel as Panel
from ..explorers.choice import ChoiceExplorer as ChoiceExplorer
from ..explorers.elicitation import ElicitationExplorer as ElicitationExplorer
from ..explorers.gap import GapExplorer as GapExplorer
from ..explorers.posets import PosetExplorer as PosetExplorer
from ..explorers.significance import HypervolumeTestExplorer as HypervolumeTestExplorer
from ..streams.scan import Scan as Scan
