//go:build linux && (amd64 || arm64)

package userdata

import (
	"maps"
	"slices"
	"unsafe"

	"github.com/elastic/go-seccomp-bpf/arch"
	"golang.org/x/sys/unix"
)

// restrictABI makes the kernel kill a process that uses the system calls of another architecture. There, the same calls
// have other numbers, and the seccomp library allows all calls that it has no rule for. A call that is too new for the
// library to know its name fails as on an older kernel. If two filters apply, the kernel takes the stricter answer.
func restrictABI() error {
	native, err := arch.GetInfo("")
	if err != nil {
		return err
	}
	program := onlyABI(native)
	prog := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]} //nolint:gosec // G115: nine instructions
	//nolint:gosec // G103: the kernel reads the program during the call
	return unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&prog)), 0, 0)
}

func onlyABI(native *arch.Info) []unix.SockFilter {
	const (
		load    = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
		equal   = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
		atLeast = unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K
		above   = unix.BPF_JMP | unix.BPF_JGT | unix.BPF_K
		answer  = unix.BPF_RET | unix.BPF_K
		// The offsets of fields in struct seccomp_data.
		atCall, atArch = 0, 4
	)
	newest := slices.Max(slices.Collect(maps.Keys(native.SyscallNumbers)))
	return []unix.SockFilter{
		{Code: load, K: atArch},
		{Code: equal, K: uint32(native.ID), Jt: 1},
		{Code: answer, K: unix.SECCOMP_RET_KILL_PROCESS},
		{Code: load, K: atCall},
		{Code: atLeast, K: uint32(arch.X32.SeccompMask), Jf: 1}, //nolint:gosec // G115: it is bit 30
		{Code: answer, K: unix.SECCOMP_RET_KILL_PROCESS},
		{Code: above, K: uint32(newest), Jf: 1}, //nolint:gosec // G115: numbers of calls are small
		{Code: answer, K: unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)},
		{Code: answer, K: unix.SECCOMP_RET_ALLOW},
	}
}
