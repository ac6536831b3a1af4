# The names are Tacker's, because packages import them from here. The code is Windlass's own.

import abc

from tacker.sol_refactored.common.common_script_utils import *  # noqa: F401,F403


class AbstractUserData(metaclass=abc.ABCMeta):
    """A user data class of v2. Windlass calls instantiate() only, for each size that the VNF gets."""

    @staticmethod
    @abc.abstractmethod
    def instantiate(req, inst, grant_req, grant, tmp_csar_dir):
        raise NotImplementedError("instantiate() is not there")
