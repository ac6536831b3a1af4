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

// findDisk prints the size of the disk that has the volume's serial number, or of the device that Nova names.
const findDisk = `#!/bin/bash
# windlass: find-disk
set -eu
for disk in /sys/block/*; do
	if [ "$(cat "$disk/serial" 2>/dev/null || true)" = "%s" ]; then
		blockdev --getsize64 "/dev/${disk##*/}"
		exit
	fi
done
blockdev --getsize64 "%s"
`

// insideGuest logs in at the address that the stack tells, with the key that was given, and looks for the volume.
func (s *site) insideGuest(inv *openstack.Inventory, solo openstack.Resource, private string) {
	if s.Guest == nil {
		return
	}
	port := inv.Ports[s.resource(inv, inv.StackID, "solo_cp").PhysicalID]
	target := remote.Target{
		Node: "solo", Address: net.JoinHostPort(port.Address, strconv.Itoa(s.Guest.Port)), User: s.Guest.User, PrivateKey: private, ServerID: solo.PhysicalID,
	}
	var host *remote.Host
	require.Eventually(s, func() bool {
		var err error
		host, err = remotetest.Dialer().Dial(s.Context(), target)
		return err == nil
	}, s.Patience, time.Second, "the guest does not answer")
	defer func() { _ = host.Close() }()
	list, err := s.cloud.Attachments(s.Context(), solo.PhysicalID)
	require.NoError(s, err)
	script := fmt.Sprintf(findDisk, list[0].VolumeID[:20], list[0].Device)
	result, err := host.Run(s.Context(), remote.Command{ID: "find-disk", Script: script, Sudo: true})
	require.NoError(s, err)
	require.Equal(s, "1073741824", strings.TrimSpace(result.Stdout))
}
