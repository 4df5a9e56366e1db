"""The Queue page: problemsets as rows, filters, and who works on what."""
