"""The templates, compiled by `make templates` with this Jinja2."""

JINJA = "3.1.6"
