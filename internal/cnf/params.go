// Package cnf reads the parts of containerised VNFs: the parameters of requests, the manifests of packages, and the
// workloads of VDUs among them. If a request names no manifests, it makes them from the VNFD. Nothing here calls a
// cluster.
package cnf

import (
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/params"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

const (
	paramsPath = "$.additionalParams"
	// FilesMember is the member of additionalParams with the manifest files.
	FilesMember = "lcm-kubernetes-def-files"
	filesPath   = paramsPath + "." + FilesMember
	mappingPath = paramsPath + ".vdu_mapping"
	// namespacePath is also the path for problems about manifests that disagree on a namespace.
	namespacePath = paramsPath + ".namespace"
)

// Params are the members of additionalParams for a containerised VNF, as Tacker's clients write them.
type Params struct {
	// Files are the manifests' paths in the VNF package, or URLs.
	Files []string `json:"lcm-kubernetes-def-files,omitempty" param:"is=manifest file"`
	Helm
	// Namespace is the namespace of all objects and overrides their manifests; "" lets the manifests decide.
	Namespace string `json:"namespace,omitempty" param:"is=namespace"`
	// Registries are image registries that need a password.
	Registries []Registry `json:"private_registry_connection_info,omitempty"`
	// Patience is how many seconds a problem that may heal itself may last.
	Patience int `json:"patience,omitempty" param:"min=1; max=3600; unit=seconds"`
	// ReadyTimeout is how many seconds an operation waits until the objects are ready. An activity that waits ends after
	// three hours, whatever the request says.
	ReadyTimeout int `json:"ready_timeout,omitempty" param:"min=1; max=7200; unit=seconds"`
	// VduMapping maps VDU ids to workloads; without it the VDUs' names decide.
	VduMapping map[string]VduMapping `json:"vdu_mapping,omitempty"`
}

// VduMapping is the workload of a VDU.
type VduMapping struct {
	Kind string `json:"kind" param:"required=it is the kind of the VDU's workload; enum=Pod|Deployment|ReplicaSet|StatefulSet|DaemonSet"`
	Name string `json:"name" param:"required=it is the name of the VDU's workload"`
	// HelmReleaseName is the Helm release of the workload, if a chart makes it.
	HelmReleaseName string `json:"helmreleasename,omitempty"`
}

var manner = lcm.Tackers.With(map[string]params.Check{
	"manifest file":  params.Of(fileProblem),
	"namespace":      params.Of(namespaceProblem),
	"chart file":     params.Of(chartProblem),
	"chart name":     params.Of(chartNameProblem),
	"repository":     params.Of(repositoryProblem),
	"release name":   params.Of(releaseProblem),
	"key of a value": params.Matches(valueKey, "the key of a value, such as web.replicaCount"),
})

// ReadParams reads and checks the parameters. It reports every mistake once and ignores other members.
func ReadParams(additionalParams json.RawMessage) (Params, []lcm.Problem) {
	var p Params
	problems, unknown := manner.Read(paramsPath, additionalParams, &p)
	problems = params.Join(problems, manner.Check(paramsPath, p))
	unknown = slices.DeleteFunc(unknown, func(u lcm.Problem) bool {
		return !slices.ContainsFunc([]string{mappingPath, valueNamesPath, installPath}, func(ours string) bool {
			return strings.HasPrefix(u.Path, ours)
		})
	})
	return p, append(problems, unknown...)
}

func fileProblem(file string) string {
	switch {
	case isURL(file):
		return urlProblem(file, webSchemes)
	case !inPackage(file):
		return fmt.Sprintf("%q is no path in the VNF package, such as Files/kubernetes/deployment.yaml", file)
	}
	return ""
}

func isURL(file string) bool { return strings.Contains(file, "://") }

// inPackage tells whether a path stays in the package.
func inPackage(file string) bool {
	clean := path.Clean(file)
	return file != "" && !path.IsAbs(file) && !strings.ContainsAny(file, "\\\x00\n") && clean != "." && clean != ".." &&
		!strings.HasPrefix(clean, "../") && !isURL(file)
}

// label matches an RFC 1123 label, which a namespace name must be.
var label = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$`)

func namespaceProblem(name string) string {
	if label.MatchString(name) {
		return ""
	}
	return fmt.Sprintf("must be the name of a namespace (at most 63 small letters, digits and dashes), not %q", name)
}

// Unasked reports parameters of a request that make containers although the VNF has none: Windlass would not apply
// them.
func Unasked(additionalParams json.RawMessage, f *descriptor.Flavour) (problems []lcm.Problem) {
	var given map[string]json.RawMessage
	if len(additionalParams) == 0 || json.Unmarshal(additionalParams, &given) != nil {
		return nil // reported elsewhere
	}
	why := fmt.Sprintf("all VDUs of the flavour %s are VMs. Give the VDUs of containers the type "+
		"Vdu.OsContainerDeployableUnit in the VNFD, or leave this out", f.ID)
	if len(f.Vdus) == 0 {
		why = fmt.Sprintf("the flavour %s has no VDU. Add the VDUs of the containers to the VNFD", f.ID)
	}
	for _, path := range []string{filesPath, chartPath, installPath} {
		if _, ok := given[strings.TrimPrefix(path, paramsPath+".")]; ok {
			problems = append(problems, lcm.Problem{Path: path, Detail: "makes containers, but " + why})
		}
	}
	return problems
}
