// Package prerequisites compares tools/prerequisites.sh, which installs the programs that tasks and tests call, with
// the calls in the repository.
package prerequisites

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	root   = "../../.."
	script = root + "/tools/prerequisites.sh"
)

// base are programs that every Debian has: they are in essential or required packages.
var base = strings.Fields(`apt-get awk bash basename blkid cat chmod chroot cp cut date df dirname dpkg-deb dpkg-query env findmnt grep head id losetup
	mkdir mkfs.ext4 mkswap mktemp mount mountpoint mv nice rm sed setsid sh sleep sort tail tar tee test timeout tr umount unshare wc wipefs xargs`)

// elsewhere are programs that do not come from a package of the list.
var elsewhere = map[string]string{
	"go":    "who runs a task has it",
	"gofmt": "it comes with go",

	"sshpass":          "only the benchmark of real machines calls it, and says how to install it",
	"chromium-browser": "another name of chromium",
	"google-chrome":    "likewise",
}

// unseen are programs and files that the script checks packages of the list by, although no call of them is found here.
var unseen = map[string]string{
	"stdio.h":   "go test -race, and cmd/windlass-token",
	"initdb":    "internal/postgres joins its path",
	"gpg-agent": "gpg starts it",

	"*":                          "Go looks for certificates",
	"libsofthsm2.so":             "tests/suites/e2e/token gives it to Windlass",
	"debian-archive-keyring.gpg": "mmdebstrap is given it",
	"openstackclient":            "a module of Python",
	"tackerclient":               "a module of Python",
}

// listed returns the programs and files that the script looks for, with their packages. For files it returns their base
// names.
func listed(t *testing.T) map[string]string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), script, "list").Output()
	require.NoError(t, err)
	brought := map[string]string{}
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		require.Len(t, fields, 3, line)
		for thing := range strings.SplitSeq(fields[1], ",") {
			brought[filepath.Base(thing)] = fields[0]
		}
	}
	return brought
}

// called returns the programs that the repository's Go code, its tasks, and the scripts that people and CI start call
// on their machine. It leaves out scripts that run on a VM or in a machine of the lab (scripts/sh,
// deployments/lab/image), and the real OpenStack of tests/support/openstack, which installs its own packages.
func called(t *testing.T) uses {
	t.Helper()
	scripts := tasksOf(t, root)
	maps.Copy(scripts, scriptsOf(t, root, ".ci/run", "tools/*.sh", "docs/*.sh", "tests/programs/bench/*.sh",
		"tests/support/openstack/test.sh", "tests/support/openstack/lib/fits.sh"))
	found := inShell(t, scripts)
	for program, places := range inGo(t, root) {
		for _, place := range places {
			found.add(program, place)
		}
	}
	require.Greater(t, len(found), 40)
	return found
}

func TestPrerequisites_haveEveryProgramThatIsCalled(t *testing.T) {
	brought, found := listed(t), called(t)
	for _, program := range slices.Sorted(maps.Keys(found)) {
		if brought[program] == "" && elsewhere[program] == "" && !slices.Contains(base, program) {
			t.Errorf("%s is called in %s. Add its package to the list in tools/prerequisites.sh, or, if every Debian has it, "+
				"the program to base in this test.",
				program, strings.Join(found[program], ", "))
		}
	}
	for _, program := range slices.Sorted(maps.Keys(brought)) {
		if found[program] == nil && unseen[program] == "" {
			t.Errorf("tools/prerequisites.sh looks for %s, of the package %s, and nothing calls it any more.", program,
				brought[program])
		}
	}
	for program := range elsewhere {
		assert.Contains(t, found, program, "nothing calls it any more")
	}
}

