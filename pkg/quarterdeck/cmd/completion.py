"""`quarterdeck completion bash|zsh|fish`: a script of the commands and flags that there are, for a shell to load."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Final

SHELLS: Final = ("bash", "zsh", "fish")
_BASH: Final = """\
_quarterdeck() {{
    local path="" word
    for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
        case "$word" in -*) ;; *) path="$path $word" ;; esac
    done
    case "$path" in
{cases}
    esac
}}
complete -o default -F _quarterdeck quarterdeck
"""
_BASH_CASE: Final = """\
        "{path}"*) COMPREPLY=($(compgen -W "{words}" -- "${{COMP_WORDS[COMP_CWORD]}}")) ;;"""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "completion", help="a script that completes commands and flags in a shell", allow_abbrev=False
    )
    parser.add_argument("shell", choices=SHELLS)


def build(root: argparse.ArgumentParser, shell: str) -> str:
    found = list(_walk(root, ()))
    if shell == "fish":
        return "".join(_build_fish(path, words) for path, words in found)
    # The longest path first: the shell takes the first pattern that fits.
    found.sort(key=lambda each: -len(each[0]))
    cases = (
        _BASH_CASE.format(path="".join(f" {word}" for word in path), words=" ".join(words)) for path, words in found
    )
    text = _BASH.format(cases="\n".join(cases))
    return text if shell == "bash" else f"autoload -U +X bashcompinit && bashcompinit\n{text}"


def _walk(parser: argparse.ArgumentParser, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], list[str]]]:
    words = [name for action in parser._actions for name in action.option_strings if name.startswith("--")]
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            words += action.choices
            for name, inner in action.choices.items():
                yield from _walk(inner, (*path, name))
        elif action.choices and not action.option_strings:
            words += map(str, action.choices)
    yield path, words


def _build_fish(path: tuple[str, ...], words: list[str]) -> str:
    if path:
        condition = "; and ".join(f"__fish_seen_subcommand_from {word}" for word in path)
    else:
        condition = "__fish_use_subcommand"
    flags = "".join(f"complete -c quarterdeck -n '{condition}' -l {word[2:]}\n" for word in words if word[:2] == "--")
    plain = " ".join(word for word in words if word[:2] != "--")
    return flags + (f"complete -c quarterdeck -n '{condition}' -f -a '{plain}'\n" if plain else "")
