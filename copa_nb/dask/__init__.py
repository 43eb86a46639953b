"""The verbs on Dask, for tables that do not fit in one machine's memory: same calls, same answers.

``import copa_nb.dask`` registers ``ddf.moo`` on every dask DataFrame. A front is the front of the partitions' fronts,
and the ranks of the few rows that can win are counted partition by partition and added up, so a decision takes two
passes over the table, no shuffle and no global sort, and is exact.

``partitions.py`` says how Dask makes a pass; what passes do is the same for all engines (:mod:`copa_nb.streams`).
"""

try:
    import dask.dataframe as _dask_dataframe
except ImportError as error:
    raise ImportError("copa_nb.dask needs dask: pip install 'copa_nb[dask]'") from error

from copa_nb.dask import verbs as verbs  # which add themselves to what partitions answer
from copa_nb.dask.accessor import DaskMoo as DaskMoo
from copa_nb.dask.partitions import define as define
from copa_nb.streams.batches import WholeTableNeededError as WholeTableNeededError
from copa_nb.streams.decisions import PartitionedSelection as PartitionedSelection

_dask_dataframe.extensions.register_dataframe_accessor("moo")(DaskMoo)
