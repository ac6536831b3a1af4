package e2e

import (
	"crypto/tls"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/windlass-nfv/windlass/tests/support/kubespray"
	"github.com/windlass-nfv/windlass/tests/support/testbed"
)

// specified is a request of a specification, with the package that its VNFD describes.
type specified struct {
	// name is that of the file in testdata/specifications, vnfd an id for the package.
	name, vnfd string
	// sample is the sample package of which the package is made, from and to the flavour's name there and here.
	sample, from, to string
	// files are further files of the package.
	files map[string]string
	// driver is a driver in the place of the sample's.
	driver string
	// change sets what no specification can know: ids, addresses and credentials.
	change func(t *testing.T, b *bed, certificate *tls.Certificate, params map[string]any)
}

const (
	serverParams  = "private_registry_installation_param"
	clusterParams = "k8s_cluster_installation_param"
)

var specifications = []specified{
	{
		name: "persistent-volumes", vnfd: "a1f2c1c4-7a40-4d35-9f0f-0d5f6f1b0c01",
		sample: "k8s-ha", from: "storage", to: "simple",
		change: func(t *testing.T, b *bed, _ *tls.Certificate, params map[string]any) {
			storage := params[clusterParams].(map[string]any)["storage_server"].(map[string]any)
			storage["username"], storage["password"] = "debian", testbed.NodePassword
			for _, export := range storage["nfs_server_setup_params"].([]any) {
				export.(map[string]any)["export_to"] = b.Net0(t).String()
			}
		},
	},
	{
		name: "private-registry", vnfd: "a1f2c1c4-7a40-4d35-9f0f-0d5f6f1b0c02", sample: "private-registry",
		files: map[string]string{"Files/images/private_registry.tar": "the image of a registry"},
		change: func(_ *testing.T, _ *bed, _ *tls.Certificate, params map[string]any) {
			server := params[serverParams].(map[string]any)
			server["ssh_username"], server["ssh_password"] = "debian", testbed.NodePassword
		},
	},
	{
		name: "registry-connections", vnfd: "a1f2c1c4-7a40-4d35-9f0f-0d5f6f1b0c03", sample: "k8s-ha",
		change: func(t *testing.T, _ *bed, certificate *tls.Certificate, params map[string]any) {
			plain := startRegistry(t, nil)
			secure := startRegistry(t, certificate)
			secure.setPassword(registryPassword)
			list := params[clusterParams].(map[string]any)["private_registry_connection_info"].([]any)
			list[0].(map[string]any)["server"] = plain.Listener.Addr().String()
			second := list[1].(map[string]any)
			second["server"], second["password"] = registryName+":"+secure.port(t), registryPassword
			second["hosts_string"] = "127.0.0.1 " + registryName
		},
	},
	{
		name: "kubespray", vnfd: "a1f2c1c4-7a40-4d35-9f0f-0d5f6f1b0c04", sample: "external-lb",
		driver: "mgmt-drivers-kubespray", files: map[string]string{"Scripts/ExternalLB_installation.sh": ""},
		change: func(t *testing.T, b *bed, _ *tls.Certificate, params map[string]any) {
			made, err := kubespray.Machines(t.Context(), b.Cloud.Login(), ansibleOfSpecification,
				kubespray.Server{Name: ansibleOfSpecification, Image: kubespray.AnsibleImage, Password: testbed.NodePassword})
			require.NoError(t, err)
			cluster := params[clusterParams].(map[string]any)
			maps.Copy(cluster["ansible"].(map[string]any), map[string]any{
				"ip_address": made[ansibleOfSpecification].Address, "ssh_port": 2222, "username": "debian",
				"password": testbed.NodePassword, "kubespray_root_path": "/opt/kubespray",
				"transferring_inventory_path": "/home/debian/inventory",
			})
			maps.Copy(cluster["external_lb_param"].(map[string]any), map[string]any{
				"ssh_cp_name": "externalLB_CP1", "ssh_username": "debian", "ssh_password": testbed.NodePassword,
			})
		},
	},
	{
		name: "ha-masters", vnfd: "a1f2c1c4-7a40-4d35-9f0f-0d5f6f1b0c05", sample: "k8s-ha", from: "ha", to: "cluster_install",
	},
}

const ansibleOfSpecification = "ansible-specified"

// specifiedRequests posts the bodies of the five specifications, with other ids, addresses and credentials only, to
// packages that have the fragments of VNFDs and HOTs in the specifications. Tests with -seeds compare all of them with the
// specifications, member by member.
func specifiedRequests(t *testing.T, b *bed) {
	t.Run("vim-openstack", func(t *testing.T) { specifiedVim(t, b) })
	for _, s := range specifications {
		t.Run(s.name, func(t *testing.T) { s.carryOut(t, b) })
	}
	require.NoError(t, kubespray.RemoveMachines(t.Context(), b.Cloud.Login(), ansibleOfSpecification))
	b.RequireNothingLeft(t)
}

// specifiedVim registers a VIM with the file of the specification. What differs are the lab's address and credentials.
func specifiedVim(t *testing.T, b *bed) {
	text, err := os.ReadFile("testdata/specifications/vim-openstack.yaml")
	require.NoError(t, err)
	file := map[string]any{}
	require.NoError(t, yaml.Unmarshal(text, &file))
	login := b.Cloud.Login()
	for member, value := range map[string]string{
		"auth_url": login.AuthURL, "username": login.User, "password": login.Password, "project_name": login.Project,
		"project_domain_name": login.ProjectDomain, "user_domain_name": login.Domain,
	} {
		require.Contains(t, file, member)
		file[member] = value
	}
	text, err = yaml.Marshal(file)
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "vim.yaml")
	require.NoError(t, os.WriteFile(path, text, 0o600))
	for _, args := range [][]string{{"register", "specified", "--config", path}, {"show", "specified"}, {"delete", "specified"}} {
		out, err := b.Windlass(t.Context(), append([]string{"vim"}, args...)...).CombinedOutput()
		require.NoError(t, err, "%s", out)
		if args[0] == "show" {
			require.Contains(t, strings.ToUpper(string(out)), "REACHABLE")
		}
	}
}

