"""Repairs of Debian 12's Heat, which is older than two security fixes of what it uses.

Without them every signal to a scaling policy fails. No file of a package is changed.
"""
import time

import requests as _requests


def keep_notification_context():
    """oslo.messaging strips the context before a notification is serialised; Heat then tries to log
    in with what is left of it, and the signal fails."""
    from oslo_messaging.notify import notifier
    notifier._sanitize_context = lambda context: context


def authenticate_ec2_tokens(auth_url, user, password):
    """Keystone answers /v3/ec2tokens to service users only; Heat asks anonymously."""
    from heat.api.aws import ec2token
    cache = {'until': 0}

    def token():
        if cache['until'] < time.time():
            domain = {'id': 'default'}
            answer = _requests.post(auth_url + '/auth/tokens', timeout=30, json={'auth': {
                'identity': {'methods': ['password'], 'password': {'user': {
                    'name': user, 'password': password, 'domain': domain}}},
                'scope': {'project': {'name': 'service', 'domain': domain}}}})
            answer.raise_for_status()
            cache.update(token=answer.headers['X-Subject-Token'], until=time.time() + 3600)
        return cache['token']

    class Requests:
        def __getattr__(self, name):
            return getattr(_requests, name)

        @staticmethod
        def post(url, headers=None, **arguments):
            return _requests.post(url, headers={**(headers or {}), 'X-Auth-Token': token()}, **arguments)

    ec2token.requests = Requests()
