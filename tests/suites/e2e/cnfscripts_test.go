package e2e

import (
	"cmp"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const scriptedWebVnfdID = "3d1f0c52-8f0a-4a53-9a7c-5be2f7f0c1ab"

// scriptedWeb is the sample of manifests with the script of another sample at three hooks.
func (b *bed) scriptedWeb(t *testing.T) (dir string) {
	t.Helper()
	const node = "        flavour_description: One to five Pods of a web server\n"
	dir = b.ChangedPackage(t, "vnfpkg/samples/cnf-manifests", strings.NewReplacer(webVnfdID, scriptedWebVnfdID, node, node+`      artifacts:
        account: { type: tosca.artifacts.Implementation.Python, file: ../Scripts/account.py }
      interfaces:
        Vnflcm:
          instantiate_start: { implementation: account }
          scale_start: { implementation: account }
          terminate_end: { implementation: account }
`))
	require.NoError(t, os.CopyFS(filepath.Join(dir, "Scripts"),
		os.DirFS(filepath.Join(b.Root, packageScripts, "Scripts"))))
	return dir
}

// scriptsBesidePods uses a package of containers with a script at hooks, which does not make it a VNF of VMs: all of
// Tacker's packages of containers for the second form have one. By default Windlass skips it. At last Windlass restarts
// with other settings.
func (b *bed) scriptsBesidePods(t *testing.T, vim string) {
	t.Helper()
	b.Onboard(t, b.scriptedWeb(t))
	instantiate := map[string]any{
		"flavourId": "simple", "instantiationLevelId": "small",
		"vimConnectionInfo": map[string]any{"kubernetes": map[string]any{"vimId": vim, "vimType": "ETSINFV.KUBERNETES.V_1"}},
		"additionalParams": map[string]any{
			"lcm-kubernetes-def-files": []string{"Files/kubernetes/page.yaml", "Files/kubernetes/web.yaml"}, "namespace": "default",
		},
	}
	terminate := map[string]any{"terminationType": "FORCEFUL"}
	said := func(op, title string) string { return b.titled(t, op, title)[0].LastOutputLine }

	vnf := b.inSecondForm(t, scriptedWebVnfdID, "skipping", nil)
	op := vnf.done(t, "instantiate", instantiate)
	require.Contains(t, said(op, "Skip Scripts/account.py of the package (instantiate_start): scripts.policy does not run it"),
		"Scripts/account.py is not run")
	require.Len(t, vnf.vnfcs(t), 1)
	vnf.done(t, "terminate", terminate)

	t.Run("scripts run", func(t *testing.T) {
		python := cmp.Or(pathOf("/usr/bin/python3"), pathOf("python3"))
		canConfine(t, python)
		t.Setenv("WINDLASS_USER_DATA_PYTHON", python)
		t.Setenv("WINDLASS_SCRIPTS_POLICY", "run")
		b.Restart(t)
		vnf := b.inSecondForm(t, scriptedWebVnfdID, "scripted Pods", nil)
		op := vnf.done(t, "instantiate", instantiate)
		require.Equal(t, "opened an account for scripted Pods",
			said(op, "Run Scripts/account.py of the package (instantiate_start)"))
		op = vnf.done(t, "scale", map[string]any{"type": "SCALE_OUT", "aspectId": "web_pods"})
		require.Equal(t, "SCALE_OUT of web_pods", said(op, "Run Scripts/account.py of the package (scale_start)"))
		require.Len(t, vnf.vnfcs(t), 2)
		op = vnf.done(t, "terminate", terminate)
		require.Equal(t, "closed the account of scripted Pods",
			said(op, "Run Scripts/account.py of the package (terminate_end)"))
	})
}
