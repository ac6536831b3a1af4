package docs_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/cnf"
	"github.com/windlass-nfv/windlass/internal/config"
	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/driver/nodeport"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

var (
	fallback = regexp.MustCompile(`\(default (.*)\)$`)
	variable = regexp.MustCompile(`WINDLASS_[A-Z0-9_]*[A-Z0-9]`)
	several  = regexp.MustCompile(`WINDLASS_[A-Z0-9_]*_\.\.\.`) // all variables with this prefix
	// The variables that are not settings: the name of the file, the client's address and credentials, the keys, and
	// variables of other binaries.
	otherVariables = []string{
		"WINDLASS_CONFIG", "WINDLASS_API", "WINDLASS_KEYS", "WINDLASS_KEYS_PIN", "WINDLASS_PROFILE", "WINDLASS_PROFILES",
		"WINDLASS_AUTH", "WINDLASS_TOKEN", "WINDLASS_TOKEN_FILE", "WINDLASS_OAUTH2_TOKEN_URL", "WINDLASS_OAUTH2_CLIENT_ID",
		"WINDLASS_OAUTH2_CLIENT_SECRET",
		"WINDLASS_OAUTH2_SCOPES", "WINDLASS_CA_CERT", "WINDLASS_CLIENT_CERT", "WINDLASS_CLIENT_KEY",
		"WINDLASS_PACKAGE_PASSWORD",
	}
)

func settings() *pflag.FlagSet {
	flags := pflag.NewFlagSet("windlass", pflag.ContinueOnError)
	config.AddFlags(flags)
	return flags
}

func TestOperationsGuide_hasEverySettingWithItsDefault(t *testing.T) {
	text := page(t, "operations.md")
	known := otherVariables
	settings().VisitAll(func(f *pflag.Flag) {
		env := "WINDLASS_" + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
		known = append(known, env)
		if f.Name == "config" {
			return
		}
		var line string
		for l := range strings.Lines(text) {
			if strings.HasPrefix(l, "| ") && strings.Contains(l, "`"+env+"`") && strings.Contains(l, "`--"+f.Name+"`") {
				line = l
			}
		}
		require.NotEmpty(t, line, "no row with %s and --%s", env, f.Name)
		key := strings.Trim(strings.Split(line, "|")[1], " `")
		assert.Equal(t, strings.ReplaceAll(f.Name, "-", ""), strings.ToLower(strings.ReplaceAll(key, ".", "")),
			"the name in the file")
		if m := fallback.FindStringSubmatch(f.Usage); m != nil {
			assert.Contains(t, strings.Split(line, "|")[4], "`"+m[1]+"`", "default of %s", f.Name)
		}
	})
	for file, text := range pages(t) {
		for _, name := range variable.FindAllString(several.ReplaceAllString(text, ""), -1) {
			if strings.HasPrefix(name, "WINDLASS_TEST_") || strings.HasPrefix(name, "WINDLASS_OPENSTACK_") {
				continue // the variables of the tests' cloud, which is not part of the product
			}
			assert.Contains(t, known, name, file)
		}
	}
}

// parameter is a member of k8s_cluster_installation_param with its default.
type parameter struct{ path, fallback string }

// parameters lists the members of v by their JSON names, also those of objects in them.
func parameters(v reflect.Value, prefix string) []parameter {
	var out []parameter
	for i := range v.NumField() {
		name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
		value := v.Field(i)
		if value.Kind() == reflect.Pointer {
			value = reflect.New(value.Type().Elem()).Elem()
		}
		if v.Type().Field(i).Anonymous && name == "" {
			out = append(out, parameters(value, prefix)...)
			continue
		}
		p := parameter{path: prefix + name}
		if value.Kind() == reflect.Struct && value.Type() != reflect.TypeFor[lcm.Secret]() {
			out = append(append(out, p), parameters(value, p.path+".")...)
			continue
		}
		if value.Kind() != reflect.Struct && !value.IsZero() {
			p.fallback = fmt.Sprint(value.Interface())
		}
		out = append(out, p)
	}
	return out
}

// controlPlanesOnly are members of master_node and worker_node that worker_node does not use.
var controlPlanesOnly = []string{
	"worker_node.pod_cidr", "worker_node.cluster_cidr", "worker_node.cluster_cp_name",
	"worker_node.cluster_fip_name",
}

func TestReference_hasEveryParameterOfAClusterWithItsDefault(t *testing.T) {
	text := page(t, "reference/cluster-parameters.md")
	params, wrong := k8s.Read(json.RawMessage(`{"` + k8s.ParamsKey + `": {}}`))
	require.Empty(t, wrong.Types)

	known := map[string]bool{}
	for _, p := range parameters(reflect.ValueOf(params), "") {
		known[p.path] = true
		line := row(text, p.path)
		if line == "" {
			assert.Contains(t, controlPlanesOnly, p.path, "no row for the parameter")
			continue
		}
		if p.fallback != "" {
			assert.Contains(t, strings.Split(line, "|")[2], "`"+p.fallback+"`", "default of %s", p.path)
		}
	}
	for line := range strings.Lines(text) {
		if cells := strings.Split(line, "|"); len(cells) > 3 {
			for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cells[1], -1) {
				assert.True(t, known[m[1]], "%s is no parameter", m[1])
			}
		}
	}
}

func TestReference_hasEveryParameterOfExposedServices(t *testing.T) {
	text := page(t, "how-to/external-load-balancer.md")
	for _, p := range parameters(reflect.ValueOf(nodeport.Params{}), "") {
		assert.NotEmpty(t, row(text, p.path), "no row for the parameter %s", p.path)
	}
}

func TestReference_hasEveryParameterOfAContainerisedVNF(t *testing.T) {
	text := page(t, "how-to/containers.md") + page(t, "how-to/container-networks.md") + page(t, "how-to/helm.md")
	for _, p := range parameters(reflect.ValueOf(cnf.Params{}), "") {
		assert.NotEmpty(t, row(text, p.path), "no row for the parameter %s", p.path)
	}
	for prefix, of := range map[string]any{
		"vdu_mapping.<vdu>.": cnf.VduMapping{}, "helm_value_names.<vdu>.": cnf.ValueNames{},
		"using_helm_install_param[].": cnf.Install{},
	} {
		for _, p := range parameters(reflect.ValueOf(of), prefix) {
			assert.NotEmpty(t, row(text, p.path), "no row for the parameter %s", p.path)
		}
	}
}
