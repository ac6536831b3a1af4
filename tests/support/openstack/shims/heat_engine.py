"""Heat's engine with the repairs."""
import sys

import eventlet
eventlet.monkey_patch()

import heat.cmd.engine  # noqa: E402
import heat_repairs  # noqa: E402

heat_repairs.keep_notification_context()
sys.argv[0] = 'heat-engine'
sys.exit(heat.cmd.engine.main())
