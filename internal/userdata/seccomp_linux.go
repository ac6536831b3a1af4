//go:build linux && (amd64 || arm64)

package userdata

import (
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"
)

// deniedCalls are refused with EPERM. Files are Landlock's; this is the rest of the kernel, and what Landlock does not know of files.
var deniedCalls = []uint32{
	// no network: there is no socket to begin with
	unix.SYS_SOCKET, unix.SYS_SOCKETPAIR, unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER,
	// no other process is seen, stopped or used
	unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_KILL, unix.SYS_TKILL, unix.SYS_TGKILL,
	unix.SYS_RT_SIGQUEUEINFO, unix.SYS_RT_TGSIGQUEUEINFO, unix.SYS_PIDFD_OPEN, unix.SYS_PIDFD_GETFD, unix.SYS_PIDFD_SEND_SIGNAL, unix.SYS_KCMP,
	unix.SYS_SHMGET, unix.SYS_SHMAT, unix.SYS_SHMCTL, unix.SYS_SEMGET, unix.SYS_SEMOP, unix.SYS_SEMCTL, unix.SYS_MSGGET, unix.SYS_MSGSND, unix.SYS_MSGRCV,
	unix.SYS_MQ_OPEN, unix.SYS_MEMFD_CREATE,
	// no other limits
	unix.SYS_SETRLIMIT, unix.SYS_SETPRIORITY, unix.SYS_SCHED_SETSCHEDULER, unix.SYS_SCHED_SETATTR,
	// no file changes what it says of itself
	unix.SYS_FCHMOD, unix.SYS_FCHMODAT, unix.SYS_FCHOWN, unix.SYS_FCHOWNAT, unix.SYS_TRUNCATE, unix.SYS_FTRUNCATE, unix.SYS_UTIMENSAT, unix.SYS_FALLOCATE,
	unix.SYS_SETXATTR, unix.SYS_LSETXATTR, unix.SYS_FSETXATTR, unix.SYS_REMOVEXATTR, unix.SYS_LREMOVEXATTR, unix.SYS_FREMOVEXATTR,
	// nothing of the host
	unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT, unix.SYS_SETNS, unix.SYS_UNSHARE, unix.SYS_OPEN_TREE, unix.SYS_MOVE_MOUNT,
	unix.SYS_FSOPEN, unix.SYS_FSMOUNT, unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD, unix.SYS_PERSONALITY, unix.SYS_KEYCTL, unix.SYS_ADD_KEY,
	unix.SYS_REQUEST_KEY, unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE, unix.SYS_KEXEC_LOAD, unix.SYS_REBOOT, unix.SYS_SWAPON, unix.SYS_SWAPOFF,
	unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_NAME_TO_HANDLE_AT, unix.SYS_SYSLOG, unix.SYS_QUOTACTL, unix.SYS_ACCT, unix.SYS_SETHOSTNAME, unix.SYS_SETDOMAINNAME,
	unix.SYS_CLOCK_SETTIME, unix.SYS_SETTIMEOFDAY, unix.SYS_ADJTIMEX, unix.SYS_FANOTIFY_INIT,
}

// Where struct seccomp_data has what; the low half of an argument comes first on both architectures.
const (
	atCall, atArch, atArgs = 0, 4, 16
	threadFlag             = unix.CLONE_THREAD
)

// restrictCalls installs the filter. It outlives the exec, and nothing takes it off.
func restrictCalls() error {
	program := filter()
	prog := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]} //nolint:gosec // G115: some 200 instructions
	//nolint:gosec // G103: the kernel reads the program during the call
	return unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&prog)), 0, 0)
}

func filter() []unix.SockFilter {
	const (
		load    = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
		equal   = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
		atLeast = unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K
		anyBit  = unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K
		answer  = unix.BPF_RET | unix.BPF_K
		denied  = unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)
		unknown = unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)
		allowed = unix.SECCOMP_RET_ALLOW
		kill    = unix.SECCOMP_RET_KILL_PROCESS
	)
	out := []unix.SockFilter{
		{Code: load, K: atArch},
		{Code: equal, K: architecture, Jt: 1},
		{Code: answer, K: kill},
		{Code: load, K: atCall},
		{Code: atLeast, K: foreignCalls, Jf: 1}, // calls of a second set on the same machine would go round the list
		{Code: answer, K: kill},
	}
	for _, call := range slices.Concat(deniedCalls, deniedHere) {
		out = append(out, unix.SockFilter{Code: equal, K: call, Jf: 1}, unix.SockFilter{Code: answer, K: denied})
	}
	return append(out,
		unix.SockFilter{Code: equal, K: unix.SYS_CLONE3, Jf: 1}, // its flags are out of sight; libraries use clone then
		unix.SockFilter{Code: answer, K: unknown},
		unix.SockFilter{Code: equal, K: unix.SYS_CLONE, Jf: 4}, // threads, and no process
		unix.SockFilter{Code: load, K: atArgs},
		unix.SockFilter{Code: anyBit, K: threadFlag, Jf: 1},
		unix.SockFilter{Code: answer, K: allowed},
		unix.SockFilter{Code: answer, K: denied},
		unix.SockFilter{Code: equal, K: unix.SYS_PRLIMIT64, Jf: 6}, // limits may be read: the third argument is the new one
		unix.SockFilter{Code: load, K: atArgs + 16},
		unix.SockFilter{Code: equal, K: 0, Jf: 3},
		unix.SockFilter{Code: load, K: atArgs + 20},
		unix.SockFilter{Code: equal, K: 0, Jf: 1},
		unix.SockFilter{Code: answer, K: allowed},
		unix.SockFilter{Code: answer, K: denied},
		unix.SockFilter{Code: answer, K: allowed},
	)
}
