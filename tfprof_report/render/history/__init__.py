"""The history of models as HTML, Markdown, Parquet and JSON. May import what all pages share."""
