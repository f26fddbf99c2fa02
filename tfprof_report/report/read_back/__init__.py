"""What the files of a report folder hold, read back and checked.
May import `unfinished` of report and everything below report.
"""
