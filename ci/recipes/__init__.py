"""CI recipes, an initial rules file and programs that profile; shipped inside the wheel as tfprof_report.recipes."""