// TestPrerequisites_areFoundWhereverTheirNamesAre checks that called finds the name of a program in each form that the
// code uses.
func TestPrerequisites_areFoundWhereverTheirNamesAre(t *testing.T) {
	found := called(t)
	for program, place := range map[string]string{
		"sleep":          "worker/identity_test.go",                      // exec.CommandContext(ctx, "sleep")
		"curl":           "scripts/registries_test.go",                   // exec.LookPath("curl")
		"haproxy":        "scripts/config_test.go",                       // the same
		"dpkg-deb":       "tests/suites/e2e/aptrepository_test.go",       // by a function with the name as argument
		"mmdebstrap":     "deployments/lab/image/build.go",               // by a caller of such a function, after nice
		"shellcheck":     "internal/remote/runner/runner_test.go",        // in a list of lists
		"losetup":        "scripts/storage_test.go",                      // in a list
		"systemd-nspawn": "deployments/lab/machine/nspawn/hypervisor.go", // in a table
		"nft":            "deployments/lab/machine/nspawn/rules_test.go", // LookPath, and after unshare
		"git":            "task lint",                                    // in Taskfile.yml
		"xargs":          "task lint",                                    // in a pipeline
		"mktemp":         "tools/prerequisites.sh",
		"chromium":       "docs/screenshot.sh", // after command -v
	} {
		assert.Contains(t, found[program], place, program)
	}
}

// TestBase_isOfPackagesThatEveryDebianHas asks the machine which packages every Debian has. It fails on a machine that
// is not a Debian: other tests need dpkg-query and the rest of base, too.
func TestBase_isOfPackagesThatEveryDebianHas(t *testing.T) {
	t.Setenv("PATH", os.Getenv("PATH")+":/usr/sbin:/sbin") // on Debian, only root's PATH contains these
	patterns, packages := map[string]string{}, map[string][]string{}
	for _, program := range base {
		path, err := exec.LookPath(program)
		require.NoError(t, err, "%s is of no Debian 12 or Ubuntu; tests need one of these", program)
		path, err = filepath.EvalSymlinks(path) // links of alternatives, such as awk, do not belong to a package
		require.NoError(t, err)
		patterns[program] = "bin/" + filepath.Base(path)
	}
	search := []string{"--search"}
	for _, pattern := range patterns {
		search = append(search, "*"+pattern)
	}
	found, err := exec.CommandContext(t.Context(), "dpkg-query", search...).Output()
	require.NoError(t, err)
	for line := range strings.Lines(string(found)) {
		pkg, path, _ := strings.Cut(strings.TrimSpace(line), ": ")
		for program, pattern := range patterns {
			if strings.HasSuffix(path, pattern) {
				packages[program] = append(packages[program], pkg)
			}
		}
	}
	always := everywhere(t)
	for program, pkgs := range packages {
		assert.True(t, slices.ContainsFunc(pkgs, func(pkg string) bool { return slices.Contains(always, pkg) }),
			"%s is of %s", program, pkgs)
	}
	assert.Len(t, packages, len(base))
}

// everywhere returns the packages that every Debian has, and those that provide a virtual package that these need:
// base-files needs an awk, which is mawk unless another one is installed.
func everywhere(t *testing.T) []string {
	t.Helper()
	const format = "${Package}\t${Essential}\t${Priority}\t${Pre-Depends}\t${Provides}\n"
	all, err := exec.CommandContext(t.Context(), "dpkg-query", "--show", "--showformat", format).Output()
	require.NoError(t, err)
	always, wanted, providers := []string{"apt"}, []string{}, map[string][]string{} // packages are installed with apt
	for line := range strings.Lines(string(all)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		require.Len(t, f, 5, "%s", line)
		name, essential, priority, before, provides := f[0], f[1], f[2], f[3], f[4]
		if essential == "yes" || priority == "required" {
			always = append(always, name)
			wanted = append(wanted, strings.Split(before, ", ")...)
		}
		for virtual := range strings.SplitSeq(provides, ", ") {
			providers[virtual] = append(providers[virtual], name)
		}
	}
	for _, virtual := range wanted {
		if virtual != "" {
			always = append(always, providers[virtual]...)
		}
	}
	return always
}
