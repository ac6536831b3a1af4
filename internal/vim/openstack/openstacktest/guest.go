package openstacktest

import (
	"fmt"
	"net"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/remote"
	"github.com/windlass-nfv/windlass/internal/remote/remotetest"
	"github.com/windlass-nfv/windlass/internal/vim/openstack"
)

// key makes a key pair: PEM, and the line for Nova.
func key(t *testing.T) (private, public string) {
	t.Helper()
	return remotetest.Key(t)
}

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

// insideGuest logs in at the address that the stack tells, with the key that was given, and looks for the volume.
func (s *site) insideGuest(inv *openstack.Inventory, solo openstack.Resource, private string) {
	if s.Guest == nil {
		return
	}
	port := inv.Ports[s.resource(inv, inv.StackID, "solo_cp").PhysicalID]
	target := remote.Target{
		Node: "solo", Address: net.JoinHostPort(port.Address, strconv.Itoa(s.Guest.Port)), User: s.Guest.User, PrivateKey: private, ServerID: solo.PhysicalID,
		LoginTimeout: time.Minute, // an emulated processor takes its time
	}
	dialer := &remote.Dialer{HostKeys: &remotetest.Pins{}}
	var host *remote.Host
	require.Eventually(s, func() bool {
		var err error
		host, err = dialer.Dial(s.Context(), target)
		return err == nil
	}, s.Patience, time.Second, "the guest does not answer")
	defer func() { _ = host.Close() }()
	list, err := s.cloud.Attachments(s.Context(), solo.PhysicalID)
	require.NoError(s, err)
	script := fmt.Sprintf(findDisk, list[0].VolumeID[:20], list[0].Device)
	result, err := host.Run(s.Context(), remote.Command{ID: "find-disk", Script: script, Sudo: true})
	require.NoError(s, err, result.Output)
	require.Equal(s, "1073741824", strings.TrimSpace(result.Stdout))
}
