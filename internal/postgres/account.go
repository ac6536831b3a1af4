package postgres

import (
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// findBin returns the directory of PostgreSQL's programs: the given one, else Debian's newest, else the directory of
// the `postgres` in $PATH.
func findBin(given string) (string, error) {
	var candidates []string
	if given != "" {
		candidates = []string{given}
	} else {
		candidates, _ = filepath.Glob("/usr/lib/postgresql/*/bin")
		slices.SortFunc(candidates, func(a, b string) int { return majorVersion(b) - majorVersion(a) })
		if p, err := exec.LookPath("postgres"); err == nil {
			candidates = append(candidates, filepath.Dir(p))
		}
	}
	for _, dir := range candidates {
		if _, err := os.Stat(filepath.Join(dir, "initdb")); err == nil {
			return dir, nil
		}
	}
	if given != "" {
		return "", lcm.Errorf(lcm.KindInvalid, "There is no PostgreSQL server in %s: initdb is missing.", given)
	}
	return "", lcm.Errorf(lcm.KindInvalid, "There is no PostgreSQL server on this host: install the Debian package "+
		"postgresql, or name a database with WINDLASS_DATABASE_URL.")
}

// majorVersion of /usr/lib/postgresql/15/bin is 15.
func majorVersion(bin string) int {
	n, _ := strconv.Atoi(filepath.Base(filepath.Dir(bin)))
	return n
}

// account is the account that the server runs as.
type account struct {
	name     string
	uid, gid int
	change   bool
}

// unprivileged is the present user, or another account if the user is root: PostgreSQL refuses to run as root.
func unprivileged() (account, error) {
	if os.Geteuid() != 0 {
		return account{name: "uid " + strconv.Itoa(os.Getuid()), uid: os.Getuid(), gid: os.Getgid()}, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err := strconv.Atoi(u.Uid)
		if err != nil {
			continue
		}
		gid, err := strconv.Atoi(u.Gid)
		if err != nil {
			continue
		}
		return account{name: name, uid: uid, gid: gid, change: true}, nil
	}
	return account{}, lcm.Errorf(lcm.KindInvalid, "PostgreSQL does not run as root, and there is neither an account "+
		"postgres nor nobody: install the Debian package postgresql.")
}

// attr makes a child that runs as the account. The child has its own process group, so that Ctrl-C does not reach it
// before Stop does. It is shut down when its parent dies.
func (a account) attr() *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGINT}
	if a.change {
		attr.Credential = &syscall.Credential{Uid: uint32(a.uid), Gid: uint32(a.gid)} //nolint:gosec // ids are not negative
	}
	return attr
}
