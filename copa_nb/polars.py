"""The verbs on polars: ``import copa_nb.polars`` registers ``frame.moo`` on every DataFrame and LazyFrame.

:func:`copa_nb.moo` takes polars frames without it.
"""

from copa_nb.accessor import Moo

try:
    import polars as _polars
except ImportError as error:
    raise ImportError("copa_nb.polars needs polars: pip install 'copa_nb[polars]'") from error

_polars.api.register_dataframe_namespace("moo")(Moo)
# The query is read in pieces, and verbs that need all rows at once say so.
_polars.api.register_lazyframe_namespace("moo")(Moo)
