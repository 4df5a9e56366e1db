"""A model changes chosen problems of a problemset and no others."""
