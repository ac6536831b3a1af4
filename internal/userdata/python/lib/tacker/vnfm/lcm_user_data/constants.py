# The names are Tacker's, because packages import them from here. The code is Windlass's own.

USER_DATA_TIMEOUT = 60
