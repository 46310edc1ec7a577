def build_head(
    status_line: bytes,
    headers: list[tuple[str, str]],
    content_length: int,
    date_line: bytes,
    closes: bool,
    body: bytes | None = None,
) -> bytes: ...
