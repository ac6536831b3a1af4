package openstack

import (
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/remote"
	"github.com/windlass-nfv/windlass/internal/remote/remotetest"
	"github.com/windlass-nfv/windlass/internal/vim/openstack/openstacktest"
)

// findDisk prints the size of the disk that has the volume's serial number, or of the device that Nova names. A disk
// that was plugged in while the guest booted appears some time later.
const findDisk = `#!/bin/bash
# windlass: find-disk
set -u
for _ in {1..60}; do
	for disk in /sys/block/*; do
		if [ "$(cat "$disk/serial" 2>/dev/null)" = "%s" ]; then
			exec blockdev --getsize64 "/dev/${disk##*/}"
		fi
	done
	blockdev --getsize64 "%s" 2>/dev/null && exit
	sleep 1
done
ls -l /dev >&2
exit 1
`

// diskOf returns a function that logs in over SSH and measures a volume inside the machine, which must have a shell.
func diskOf(
	user string, patience time.Duration,
) func(t *testing.T, at openstacktest.Login, disk openstacktest.Disk) string {
	return func(t *testing.T, at openstacktest.Login, disk openstacktest.Disk) string {
		t.Helper()
		dialer := &remote.Dialer{HostKeys: &remotetest.Pins{}}
		var host *remote.Host
		require.Eventually(t, func() bool {
			var err error
			host, err = dialer.Dial(t.Context(), remote.Target{
				Node: "solo", Address: net.JoinHostPort(at.Address, "22"), User: user, PrivateKey: at.PrivateKey,
				ServerID:     at.ServerID,
				LoginTimeout: time.Minute, // an emulated processor is slow
			})
			return err == nil
		}, patience, time.Second, "the guest does not answer")
		defer func() { _ = host.Close() }()
		script := fmt.Sprintf(findDisk, disk.VolumeID[:20], disk.Device)
		result, err := host.Run(t.Context(), remote.Command{ID: "find-disk", Script: script, Sudo: true})
		require.NoError(t, err, result.Output)
		return strings.TrimSpace(result.Stdout)
	}
}
