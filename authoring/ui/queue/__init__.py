"""The Queue page: problemsets as rows, filters, work on several at once, and who works on what."""
