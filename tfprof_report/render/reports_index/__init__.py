"""One page that lists many reports. May import what all pages share."""
