package ownnet

import (
	"errors"
	"fmt"
	"net"
	"os"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// The device in the network of the code, and its addresses. 192.0.0.0/29 (RFC 7335) and the unique local network are
// those of no VNF.
const (
	deviceName = "windlass0"
	address4   = "192.0.0.2/29"
	address6   = "fd57:494e:444c::2/64"
	mtu        = 1500
)

// Open makes the device in the network namespace of the calling thread, and leads all connections there. The thread must
// be one that stays there. loopback leads 127.0.0.0/8 there, too. Serve takes the file.
//
// Errors: the system's, such as no /dev/net/tun, or no rights over the namespace.
func Open(loopback bool) (*os.File, error) {
	fd, err := unix.Open("/dev/net/tun", unix.O_RDWR|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, fmt.Errorf("/dev/net/tun: %w", err)
	}
	request, err := unix.NewIfreq(deviceName)
	if err == nil {
		request.SetUint16(unix.IFF_TUN | unix.IFF_NO_PI)
		err = unix.IoctlIfreq(fd, unix.TUNSETIFF, request)
	}
	if err == nil {
		err = lead(loopback)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("the device %s: %w", deviceName, err), unix.Close(fd))
	}
	return os.NewFile(uintptr(fd), "/dev/net/tun"), nil // not before: Go's poller takes only a device that is ready
}

// lead gives the device its addresses and the routes.
func lead(loopback bool) error {
	link, err := netlink.LinkByName(deviceName)
	if err != nil {
		return err
	}
	if loopback {
		// Without the addresses of lo, 127.0.0.1 is an address like others; a system whose settings are read-only refuses
		// that.
		_ = os.WriteFile("/proc/sys/net/ipv4/conf/all/route_localnet", []byte("1"), 0)
	} else if lo, err := netlink.LinkByName("lo"); err == nil {
		_ = netlink.LinkSetUp(lo)
	}
	for _, text := range []string{address4, address6} {
		address, err := netlink.ParseAddr(text)
		if err != nil {
			return err
		}
		address.Flags = unix.IFA_F_NODAD
		if err := netlink.AddrAdd(link, address); err != nil && address.IP.To4() != nil { // a host may have no IPv6
			return err
		}
	}
	if err := errors.Join(netlink.LinkSetMTU(link, mtu), netlink.LinkSetUp(link)); err != nil {
		return err
	}
	for _, all := range []*net.IPNet{
		{IP: net.IPv4zero, Mask: net.CIDRMask(0, 32)}, {IP: net.IPv6zero, Mask: net.CIDRMask(0, 128)},
	} {
		err := netlink.RouteAdd(&netlink.Route{LinkIndex: link.Attrs().Index, Dst: all, Scope: netlink.SCOPE_LINK})
		if err != nil && all.IP.To4() != nil {
			return err
		}
	}
	return nil
}
