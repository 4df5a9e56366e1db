"""An agent for Benchwright: answers questions about the newest table from what it sees of it."""

from benchwright_agent import serve


def solve(request, tools):
    """Return the code that answers the query."""
    tables = [each["name"] for each in request["variables"] if each["type"] == "DataFrame"]
    if not tables:
        return {"status": "gave_up", "text": "there is no table"}
    table, query = tables[-1], request["query"].lower()
    seen = tools.execute(f"print('\\n'.join(map(str, {table}.columns)))")  # on a scratch copy: never judged
    columns = seen["text"].splitlines() if seen["status"] == "ok" else []
    named = [column for column in columns if column.lower() in query]
    if not named:
        return f"len({table})"
    words = {"average": "mean", "mean": "mean", "total": "sum", "largest": "max", "how many": "nunique"}
    method = next((method for word, method in words.items() if word in query), None)
    return f"{table}[{named[0]!r}]" + (f".{method}()" if method else "")


if __name__ == "__main__":
    serve(solve, name="my-agent", version="1")
