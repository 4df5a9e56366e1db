"""Tests of the agent: run them with `python test_agent.py`, or with pytest."""

from agent import solve

REQUEST = {
    "query": "What is the average price?",
    "variables": [{"name": "houses", "type": "DataFrame", "text": "3 x 2: price, rooms"}],
}


class Tools:
    """Stands for Benchwright: shows the same for every code."""

    def execute(self, code, scope="scratch", timeout_s=None):
        """Show the columns."""
        return {"status": "ok", "text": "price\nrooms\n"}


def test_the_column_that_is_named_is_averaged():
    """A word of the query is a column, another the function."""
    assert solve(REQUEST, Tools()) == "houses['price'].mean()"


def test_without_a_table_it_gives_up():
    """There is nothing to ask about."""
    assert solve({**REQUEST, "variables": []}, Tools())["status"] == "gave_up"


if __name__ == "__main__":
    test_the_column_that_is_named_is_averaged()
    test_without_a_table_it_gives_up()
    print("2 tests passed")
