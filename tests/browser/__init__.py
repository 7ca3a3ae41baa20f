"""JupyterLab in a real Chromium, each lesson worked as a learner works it: `python -m pytest tests/browser`.

`lab_server` starts one JupyterLab for the run, `lesson_page` is a lesson in it, `lab_view` a lab in a lesson,
`kernel_traffic` what page and kernel say to each other, `contrast` whether text can be read, `layout` whether
all of it can be seen. `conftest` puts them together: one server, one browser, one page per test module. When
a test fails, pictures of the open pages are in `test-results/`.
"""

import pytest

# The asserts of these modules explain themselves as those of a test module do.
for name in ("lab_contract", "lab_view", "layout", "lesson_page"):
    pytest.register_assert_rewrite(f"{__name__}.{name}")
