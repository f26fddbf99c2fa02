"""Reports side by side as HTML, Markdown, Parquet and JSON. May import what all pages share."""
