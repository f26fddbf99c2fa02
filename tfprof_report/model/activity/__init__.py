"""What devices did in a step, added up: busy and idle time, waits, copies, transfers between pairs of devices."""
