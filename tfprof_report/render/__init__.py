"""Turn a report, or a single view, into files. Only `write`, `files` and `tfprof.write_view` write; the rest is pure.
Figures are computed below: here they are ranked, rounded and laid out; `tfprof` also derives stacks and timelines.
May import report and everything below it. Inside: write > html, markdown > content > machine > tables > tfprof > files.
"""
