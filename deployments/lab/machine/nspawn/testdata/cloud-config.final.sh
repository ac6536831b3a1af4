#!/bin/sh
systemctl restart ssh
'echo' 'it'\''s' '$HOME'
