"""Keeps an account of the VNF, in the form of Tacker's v2: a method for each hook."""

import os
import pickle
import sys


class Account:
    def __init__(self, told):
        self.request = told["request"]
        self.instance = told["vnf_instance"]
        # What is put here the scripts of the same operation find, also those of its rollback.
        self.kept = told["user_script_err_handling_data"]

    def instantiate_start(self):
        if self.request.get("additionalParams", {}).get("full"):
            raise RuntimeError("the account has no room for another VNF")
        self.kept["opened"] = self.instance["id"]
        print("opened an account for", self.instance["vnfInstanceName"], file=sys.stderr)

    def instantiate_rollback_start(self):
        print("closed the account of", self.kept.get("opened", "nobody"), file=sys.stderr)

    def scale_start(self):
        print(self.request["type"], "of", self.request["aspectId"], file=sys.stderr)

    def operate_start(self):
        self.kept["asked"] = self.request["changeStateTo"]

    def operate_end(self):
        print("the account knows of", self.kept["asked"], file=sys.stderr)

    def modify_information_start(self):
        print("the account is that of", self.request["vnfInstanceName"], file=sys.stderr)

    def change_external_connectivity_end(self):
        print("links are now", [link["id"] for link in self.request["extVirtualLinks"]], file=sys.stderr)

    def terminate_end(self):
        print("closed the account of", self.instance["vnfInstanceName"], file=sys.stderr)


def main():
    told = pickle.load(sys.stdin.buffer)
    account = Account(told)
    getattr(account, told["operation"])()
    sys.stdout.buffer.write(pickle.dumps({"user_script_err_handling_data": account.kept}))
    sys.stdout.flush()


if __name__ == "__main__":
    try:
        main()
        os._exit(0)
    except Exception as error:
        sys.stderr.write(str(error))
        sys.stderr.flush()
        os._exit(1)
