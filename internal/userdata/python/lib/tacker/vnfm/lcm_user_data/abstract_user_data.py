# The names are Tacker's, because packages import them from here. The code is Windlass's own.

import abc


class AbstractUserData(metaclass=abc.ABCMeta):
    """A user data class of v1: instantiate() makes the parameters of the stack."""

    @staticmethod
    @abc.abstractmethod
    def instantiate(base_hot_dict=None, vnfd_dict=None, inst_req_info=None, grant_info=None):
        raise NotImplementedError("instantiate() is not there")
