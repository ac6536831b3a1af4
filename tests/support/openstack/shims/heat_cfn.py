"""Heat's CloudFormation API, which takes alarm URLs, with the repairs."""
import configparser

from heat.httpd.heat_api_cfn import init_application
from oslo_config import cfg

import heat_repairs

application = init_application()

files = configparser.ConfigParser(interpolation=None)
files.read(cfg.CONF.config_file[-1])
trustee = files['trustee']
heat_repairs.authenticate_ec2_tokens(trustee['auth_url'], trustee['username'], trustee['password'])
