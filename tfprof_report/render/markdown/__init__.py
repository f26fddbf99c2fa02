"""Markdown: the report, the comment of a pull request, the job summary."""
