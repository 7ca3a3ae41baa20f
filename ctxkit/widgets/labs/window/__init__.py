"""The window lab: one conversation, every strategy, and what each sends, costs and still knows.

Read in this order: `choices` (the strategies as data), `talk` (the conversation as it is edited), `work`
(what a setting shows, worked out once) with `background` (long work while the page answers), `words` (what
it says), `figures`, `course_chart` and `prompt_bar`, `asking`, `code_box` and `picture`, then the controls
(`stepping`, `settings`, `loading`), `panes` (where all stands), `keeping`, and `lab`, which puts them
together. `pages` holds what our own scripts draw.
"""
