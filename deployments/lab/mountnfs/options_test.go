package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

func TestParseArgs_takesWhatMountGives(t *testing.T) {
	o, err := parseArgs([]string{"10.0.0.5:/srv/pv 1", "/mnt", "-o", "rw,nolock,nfsvers=4.1,hard,x-systemd.automount"})
	require.NoError(t, err)
	require.Equal(t, "10.0.0.5", o.target.Host)
	require.Equal(t, "/srv/pv 1", o.target.Export)
	require.Equal(t, "/mnt", o.dir)
	require.Zero(t, o.flags)
	require.Zero(t, o.target.Patience, "a hard mount waits for ever")
	require.Equal(t, time.Second, o.attributes)

	o, err = parseArgs([]string{
		"-o", "ro,soft,noexec,noac", "-n", "[fd00::1]:/", "/mnt", "-o",
		"port=20490,mountport=20048,wsize=8192",
	})
	require.NoError(t, err)
	require.Equal(t, "fd00::1", o.target.Host)
	require.Equal(t, "/", o.target.Export)
	require.Equal(t, uintptr(unix.MS_RDONLY|unix.MS_NOEXEC), o.flags)
	require.Equal(t, softPatience, o.target.Patience)
	require.Equal(t, 20490, o.target.Port)
	require.Equal(t, 20048, o.target.MountPort)
	require.Equal(t, uint32(8192), o.writeSize)
	require.True(t, o.sync)
	require.Zero(t, o.attributes)
}

func TestParseArgs_refusesWhatItCannotDo(t *testing.T) {
	for said, args := range map[string][]string{
		"usage":                      {"10.0.0.5:/srv"},
		`"/dev/vdb" is not HOST:`:    {"/dev/vdb", "/mnt"},
		"an incorrect mount option":  {"h:/srv", "/mnt", "-o", "wsice=1"},
		`"much" is not a number`:     {"h:/srv", "/mnt", "-o", "wsize=much"},
		"option sec=krb5: only sys":  {"h:/srv", "/mnt", "-o", "sec=krb5"},
		"option vers=2: only 3, 4,":  {"h:/srv", "/mnt", "-o", "vers=2"},
		"-o needs a value":           {"h:/srv", "/mnt", "-o"},
		"unknown argument --verbose": {"h:/srv", "/mnt", "--verbose"},
	} {
		_, err := parseArgs(args)
		require.ErrorContains(t, err, said)
	}
	_, err := parseArgs([]string{"h:/srv", "/mnt", "-s", "-o", "wsice=1"})
	require.NoError(t, err, "a sloppy mount takes any option")
}

func TestLimit_isWhatServerAndOptionsAllow(t *testing.T) {
	require.Equal(t, uint32(maxTransfer), limit(0, 0))
	require.Equal(t, uint32(65536), limit(65536, 0))
	require.Equal(t, uint32(8192), limit(65536, 8192))
	require.Equal(t, uint32(maxTransfer), limit(64<<20, 32<<20))
	require.Equal(t, uint32(4096), limit(512, 0))
}
