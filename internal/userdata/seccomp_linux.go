//go:build linux && (amd64 || arm64)

package userdata

import (
	"slices"

	seccomp "github.com/elastic/go-seccomp-bpf"
	"golang.org/x/sys/unix"
)

// refusedCalls get EPERM. Files are Landlock's; this is the rest of the kernel, and what Landlock does not know of files.
var refusedCalls = []string{
	// no network: there is no socket to begin with
	"socket", "socketpair", "io_uring_setup", "io_uring_enter", "io_uring_register",
	// no other process is seen, stopped or used
	"ptrace", "process_vm_readv", "process_vm_writev", "kill", "tkill", "tgkill",
	"rt_sigqueueinfo", "rt_tgsigqueueinfo", "pidfd_open", "pidfd_getfd", "pidfd_send_signal", "kcmp",
	"shmget", "shmat", "shmctl", "semget", "semop", "semctl", "msgget", "msgsnd", "msgrcv", "mq_open", "memfd_create",
	// no other limits
	"setrlimit", "setpriority", "sched_setscheduler", "sched_setattr",
	// no file changes what it says of itself
	"fchmod", "fchmodat", "fchown", "fchownat", "truncate", "ftruncate", "utimensat", "fallocate",
	"setxattr", "lsetxattr", "fsetxattr", "removexattr", "lremovexattr", "fremovexattr",
	// nothing of the host
	"mount", "umount2", "pivot_root", "chroot", "setns", "unshare", "open_tree", "move_mount",
	"fsopen", "fsmount", "bpf", "perf_event_open", "userfaultfd", "personality", "keyctl", "add_key",
	"request_key", "init_module", "finit_module", "delete_module", "kexec_load", "kexec_file_load", "reboot", "swapon", "swapoff",
	"open_by_handle_at", "name_to_handle_at", "syslog", "quotactl", "acct", "sethostname", "setdomainname",
	"clock_settime", "settimeofday", "adjtimex", "fanotify_init",
}

// policy is the list of calls with what the kernel does about them.
func policy() seccomp.Policy {
	return seccomp.Policy{
		DefaultAction: seccomp.ActionAllow,
		Syscalls: []seccomp.SyscallGroup{
			{Action: seccomp.ActionErrno, Names: slices.Concat(refusedCalls, refusedHere)}, // EPERM
			// Its flags are out of sight; libraries use clone then.
			{Action: seccomp.ActionErrno | seccomp.Action(unix.ENOSYS), Names: []string{"clone3"}},
			// These are last: where a condition is not met, the library compares the argument with the numbers that follow.
			{Action: seccomp.ActionErrno, NamesWithCondtions: []seccomp.NameWithConditions{
				refusedIf("clone", seccomp.Condition{Argument: 0, Operation: seccomp.BitsNotSet, Value: unix.CLONE_THREAD}), // threads, and no process
				refusedIf("prlimit64", seccomp.Condition{Argument: 2, Operation: seccomp.NotEqual}),                         // limits may be read: this is the new one
			}},
		},
	}
}

func refusedIf(name string, all ...seccomp.Condition) seccomp.NameWithConditions {
	return seccomp.NameWithConditions{Name: name, Conditions: all}
}

// restrictCalls installs the filters for this thread. They outlive the exec, and nothing takes them off.
func restrictCalls() error {
	if err := restrictABI(); err != nil {
		return err
	}
	return seccomp.LoadFilter(seccomp.Filter{Policy: policy()})
}
