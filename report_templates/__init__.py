"""Jinja2 templates, styles and scripts of the reports; shipped in the wheel as tfprof_report.report_templates."""
