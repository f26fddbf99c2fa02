"""Turn a report, or a single view, into the files of one output format. All but `write` and `files` is pure functions.
Figures are computed below: here they are ranked, rounded and laid out; `tfprof` also derives stacks and timelines.
May import report and everything below it. Inside: write > html, markdown > content > machine > tables > tfprof > files.
"""
