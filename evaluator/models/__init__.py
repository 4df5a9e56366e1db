"""Model clients: requests to any OpenAI-compatible endpoint, the client's own retries, tokens, transcripts."""

from evaluator.models.client import Completion, Message, ModelCall, ModelClient, request_digest
from evaluator.models.errors import ContextLengthError
from evaluator.models.settings import ModelSettings, configured_model

__all__ = [
    "Completion",
    "ContextLengthError",
    "Message",
    "ModelCall",
    "ModelClient",
    "ModelSettings",
    "configured_model",
    "request_digest",
]
