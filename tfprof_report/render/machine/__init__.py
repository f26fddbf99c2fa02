"""Formats for programs: summary.json, Parquet, JUnit, OpenMetrics, annotations."""
