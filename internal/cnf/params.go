// Package cnf reads what containerised VNFs are made of: the parameters of their requests and the manifests of their
// packages, and what the VDUs of the VNFD are among them. Where a request names none, it makes manifests of the VNFD.
// Nothing here calls a cluster.
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
)

const (
	paramsPath = "$.additionalParams"
	// FilesMember is the member of additionalParams that names the files of manifests.
	FilesMember = "lcm-kubernetes-def-files"
	filesPath   = paramsPath + "." + FilesMember
	mappingPath = paramsPath + ".vdu_mapping"
	// namespacePath is also where manifests are told of that do not agree.
	namespacePath = paramsPath + ".namespace"
)

// Params are the members of additionalParams that are about a containerised VNF, as Tacker's clients write them.
type Params struct {
	// Files are the manifests' paths in the VNF package, or URLs.
	Files []string `json:"lcm-kubernetes-def-files,omitempty" param:"is=manifest file"`
	Helm
	// Namespace is where all objects are, whatever their manifests say; "" lets these decide.
	Namespace string `json:"namespace,omitempty" param:"is=namespace"`
	// Registries are those of images that want a password.
	Registries []Registry `json:"private_registry_connection_info,omitempty"`
	// Patience is for how many seconds trouble may last that may heal itself.
	Patience int `json:"patience,omitempty" param:"min=1; max=3600; unit=seconds"`
	// VduMapping says what the VDUs are, by their ids; none lets their names decide.
	VduMapping map[string]VduMapping `json:"vdu_mapping,omitempty"`
}

// VduMapping is the workload of a VDU.
type VduMapping struct {
	Kind string `json:"kind" param:"required=it is the kind of the VDU's workload; enum=Pod|Deployment|ReplicaSet|StatefulSet|DaemonSet"`
	Name string `json:"name" param:"required=it is the name of the VDU's workload"`
	// HelmReleaseName is where the workload is, when a chart brings it.
	HelmReleaseName string `json:"helmreleasename,omitempty"`
}

var manner = lcm.Tackers.With(map[string]params.Check{
	"manifest file": params.Of(fileProblem),
	"namespace":     params.Of(namespaceProblem),
	"chart file":    params.Of(chartProblem),
	"chart name":    params.Of(chartNameProblem),
	"repository":    params.Of(repositoryProblem),
	"release name": params.Matches(releaseName,
		"the name of a release (at most 53 small letters, digits and dashes)"),
	"key of a value": params.Matches(valueKey, "the key of a value, such as web.replicaCount"),
})

// ReadParams reads and checks the parameters: every mistake once. Other members are for others.
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

// label is a name of RFC 1123, which namespaces have.
var label = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$`)

func namespaceProblem(name string) string {
	if label.MatchString(name) {
		return ""
	}
	return fmt.Sprintf("must be the name of a namespace (at most 63 small letters, digits and dashes), not %q", name)
}

// Unasked are the parameters of a request that make containers, for a VNF that has none: nobody would apply what they
// name. flavour is that of the request.
func Unasked(additionalParams json.RawMessage, flavour string) (problems []lcm.Problem) {
	var given map[string]json.RawMessage
	if len(additionalParams) == 0 || json.Unmarshal(additionalParams, &given) != nil {
		return nil // told elsewhere
	}
	for _, path := range []string{filesPath, chartPath, installPath} {
		if _, ok := given[strings.TrimPrefix(path, paramsPath+".")]; ok {
			problems = append(problems, lcm.Problem{Path: path, Detail: fmt.Sprintf("makes containers, and the flavour %s has "+
				"none: all of its VDUs are VMs. Give those that are containers the type Vdu.OsContainerDeployableUnit in the "+
				"VNFD, or leave this out", flavour)})
		}
	}
	return problems
}
