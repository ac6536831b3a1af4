//go:build linux && (amd64 || arm64)

package userdata

import (
	"encoding/binary"
	"testing"

	"github.com/elastic/go-seccomp-bpf/arch"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// The kernel's reactions to a call.
const (
	allowed = uint32(unix.SECCOMP_RET_ALLOW)
	killed  = uint32(unix.SECCOMP_RET_KILL_PROCESS)
	denied  = unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)
	unknown = unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)
)

// kernel runs the filters as the kernel does.
type kernel struct {
	*testing.T
	native  *arch.Info
	filters []*bpf.VM
}

func newKernel(t *testing.T) kernel {
	t.Helper()
	return newKernelFor(t, false)
}

func newKernelFor(t *testing.T, network bool) kernel {
	t.Helper()
	native, err := arch.GetInfo("")
	require.NoError(t, err)
	p := policy(network)
	calls, err := p.Assemble()
	require.NoError(t, err)
	var raw []bpf.RawInstruction
	for _, i := range onlyABI(native) {
		raw = append(raw, bpf.RawInstruction{Op: i.Code, Jt: i.Jt, Jf: i.Jf, K: i.K})
	}
	abi, understood := bpf.Disassemble(raw)
	require.True(t, understood)
	k := kernel{T: t, native: native}
	for _, program := range [][]bpf.Instruction{abi, calls} {
		vm, err := bpf.NewVM(program)
		require.NoError(t, err)
		k.filters = append(k.filters, vm)
	}
	return k
}

// answers returns the strictest answer of the filters. For the kernel this is the smallest number.
func (k kernel) answers(architecture arch.AuditArch, call int, args ...uint64) uint32 {
	k.Helper()
	data := make([]byte, 64) // struct seccomp_data; the machine reads each word as a big-endian one
	binary.BigEndian.PutUint32(data, uint32(call))
	binary.BigEndian.PutUint32(data[4:], uint32(architecture))
	for i, arg := range args {
		binary.BigEndian.PutUint32(data[16+8*i:], uint32(arg))
		binary.BigEndian.PutUint32(data[20+8*i:], uint32(arg>>32))
	}
	hardest := allowed
	for _, filter := range k.filters {
		answer, err := filter.Run(data)
		require.NoError(k, err)
		if int32(answer&unix.SECCOMP_RET_ACTION_FULL) < int32(hardest&unix.SECCOMP_RET_ACTION_FULL) {
			hardest = uint32(answer)
		}
	}
	return hardest
}

func (k kernel) number(name string) int {
	k.Helper()
	number, known := k.native.SyscallNames[name]
	require.True(k, known, name)
	return number
}

func TestPolicy_refusesTheCallsOfTheList(t *testing.T) {
	k := newKernel(t)
	for _, name := range append(refusedHere, refusedCalls...) {
		require.Equal(t, denied, k.answers(k.native.ID, k.number(name), 1, 2, 3, 4, 5, 6), name)
	}
	require.Equal(t, unknown, k.answers(k.native.ID, k.number("clone3")))
	for _, name := range []string{"read", "openat", "mmap", "futex", "execve", "exit_group", "getrandom", "io_setup"} {
		require.Equal(t, allowed, k.answers(k.native.ID, k.number(name)), name)
	}
	for _, other := range []string{"amd64", "arm64"} {
		info, err := arch.GetInfo(other)
		require.NoError(t, err)
		for _, name := range refusedCalls {
			require.Contains(t, info.SyscallNames, name, "%s does not have it: no filter could be made there", other)
		}
	}
}

func TestPolicy_looksAtArguments(t *testing.T) {
	k := newKernel(t)
	const high = 1 << 32
	for _, c := range []struct {
		name string
		args []uint64
		want uint32
	}{
		{"clone", []uint64{unix.CLONE_THREAD}, allowed},
		{"clone", []uint64{unix.CLONE_VM | unix.CLONE_FS | unix.CLONE_SIGHAND | unix.CLONE_THREAD}, allowed},
		{"clone", []uint64{0}, denied},
		{"clone", []uint64{uint64(unix.SIGCHLD)}, denied},
		{"clone", []uint64{unix.CLONE_VM | unix.CLONE_VFORK}, denied},
		{"clone", []uint64{unix.CLONE_THREAD << 32}, denied},
		{"prlimit64", []uint64{0, unix.RLIMIT_AS, 0, 4096}, allowed},
		{"prlimit64", []uint64{0, unix.RLIMIT_AS, 4096, 0}, denied},
		{"prlimit64", []uint64{0, unix.RLIMIT_AS, high}, denied},
		{"fcntl", []uint64{0, unix.F_GETFL}, allowed},
		{"fcntl", []uint64{0, unix.F_DUPFD_CLOEXEC, 3}, allowed},
		{"fcntl", []uint64{0, unix.F_SETLKW, 3}, allowed},
		{"fcntl", []uint64{0, unix.F_SETOWN, 1}, denied},
		{"fcntl", []uint64{0, unix.F_SETOWN_EX, 1}, denied},
		{"fcntl", []uint64{0, unix.F_SETSIG, uint64(unix.SIGKILL)}, denied},
		{"fcntl", []uint64{0, high | unix.F_SETOWN, 1}, denied},
		{"fcntl", []uint64{0, high | unix.F_GETFL}, denied},
	} {
		require.Equal(t, c.want, k.answers(k.native.ID, k.number(c.name), c.args...), "%s%x", c.name, c.args)
	}
}

func TestOnlyABI_hasNoCallsThatAreNewerThanTheList(t *testing.T) {
	k := newKernel(t)
	require.Equal(t, denied, k.answers(k.native.ID, k.number("open_tree_attr")),
		"the newest that the library knows; an update of it may add some that are to be refused")
	for _, call := range []int{k.number("open_tree_attr") + 1, 512, arch.X32.SeccompMask - 1} {
		require.Equal(t, unknown, k.answers(k.native.ID, call), call)
	}
}

func TestOnlyABI_endsWhoCallsInAnotherWay(t *testing.T) {
	k := newKernel(t)
	for _, other := range []*arch.Info{arch.I386, arch.ARM, arch.X86_64, arch.AARCH64, {ID: 0}} {
		if other.ID != k.native.ID {
			require.Equal(t, killed, k.answers(other.ID, k.number("read")), other.Name)
			require.Equal(t, killed, k.answers(other.ID, k.number("socket")), other.Name)
		}
	}
	for _, call := range []int{arch.X32.SeccompMask, arch.X32.SeccompMask + k.number("socket"), 1<<32 - 1} {
		require.Equal(t, killed, k.answers(k.native.ID, call), "%#x", call)
	}
}

func TestPolicy_givesANetworkOfTheInternetOnly(t *testing.T) {
	with, without := newKernelFor(t, true), newKernel(t)
	socket := with.number("socket")
	for family, want := range map[uint64]uint32{
		unix.AF_INET: allowed, unix.AF_INET6: allowed, unix.AF_UNIX: denied, unix.AF_NETLINK: denied, unix.AF_PACKET: denied,
		unix.AF_INET | 1<<32: denied, unix.AF_VSOCK: denied,
	} {
		require.Equal(t, want, with.answers(with.native.ID, socket, family, unix.SOCK_STREAM), "%d", family)
		require.Equal(t, denied, without.answers(without.native.ID, socket, family, unix.SOCK_STREAM), "%d", family)
	}
	require.Equal(t, denied, with.answers(with.native.ID, with.number("socketpair"), unix.AF_INET))
}
