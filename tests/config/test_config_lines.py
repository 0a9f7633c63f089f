"""Line numbers of keys in TOML text."""

from __future__ import annotations

from hdp_audit.config.lines import key_lines, line_of

TEXT = """# a comment = 1
[run]
seed = 1
"quoted key" = 2

[demands]
values = [
  1, # one = 1
  2,
]
note = '''
[not.a.section]
seed = 3
'''
users = 4

[[waive]]
finding = "a"
[[waive]]
finding = "b"

[a]
b.c = 5
inline = { seed = 6 }
"""


def test_keys_are_found_where_they_stand() -> None:
    lines = key_lines(TEXT)
    assert lines["run",] == 2
    assert lines["run", "seed"] == 3
    assert lines["run", "quoted key"] == 4
    assert lines["demands", "values"] == 7
    assert lines["demands", "users"] == 15
    assert lines["waive", 0, "finding"] == 18
    assert lines["waive", 1, "finding"] == 20
    assert lines["a", "b", "c"] == 23


def test_text_inside_strings_is_no_key() -> None:
    assert ("not", "a", "section") not in key_lines(TEXT)


def test_the_nearest_known_place_is_taken() -> None:
    lines = key_lines(TEXT)
    assert line_of(lines, ("a", "inline", "seed")) == 24
    assert line_of(lines, ("run", "absent")) == 2
    assert line_of(lines, ("absent",)) is None
