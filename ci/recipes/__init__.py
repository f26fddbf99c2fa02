"""CI recipes, a first rules file, programs that profile; shipped inside the wheel as tfprof_report.recipes."""
