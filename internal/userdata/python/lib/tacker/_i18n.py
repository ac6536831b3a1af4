# The names are Tacker's, because packages import them from here. The code is Windlass's own.


def _(text):
    return text
