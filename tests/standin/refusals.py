"""The errors of each server, in its own words and shape."""

from __future__ import annotations

from tests.standin.messages import Answer
from tests.standin.options import Flavour

GEMINI_STATUS = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    500: "INTERNAL",
    503: "UNAVAILABLE",
}
_TYPES = {400: "invalid_request_error", 401: "invalid_request_error", 404: "invalid_request_error", 429: "requests"}
_VLLM_TYPES = {400: "BadRequestError", 401: "Unauthorized", 404: "NotFoundError", 429: "RateLimitError"}
_LLAMACPP_TYPES = {400: "invalid_request_error", 401: "authentication_error", 503: "unavailable_error"}


def error(flavour: Flavour, status: int, message: str, code: str | None = None) -> Answer:
    """Return an error as a server of this flavour shapes it."""
    match flavour:
        case "gemini":
            document: object = {
                "error": {"code": status, "message": message, "status": GEMINI_STATUS.get(status, "UNKNOWN")}
            }
        case "voyage":
            document = {"detail": message}
        case "tei":
            kind = {413: "Validation", 429: "overloaded", 503: "unhealthy"}.get(status, "Backend")
            document = {"message": message, "code": status, "type": kind}
        case "vllm":
            kind = _VLLM_TYPES.get(status, "InternalServerError")
            document = {"error": {"message": message, "type": kind, "param": None, "code": status}}
        case "llamacpp":
            kind = _LLAMACPP_TYPES.get(status, "server_error")
            document = {"error": {"code": status, "message": message, "type": kind}}
        case "ollama":
            kind = {400: "invalid_request_error", 404: "not_found_error"}.get(status, "api_error")
            document = {"error": {"message": message, "type": kind, "param": None, "code": None}}
        case _:
            kind = "insufficient_quota" if code == "insufficient_quota" else _TYPES.get(status, "server_error")
            document = {"error": {"message": message, "type": kind, "param": None, "code": code}}
    return Answer(status, document)


def rate_limited(flavour: Flavour, retry_after: str | None) -> Answer:
    answer = error(flavour, 429, "Rate limit reached for requests. Please try again later.", "rate_limit_exceeded")
    headers = {} if retry_after is None else {"Retry-After": retry_after}
    return answer._replace(headers=headers)


def gemini_rate_limited(seconds: int) -> Answer:
    """Gemini says in the body when to come back."""
    answer = error("gemini", 429, "Resource has been exhausted (e.g. check quota).")
    document = answer.document
    assert isinstance(document, dict)
    document["error"]["details"] = [
        {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": f"{seconds}s"}
    ]
    return answer


def out_of_quota(flavour: Flavour) -> Answer:
    message = "You exceeded your current quota, please check your plan and billing details."
    return error(flavour, 429, message, "insufficient_quota")


def key_refused(flavour: Flavour) -> Answer:
    if flavour == "gemini":  # 400, and not 401
        answer = error(flavour, 400, "API key not valid. Please pass a valid API key.")
        document = answer.document
        assert isinstance(document, dict)
        document["error"]["details"] = [
            {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}
        ]
        return answer
    if flavour == "voyage":
        return error(flavour, 401, "Provided API key is invalid.")
    return error(flavour, 401, "Incorrect API key provided.", "invalid_api_key")


def model_missing(flavour: Flavour, model: str) -> Answer:
    match flavour:
        case "ollama":
            return error(flavour, 404, f'model "{model}" not found, try pulling it first')
        case "voyage":
            return error(flavour, 400, f"Model {model} is not supported.")
        case "gemini":
            message = f"models/{model} is not found for API version v1beta, or is not supported for embedContent."
            return error(flavour, 404, message)
        case _:
            return error(flavour, 404, f"The model `{model}` does not exist.", "model_not_found")


def too_many_texts(flavour: Flavour, count: int, cap: int, *, is_named: bool = True) -> Answer:
    if not is_named:
        return error(flavour, 413 if flavour == "tei" else 400, "Invalid input: the request is too large.")
    match flavour:
        case "tei":
            return error(flavour, 413, f"batch size {count} > maximum allowed batch size {cap}")
        case "voyage":
            return error(flavour, 400, f"The batch size limit is {cap}. Your batch size is {count}.")
        case "gemini":
            message = (
                "* BatchEmbedContentsRequest.requests: at most "
                f"{cap} requests can be in one batch, but {count} were given."
            )
            return error(flavour, 400, message)
        case _:
            message = (
                f"Invalid 'input': array too long. Expected an array with maximum length {cap}, "
                f"but got an array with length {count} instead."
            )
            return error(flavour, 400, message, "array_above_max_length")


def too_many_tokens(flavour: Flavour, tokens: int, cap: int) -> Answer:
    if flavour == "voyage":
        message = f"The max allowed tokens per submitted batch is {cap}. Your batch has {tokens} tokens."
    else:
        message = f"Requested {tokens} tokens, max {cap} tokens per request"
    return error(flavour, 400, message, "max_tokens_per_request")


def text_too_long(flavour: Flavour, tokens: int, cap: int) -> Answer:
    match flavour:
        case "llamacpp":
            return error(flavour, 500, "input is too large to process. increase the physical batch size "
                         f"(current batch size: {cap})")  # fmt: skip
        case "vllm":
            return error(flavour, 400, f"This model's maximum context length is {cap} tokens. However, you requested "
                         f"{tokens} tokens in the input for embedding generation. "
                         "Please reduce the length of the input.")  # fmt: skip
        case "tei":
            return error(flavour, 413, f"`inputs` must have less than {cap} tokens. Given: {tokens}")
        case "voyage":
            return error(flavour, 400, f"An example in your batch has too many tokens: {tokens}. "
                         f"The max allowed is {cap}; truncation is off.")  # fmt: skip
        case _:
            return error(flavour, 400, f"This model's maximum context length is {cap} tokens, however you requested "
                         f"{tokens} tokens. Please reduce your prompt.", "context_length_exceeded")  # fmt: skip


def cannot_embed(flavour: Flavour) -> Answer:
    """One text of the request cannot be embedded, so none of them is."""
    if flavour == "ollama":
        return error(flavour, 500, "failed to encode response: json: unsupported value: NaN")
    if flavour in ("llamacpp", "lmstudio", "tei"):
        return error(flavour, 500, "failed to compute embeddings")
    return error(flavour, 400, "Invalid input: one of the inputs cannot be embedded.")
