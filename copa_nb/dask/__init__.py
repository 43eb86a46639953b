"""The verbs on Dask, for tables that do not fit in one machine's memory: same calls, same answers.

``import copa_nb.dask`` registers ``ddf.moo`` on every dask DataFrame. A front is the front of the
partitions' fronts, and the ranks of the few rows that can win are counted partition by partition and
added up, so a decision takes two passes over the table, no shuffle and no global sort, and is exact.
"""

try:
    import dask.dataframe as _dask_dataframe
except ImportError as error:
    raise ImportError("copa_nb.dask needs dask: pip install 'copa_nb[dask]'") from error

from copa_nb.dask.accessor import DaskMoo as DaskMoo
from copa_nb.dask.accessor import WholeTableNeededError as WholeTableNeededError
from copa_nb.dask.comparison import compare as compare
from copa_nb.dask.directions import define as define
from copa_nb.dask.front import front as front
from copa_nb.dask.navigation import navigate as navigate
from copa_nb.dask.selection import PartitionedSelection as PartitionedSelection
from copa_nb.dask.selection import copa as copa
from copa_nb.dask.significance import audit as audit
from copa_nb.dask.significance import hv_test as hv_test
from copa_nb.dask.volume import hypervolume as hypervolume

_dask_dataframe.extensions.register_dataframe_accessor("moo")(DaskMoo)
