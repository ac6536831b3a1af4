package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/tests/kubetest"
)

// containerPages are the pages about containerised VNFs, in the order in which a reader follows them.
var containerPages = []string{
	"containers.md", "container-networks.md", "helm.md", "tosca-containers.md", "hybrid.md", "change-package.md",
}

// headings are the beginnings of a page's sections.
var headings = regexp.MustCompile(`(?m)^#{1,3} `)

// TestPages_ofContainers follows the how-to pages about containerised VNFs, section by section. It runs each command of
// windlass, and sends each request.
func TestPages_ofContainers(t *testing.T) {
	cluster := kubetest.Start(t)
	b := newBed(t, "fake")
	g := &guide{bed: b, vim: b.registerCluster(t, cluster, "default"), dir: t.TempDir()}
	for _, page := range containerPages {
		text, err := os.ReadFile(filepath.Join(b.Root, "docs/how-to", page))
		require.NoError(t, err)
		for _, section := range headings.Split(string(text), -1)[1:] {
			heading, section, _ := strings.Cut(section, "\n")
			if !t.Run(heading, func(t *testing.T) { g.follow(t, heading, section) }) {
				return
			}
		}
	}
	require.Empty(t, g.vnf, "the VNF of the guide is deleted in the end")
	requireNoPods(t, cluster.Client)
}

// guide is a reader who follows a page. The page has one id of a VnfInstance: it stands for the last instance.
type guide struct {
	*bed
	vim, vnf string
	dir      string // for the files that the page tells its readers to write
}

var (
	// shownBlocks are the blocks that a page indents by four spaces.
	shownBlocks = regexp.MustCompile(`(?m)(?:^ {4}.*\n)+`)
	instanceID  = regexp.MustCompile(`3b2d0741-6db0-49d4-badd-41818fd2c3d7`)
)

// follow runs one section.
func (g *guide) follow(t *testing.T, heading, section string) {
	if heading == "Another package for a containerised VNF" {
		g.beforeAnotherPackage(t)
	}
	for _, block := range shownBlocks.FindAllString(section+"\n", -1) {
		lines := strings.Split(strings.TrimRight(block, "\n"), "\n")
		switch first := strings.TrimSpace(lines[0]); {
		case strings.HasPrefix(first, "$ "):
			for _, line := range lines {
				if command, is := strings.CutPrefix(strings.TrimSpace(line), "$ windlass "); is {
					g.run(t, strings.Fields(command))
				}
			}
		case strings.HasPrefix(first, "{"):
			require.True(t, json.Valid([]byte(block)), "%s", block)
			require.NoError(t, os.WriteFile(filepath.Join(g.dir, "package.json"), []byte(block), 0o600))
		case strings.HasPrefix(first, `"`): // members of a request or an answer
			require.True(t, json.Valid([]byte("{"+block+"}")), "%s", block)
		default: // the output of a command continues after an empty line
			require.Regexp(t, `^(service|configmap|NAME)`, first)
		}
	}
	if g.vnf != "" {
		g.run(t, []string{"vnf", "terminate", g.vnf, "--watch"})
		g.run(t, []string{"vnf", "delete", g.vnf})
	}
}

// run runs a command of the page. The command for the package with mistakes fails, as the page says.
func (g *guide) run(t *testing.T, args []string) {
	t.Helper()
	for i, arg := range args {
		switch {
		case strings.HasPrefix(arg, "vnfpkg/samples/requests/"):
			args[i] = g.request(t, arg)
		case arg == "package.json":
			args[i] = filepath.Join(g.dir, arg)
		}
		args[i] = instanceID.ReplaceAllString(args[i], g.vnf)
	}
	command := strings.Join(args, " ")
	if command == "package build my-package" {
		g.refuse(t)
		return
	}
	if strings.HasPrefix(command, "vnf create ") {
		args = append(args, "--json")
	}
	out, err := g.Windlass(t.Context(), args...).CombinedOutput()
	require.NoError(t, err, "windlass %s: %s", command, out)
	switch {
	case strings.HasPrefix(command, "vnf create "):
		var made struct {
			ID string `json:"id"`
		}
		require.NoError(t, json.Unmarshal(out, &made), "%s", out)
		g.vnf = made.ID
	case strings.HasPrefix(command, "vnf delete "):
		g.vnf = ""
	}
}

// request writes a sample's request with the VIM of the test, and returns its path.
func (g *guide) request(t *testing.T, file string) (path string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(g.Root, file))
	require.NoError(t, err)
	path = filepath.Join(g.dir, filepath.Base(file))
	filled := strings.ReplaceAll(string(text), "REPLACE-WITH-THE-ID-OF-THE-VIM", g.vim)
	require.NoError(t, os.WriteFile(path, []byte(filled), 0o600))
	return path
}

// refuse builds the sample with an impossible port number.
func (g *guide) refuse(t *testing.T) {
	t.Helper()
	dir := filepath.Join(g.dir, "my-package")
	require.NoError(t, os.CopyFS(dir, os.DirFS(filepath.Join(g.Root, describedSample))))
	file := filepath.Join(dir, "Definitions/cnf_tosca_df_simple.yaml")
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	broken := strings.ReplaceAll(string(text), "port: 80", "port: 80000")
	require.NotEqual(t, string(text), broken)
	require.NoError(t, os.WriteFile(file, []byte(broken), 0o600))
	out, err := g.Windlass(t.Context(), "package", "build", dir).CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), "windlass: the VNF package cannot be used")
	require.Contains(t, string(out), "is not a port: a port is a number between 1 and 65535")
}

// beforeAnotherPackage on-boards the new package, and instantiates the VNF that the section changes.
func (g *guide) beforeAnotherPackage(t *testing.T) {
	t.Helper()
	g.run(t, []string{"package", "create", g.newWeb(t)})
	g.run(t, []string{"vnf", "create", webVnfdID, "--name", "web"})
	g.run(t, []string{
		"vnf", "instantiate", g.vnf, "vnfpkg/samples/requests/instantiate-cnf-manifests.json", "--watch",
	})
}
