#!/bin/sh
echo 'node-1' >/etc/hostname
hostname 'node-1'
grep -qw 'node-1' /etc/hosts || echo 127.0.1.1 'node-1' >>/etc/hosts
mkdir -p "$(dirname '/etc/a b')"
cat file-0 >'/etc/a b'
chmod '0600' '/etc/a b'
chown 'debian:debian' '/etc/a b'
mkdir -p "$(dirname '/etc/c')"
cat file-1 >>'/etc/c'
chmod '0644' '/etc/c'
id 'ubuntu' >/dev/null 2>&1 || useradd -m -s '/bin/bash' 'ubuntu'
echo 'ubuntu ALL=(ALL) NOPASSWD:ALL' >>/etc/sudoers.d/90-cloud-config
home=$(getent passwd 'ubuntu' | cut -d: -f6); install -d -m 700 -o 'ubuntu' -g 'ubuntu' "$home/.ssh"
echo 'ssh-rsa BBBB you' >>"$home/.ssh/authorized_keys"; chmod 600 "$home/.ssh/authorized_keys"; chown 'ubuntu': "$home/.ssh/authorized_keys"
home=$(getent passwd 'debian' | cut -d: -f6); install -d -m 700 -o 'debian' -g 'debian' "$home/.ssh"
echo 'ssh-ed25519 AAAA me' >>"$home/.ssh/authorized_keys"; chmod 600 "$home/.ssh/authorized_keys"; chown 'debian': "$home/.ssh/authorized_keys"
printf '%s\n' 'debian:it'\''s "secret"' | chpasswd
printf '%s\n' 'root:rootpw' | chpasswd
printf '%s\n' 'debian:debpw' | chpasswd
echo PasswordAuthentication yes >/etc/ssh/sshd_config.d/10-cloud-config.conf
'touch' '/run/early'
