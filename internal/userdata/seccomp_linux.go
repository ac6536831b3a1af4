//go:build linux && (amd64 || arm64)

package userdata

import (
	"slices"

	seccomp "github.com/elastic/go-seccomp-bpf"
	"golang.org/x/sys/unix"
)

// refusedCalls get EPERM. Landlock covers files; this list covers the rest of the kernel, and the file operations that
// Landlock does not cover.
var refusedCalls = []string{
	// no network: the process has no socket at the start
	"socket", "socketpair", "io_uring_setup", "io_uring_enter", "io_uring_register",
	// no access to other processes
	"ptrace", "process_vm_readv", "process_vm_writev", "kill", "tkill", "tgkill",
	"rt_sigqueueinfo", "rt_tgsigqueueinfo", "pidfd_open", "pidfd_getfd", "pidfd_send_signal", "kcmp",
	"shmget", "shmat", "shmctl", "semget", "semop", "semtimedop", "semctl", "msgget", "msgsnd", "msgrcv", "msgctl",
	"mq_open", "memfd_create",
	// no change of limits and priorities, also of other processes
	"setrlimit", "setpriority", "sched_setscheduler", "sched_setattr", "sched_setparam", "sched_setaffinity", "ioprio_set",
	// no change of files' size and metadata
	"fchmod", "fchmodat", "fchmodat2", "fchown", "fchownat", "truncate", "ftruncate", "utimensat", "fallocate",
	"setxattr", "lsetxattr", "fsetxattr", "setxattrat", "removexattr", "lremovexattr", "fremovexattr", "removexattrat",
	// no administration of the host
	"mount", "umount2", "pivot_root", "chroot", "setns", "unshare",
	"open_tree", "open_tree_attr", "move_mount", "mount_setattr", "fsopen", "fsconfig", "fspick", "fsmount",
	"bpf", "perf_event_open", "userfaultfd", "personality", "keyctl", "add_key", "request_key",
	"init_module", "finit_module", "delete_module", "kexec_load", "kexec_file_load", "reboot", "swapon", "swapoff",
	"open_by_handle_at", "name_to_handle_at", "syslog", "quotactl", "quotactl_fd", "acct", "sethostname", "setdomainname",
	"clock_settime", "settimeofday", "adjtimex", "fanotify_init",
}

// policy lists the calls with the kernel's action for each.
func policy(network bool) seccomp.Policy {
	never, conditions := refusedCalls, []seccomp.NameWithConditions{
		// Threads are allowed, processes are not. Reading limits is allowed: the third argument is the new limit.
		{Name: "clone", Conditions: []seccomp.Condition{{Operation: seccomp.BitsNotSet, Value: unix.CLONE_THREAD}}},
		refusedUnless("prlimit64", 2, 0),
		refusedUnless("fcntl", 1, harmlessFcntl...),
	}
	if network { // only the Internet's protocols
		never = slices.DeleteFunc(slices.Clone(never), func(name string) bool { return name == "socket" })
		conditions = append(conditions, refusedUnless("socket", 0, unix.AF_INET, unix.AF_INET6))
	}
	return seccomp.Policy{
		DefaultAction: seccomp.ActionAllow,
		Syscalls: []seccomp.SyscallGroup{
			{Action: seccomp.ActionErrno, Names: slices.Concat(never, refusedHere)}, // EPERM
			// A filter cannot see its flags; libraries fall back to clone.
			{Action: seccomp.ActionErrno | seccomp.Action(unix.ENOSYS), Names: []string{"clone3"}},
			// These come last: if a condition does not match, the library compares the argument with the numbers that follow.
			{Action: seccomp.ActionErrno, NamesWithCondtions: conditions},
		},
	}
}

// harmlessFcntl are commands for the descriptor itself and for locks. Other commands send signals, e.g. F_SETOWN with
// F_SETSIG.
var harmlessFcntl = []uint64{
	unix.F_DUPFD, unix.F_DUPFD_CLOEXEC, unix.F_GETFD, unix.F_SETFD, unix.F_GETFL, unix.F_SETFL,
	unix.F_GETLK, unix.F_SETLK, unix.F_SETLKW,
}

// refusedUnless compares all 64 bits. For some arguments the kernel looks at the low half only, so a list of bad values
// would miss values with high bits set.
func refusedUnless(name string, argument uint32, values ...uint64) seccomp.NameWithConditions {
	var other []seccomp.Condition
	for _, value := range values {
		other = append(other, seccomp.Condition{Argument: argument, Operation: seccomp.NotEqual, Value: value})
	}
	return seccomp.NameWithConditions{Name: name, Conditions: other}
}

// restrictCalls installs the filters for this thread. They survive the exec, and cannot be removed.
func restrictCalls(network bool) error {
	if err := restrictABI(); err != nil {
		return err
	}
	return seccomp.LoadFilter(seccomp.Filter{Policy: policy(network)})
}
