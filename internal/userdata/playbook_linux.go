//go:build linux && (amd64 || arm64)

package userdata

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	seccomp "github.com/elastic/go-seccomp-bpf"
	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

// apart gives a child its own user, mount and PID namespaces. Inside it is root. Outside it is nobody, or Windlass's
// user if that is not root.
func apart() *syscall.SysProcAttr {
	uid, gid := os.Geteuid(), os.Getegid()
	root := uid == 0
	if root {
		uid, gid = nobody, nobody
	}
	return &syscall.SysProcAttr{
		Cloneflags:  unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWIPC,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: uid, Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: gid, Size: 1}},
		// Only root may drop its groups.
		GidMappingsEnableSetgroups: root,
		Credential:                 &syscall.Credential{NoSetGroups: !root},
		Pdeathsig:                  syscall.SIGKILL,
	}
}

// confinePlaybook drops the rights that a playbook must not have, and then executes the shell that runs it.
func confinePlaybook() error {
	shell, dir, playbook := os.Args[1], os.Args[2], os.Args[4]
	if err := handOver(); err != nil {
		return err
	}
	proc, err := ownMounts(dir)
	if err != nil {
		return fmt.Errorf("files cannot be made read-only (mount): %w", err)
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("privileges cannot be given up: %w", err)
	}
	if err := dropCapabilities(); err != nil {
		return fmt.Errorf("capabilities cannot be given up: %w", err)
	}
	if err := playbookLimits(); err != nil {
		return fmt.Errorf("limits cannot be set: %w", err)
	}
	if err := playbookFiles(dir, proc); err != nil {
		return fmt.Errorf("files cannot be restricted (Landlock): %w", err)
	}
	if err := playbookCalls(); err != nil {
		return fmt.Errorf("system calls cannot be restricted (seccomp): %w", err)
	}
	argv := []string{shell, filepath.Join(dir, "play.sh"), dir, playbook}
	return fmt.Errorf("%s cannot be run: %w", shell, syscall.Exec(shell, argv, os.Environ())) //nolint:gosec // G204: fixed
}

// playbookLimits bounds each process of a playbook, and their number. The kernel counts the processes of a user
// namespace apart (Linux 5.14 and later; earlier kernels count all of the user).
func playbookLimits() error {
	var errs []error
	for resource, most := range map[int]uint64{
		unix.RLIMIT_AS: playMemory, unix.RLIMIT_NPROC: playProcesses, unix.RLIMIT_CORE: 0, unix.RLIMIT_NOFILE: 4096,
	} {
		var now unix.Rlimit
		if err := unix.Getrlimit(resource, &now); err != nil {
			return err
		}
		now.Max = min(now.Max, most)
		now.Cur = min(now.Cur, now.Max)
		errs = append(errs, unix.Setrlimit(resource, &now))
	}
	return errors.Join(errs...)
}

// ownMounts makes all files read-only except those of dir. It gives the process terminals, shared memory and, if the
// kernel allows, its own /proc; proc tells whether it has one.
func ownMounts(dir string) (proc bool, err error) {
	readOnly, writable := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}, unix.MountAttr{Attr_clr: unix.MOUNT_ATTR_RDONLY}
	const flags = unix.MS_NOSUID | unix.MS_NOEXEC
	for _, step := range []struct {
		what string
		do   func() error
	}{
		{"make mounts private", func() error { return unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, "") }},
		{"hide what programs do not need", hideHost},
		{"make the directory of the run", func() error { return ownDirectory(dir) }},
		// The user's home is in dir, and there are no other users.
		{"bind /etc/passwd", func() error { return unix.Mount(filepath.Join(dir, "passwd"), "/etc/passwd", "", unix.MS_BIND, "") }},
		{"bind /etc/resolv.conf", func() error { return bindResolver(dir) }},
		{"make all read-only", func() error { return unix.MountSetattr(unix.AT_FDCWD, "/", unix.AT_RECURSIVE, &readOnly) }},
		{"make the directory writable", func() error { return unix.MountSetattr(unix.AT_FDCWD, dir, 0, &writable) }},
		{"mount /dev/shm", func() error {
			return unix.Mount("tmpfs", "/dev/shm", "tmpfs", flags|unix.MS_NODEV, "size=64m")
		}},
		{"mount /dev/pts", func() error {
			return unix.Mount("devpts", "/dev/pts", "devpts", flags, "newinstance,ptmxmode=0666")
		}},
	} {
		if err := step.do(); err != nil {
			return false, fmt.Errorf("%s: %w", step.what, err)
		}
	}
	// In a container, parts of /proc may be masked; then the kernel allows no new /proc.
	return unix.Mount("proc", "/proc", "proc", flags|unix.MS_NODEV, "") == nil, nil
}

// hiddenTrees are host folders without programs. Landlock prevents reading them, but on many kernels it does not cover
// sockets, and a database may accept any process of the same user.
var hiddenTrees = []string{"/run", "/tmp", "/var", "/home", "/root", "/srv", "/mnt", "/media"}

