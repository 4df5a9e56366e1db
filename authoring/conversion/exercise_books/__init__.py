"""Exercise notebooks, questions in Markdown or comments and answers in code, become problemsets by rule."""

from authoring.conversion.exercise_books.exercises import problemset_from_exercises

__all__ = ["problemset_from_exercises"]
