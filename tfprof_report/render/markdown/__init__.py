"""Markdown within a host's size limit: the report, the comment on a pull request, the job summary.
May import content and everything below it, but not html.
"""