// hideHost mounts empty folders over hiddenTrees. They contain only the file that names the DNS resolvers.
func hideHost() error {
	resolvers, _ := filepath.EvalSymlinks("/etc/resolv.conf") // a host may have no such file
	text, _ := os.ReadFile(resolvers)
	for _, tree := range hiddenTrees {
		err := unix.Mount("tmpfs", tree, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, "size=1m,mode=0755")
		if err != nil && !errors.Is(err, unix.ENOENT) {
			return fmt.Errorf("%s: %w", tree, err)
		}
		if strings.HasPrefix(resolvers, tree+"/") && len(text) > 0 {
			err := errors.Join(os.MkdirAll(filepath.Dir(resolvers), 0o755), os.WriteFile(resolvers, text, 0o644)) //nolint:gosec // G306: as it was
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// ownDirectory makes dir in memory, with the files from the worker.
func ownDirectory(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	if err := unix.Mount("tmpfs", dir, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "size=512m,mode=0700"); err != nil {
		return err
	}
	return receive(os.Stdin, dir)
}

// playbookFiles allows the host's programs, the files for finding hosts and users, and dir.
func playbookFiles(dir string, proc bool) error {
	version, err := ll.LandlockGetABIVersion()
	if err != nil {
		return err
	}
	known := versions[min(version, len(versions))-1]
	ruleset, err := ll.LandlockCreateRuleset(&ll.RulesetAttr{
		HandledAccessFS: uint64(known.HandledAccessFS), Scoped: uint64(known.Scoped),
	}, 0)
	if err != nil {
		return err
	}
	all := uint64(known.HandledAccessFS)
	useFile := all & (readFile | ll.AccessFSWriteFile | ll.AccessFSTruncate | ll.AccessFSIoctlDev)
	settings, _ := filepath.Glob("/etc/python3*")
	trees := append(settings, "/etc/ansible", "/etc/ssh/ssh_config.d", "/etc/crypto-policies", "/usr/share")
	if proc {
		trees = append(trees, "/proc")
	}
	return errors.Join(
		allow(ruleset, runTree, append(ansibleTree(), "/usr", "/lib", "/lib64", "/bin", "/sbin")...),
		allow(ruleset, readTree, trees...),
		allow(ruleset, readFile, "/etc/ld.so.cache", "/etc/localtime", "/etc/passwd", "/etc/group", "/etc/ssh/ssh_config",
			"/etc/os-release", "/etc/debian_version", "/dev/urandom", "/dev/random", "/dev/zero"),
		allow(ruleset, useFile, "/dev/null", "/dev/tty", "/dev/ptmx"),
		allow(ruleset, useFile|all&ll.AccessFSReadDir, "/dev/pts"),
		allow(ruleset, all&^ll.AccessFSIoctlDev, dir, "/dev/shm"),
		allowNames(ruleset),
		ll.LandlockRestrictSelf(ruleset, 0),
	)
}

// ansibleTree is the folder of an Ansible that is installed outside of /usr, such as a virtual environment
// /opt/ansible. Nothing else of /opt is allowed: it may hold keys of other programs.
func ansibleTree() []string {
	for _, dir := range []string{"/usr/local/bin", "/usr/bin", "/bin"} { // as the PATH of play.sh
		program, err := filepath.EvalSymlinks(filepath.Join(dir, "ansible-playbook"))
		if err != nil {
			continue
		}
		if tree := filepath.Dir(filepath.Dir(program)); strings.Count(tree, "/") > 1 { // not /usr, and not /opt itself
			return []string{tree}
		}
		return nil
	}
	return nil
}

// newNamespaces are flags of clone that would give a process back the capabilities that it has dropped.
const newNamespaces = unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWIPC | unix.CLONE_NEWNET |
	unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP

// ofPlaybooks are calls that playbooks may use and scripts may not. They make processes, which belong to the playbook,
// and files; only the playbook's own files are writable.
var ofPlaybooks = []string{
	"socket", "socketpair", "kill", "tkill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo", "pidfd_open",
	"pidfd_send_signal", "shmget", "shmat", "shmctl", "semget", "semop", "semtimedop", "semctl", "memfd_create",
	"setrlimit", "setpriority", "sched_setaffinity",
	"fchmod", "fchmodat", "fchmodat2", "fchown", "fchownat", "truncate", "ftruncate", "utimensat", "fallocate",
	"setxattr", "lsetxattr", "fsetxattr", "removexattr", "lremovexattr", "fremovexattr",
}

// playbookCalls installs the filters.
func playbookCalls() error {
	if err := restrictABI(); err != nil {
		return err
	}
	never := slices.DeleteFunc(slices.Concat(refusedCalls, refusedHere), func(name string) bool {
		return slices.Contains(ofPlaybooks, name) || slices.Contains([]string{
			"fork", "vfork", "chmod", "chown", "lchown", "utime",
			"utimes", "futimesat",
		}, name)
	})
	return seccomp.LoadFilter(seccomp.Filter{Policy: seccomp.Policy{
		DefaultAction: seccomp.ActionAllow,
		Syscalls: []seccomp.SyscallGroup{
			{Action: seccomp.ActionErrno, Names: never},
			{Action: seccomp.ActionErrno | seccomp.Action(unix.ENOSYS), Names: []string{"clone3"}},
			{Action: seccomp.ActionErrno, NamesWithCondtions: []seccomp.NameWithConditions{
				{Name: "clone", Conditions: []seccomp.Condition{{Operation: seccomp.BitsSet, Value: newNamespaces}}},
				refusedUnless("socket", 0, unix.AF_INET, unix.AF_INET6, unix.AF_UNIX),
			}},
		},
	}})
}
