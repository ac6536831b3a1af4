# The names are Tacker's, because packages import them from here. The code is Windlass's own.

import re


class MemoryUnit(object):
    UNITS = {"B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12, "KIB": 2**10, "MIB": 2**20, "GIB": 2**30, "TIB": 2**40}

    @staticmethod
    def convert_unit_size_to_num(size, unit=None):
        """How many whole units are in a size such as "4 GB"."""
        found = re.fullmatch(r"\s*(\d+)\s*([A-Za-z]*)\s*", str(size))
        if not found:
            raise ValueError("%r is no size" % (size,))
        number = int(found.group(1)) * MemoryUnit.UNITS[(found.group(2) or unit or "B").upper()]
        return number // MemoryUnit.UNITS[(unit or "B").upper()]