func (s specified) carryOut(t *testing.T, b *bed) {
	ca, certificate := privateCA(t)
	b.onboardDirectory(t, s.writePackage(t, b.Root, ca))
	vnf := b.CreateOf(t, s.vnfd, s.name)
	body := s.body(t, b, certificate)
	if s.name == "ha-masters" { // the specification leaves its parameters open
		a := b.Call(t, "POST", "/vnflcm/v1/vnf_instances/"+vnf+"/instantiate", body)
		require.Equal(t, 400, a.Status)
		require.Contains(t, string(a.Body), clusterParams)
		whole := b.SampleRequest(t, "ha", s.name, nil)
		body["extVirtualLinks"] = whole["extVirtualLinks"]
		body["additionalParams"].(map[string]any)[clusterParams] = whole["additionalParams"].(map[string]any)[clusterParams]
	}
	b.Await(t, b.Begin(t, vnf, "instantiate", body), quick, "COMPLETED")
	b.terminate(t, vnf)
}

// body reads the request, and sets what no specification can know.
func (s specified) body(t *testing.T, b *bed, certificate *tls.Certificate) map[string]any {
	t.Helper()
	body := readBody(t, filepath.Join("testdata/specifications", s.name+".json"))
	body["vimConnectionInfo"].([]any)[0].(map[string]any)["vimId"] = b.Vim
	links, _ := body["extVirtualLinks"].([]any)
	for _, link := range links {
		link.(map[string]any)["resourceId"] = "net0"
	}
	params := body["additionalParams"].(map[string]any)
	if cluster, ok := params[clusterParams].(map[string]any); ok {
		cluster["vim_name"] = "cluster-" + s.name
		for _, role := range []string{"master_node", "worker_node"} {
			node := cluster[role].(map[string]any)
			node["username"], node["password"] = "debian", testbed.NodePassword
		}
	}
	if s.change != nil {
		s.change(t, b, certificate, params)
	}
	return body
}

func readBody(t *testing.T, file string) (body map[string]any) {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &body))
	return body
}

// writePackage makes the package that the specification describes of a sample: with the specification's fragments.
func (s specified) writePackage(t *testing.T, root string, ca []byte) (dir string) {
	t.Helper()
	dir = t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(filepath.Join(root, "vnfpkg/samples", s.sample))))
	files := map[string]string{
		"UserData/k8s_cluster_user_data.py": "# Windlass has this class.\n", "Files/registries/ca.crt": string(ca),
	}
	maps.Copy(files, s.files)
	if _, scripted := files["Scripts/ExternalLB_installation.sh"]; scripted {
		script, err := os.ReadFile(filepath.Join(dir, "Scripts/balance.sh"))
		require.NoError(t, err)
		files["Scripts/ExternalLB_installation.sh"] = string(script)
	}
	for name, text := range files {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	if s.to != "" {
		s.renameFlavour(t, dir)
	}
	s.editDefinitions(t, dir)
	for _, f := range fragments[s.name] {
		f.merge(t, dir)
	}
	return dir
}

// renameFlavour leaves only the flavour from, and calls it to.
func (s specified) renameFlavour(t *testing.T, dir string) {
	t.Helper()
	top := filepath.Join(dir, "BaseHOT", s.from, s.from+"_hot_top.yaml")
	if _, err := os.Stat(filepath.Join(dir, "BaseHOT", s.to)); err == nil { // in the place of a flavour whose parts it uses
		require.NoError(t, os.Rename(top, filepath.Join(dir, "BaseHOT", s.to, s.to+"_hot_top.yaml")))
		require.NoError(t, os.RemoveAll(filepath.Join(dir, "BaseHOT", s.from)))
		return
	}
	require.NoError(t, os.Rename(filepath.Join(dir, "BaseHOT", s.from), filepath.Join(dir, "BaseHOT", s.to)))
}

var (
	imported = regexp.MustCompile(`(?m)^  - \S+_df_(\w+)\.yaml\n`)
	flavours = regexp.MustCompile(`(flavour_id:\n +type: string\n +constraints: \[ valid_values: )\[[^]]*\]( \]\n +default: )\w+`)
)

func (s specified) editDefinitions(t *testing.T, dir string) {
	t.Helper()
	definitions, err := filepath.Glob(filepath.Join(dir, "Definitions/*.yaml"))
	require.NoError(t, err)
	id := regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}`)
	for _, file := range definitions {
		if name := filepath.Base(file); s.to != "" && strings.Contains(name, "_df_") && !strings.HasSuffix(name, "_df_"+s.from+".yaml") {
			require.NoError(t, os.Remove(file))
			continue
		}
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		edited := id.ReplaceAllString(string(text), s.vnfd)
		if s.driver != "" {
			edited = strings.ReplaceAll(edited, "mgmt-drivers-kubernetes", s.driver)
		}
		if s.to != "" {
			edited = imported.ReplaceAllStringFunc(edited, func(line string) string {
				if imported.FindStringSubmatch(line)[1] == s.from {
					return line
				}
				return ""
			})
			edited = strings.ReplaceAll(edited, "flavour_id: "+s.from+"\n", "flavour_id: "+s.to+"\n")
			edited = flavours.ReplaceAllString(edited, "${1}[ "+s.to+" ]${2}"+s.to)
		}
		require.NoError(t, os.WriteFile(file, []byte(edited), 0o600))
	}
}
