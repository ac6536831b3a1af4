"""A log that goes nowhere: what a script logs may be secret."""


class _Silent(object):
    def __getattr__(self, name):
        return lambda *args, **kwargs: None


def getLogger(*args, **kwargs):
    return _Silent()
