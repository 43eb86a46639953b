"""The verbs on Dask, for tables that do not fit in one machine's memory: same calls, same answers.

``import copa_nb.dask`` registers ``ddf.moo`` on every dask DataFrame. A front is the front of the partitions' fronts,
and the ranks of the few rows that can win are counted partition by partition and added up, so a decision takes two
passes over the table, no shuffle and no global sort, and is exact.

``table.py`` checks what is asked before anything is read, ``passes.py`` gathers and counts, and the pandas verbs' own
functions conclude in ``fronts.py``, ``decisions.py`` (COPA) and ``runs.py`` (the hypervolume test and audits).
"""

try:
    import dask.dataframe as _dask_dataframe
except ImportError as error:
    raise ImportError("copa_nb.dask needs dask: pip install 'copa_nb[dask]'") from error

from copa_nb.dask.accessor import DaskMoo as DaskMoo
from copa_nb.dask.decisions import PartitionedSelection as PartitionedSelection
from copa_nb.dask.decisions import compare as compare
from copa_nb.dask.decisions import copa as copa
from copa_nb.dask.decisions import navigate as navigate
from copa_nb.dask.fronts import front as front
from copa_nb.dask.fronts import hypervolume as hypervolume
from copa_nb.dask.runs import audit as audit
from copa_nb.dask.runs import hv_test as hv_test
from copa_nb.dask.table import WholeTableNeededError as WholeTableNeededError
from copa_nb.dask.table import define as define

_dask_dataframe.extensions.register_dataframe_accessor("moo")(DaskMoo)
