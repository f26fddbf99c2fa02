"""The history of models as HTML, Markdown, Parquet and JSON. May import the other parts of `render` but reports' own."""
