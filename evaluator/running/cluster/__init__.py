"""Runs over a Dask cluster: workers are checked and get data and problemsets, the client alone keeps records."""
