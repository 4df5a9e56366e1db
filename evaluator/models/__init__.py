"""Model clients: requests to OpenAI-compatible endpoints, Anthropic and Google, retries, tokens, cost, transcripts."""

from evaluator.models.budget import Budget, BudgetLimits, BudgetSpentError, Price, Spent, price_of
from evaluator.models.client import ModelClient
from evaluator.models.exchange import (
    AnswerSchema,
    Completion,
    ContextLengthError,
    Message,
    ModelCall,
    ModelRequest,
    ToolCall,
    ToolSchema,
    request_digest,
)
from evaluator.models.model_settings import ModelSettings, configured_model

__all__ = [
    "AnswerSchema",
    "Budget",
    "BudgetLimits",
    "BudgetSpentError",
    "Completion",
    "ContextLengthError",
    "Message",
    "ModelCall",
    "ModelClient",
    "ModelRequest",
    "ModelSettings",
    "Price",
    "Spent",
    "ToolCall",
    "ToolSchema",
    "configured_model",
    "price_of",
    "request_digest",
]
