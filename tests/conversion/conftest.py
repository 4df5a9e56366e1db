from tests.cli.lent_engines import lender, lent_engines

__all__ = ["lender", "lent_engines"]  # fixtures
