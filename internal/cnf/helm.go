package cnf

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"helm.sh/helm/v4/pkg/strvals"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/params"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

const (
	chartPath      = paramsPath + ".helm_chart_path"
	parametersPath = paramsPath + ".helm_parameters"
	valueNamesPath = paramsPath + ".helm_value_names"
	installPath    = paramsPath + ".using_helm_install_param"
	replicasPath   = paramsPath + ".helm_replica_values"
)

// Helm holds the parameters for charts: those of /vnflcm/v2, which has one chart, and those of v1.
type Helm struct {
	// ChartFile is an archive (.tgz) or a folder in the VNF package, or a URL. Parameters are the chart's values; a key
	// is a path with dots.
	ChartFile  string         `json:"helm_chart_path,omitempty" param:"is=chart file"`
	Parameters map[string]any `json:"helm_parameters,omitempty"`
	// ValueNames are the keys of the chart values with the numbers of Pods, by VDU id.
	ValueNames map[string]ValueNames `json:"helm_value_names,omitempty"`

	UseHelm bool      `json:"use_helm,omitempty"`
	Install []Install `json:"using_helm_install_param,omitempty"`
	// ReplicaValues are the keys of the chart values with the numbers of Pods, by scaling aspect id.
	ReplicaValues map[string]string `json:"helm_replica_values,omitempty"`
}

// ValueNames are the keys of a VDU's values.
type ValueNames struct {
	Replica string `json:"replica" param:"required=it is the key of the value with the VDU's number of Pods; is=key of a value"`
}

// Install is one chart in the form of /vnflcm/v1.
type Install struct {
	External   bool     `json:"exthelmchart,omitempty"`
	ChartFile  string   `json:"helmchartfile_path,omitempty" param:"is=chart file"`
	Release    string   `json:"helmreleasename" param:"required=it is the name of the release; is=release name"`
	Parameters []string `json:"helmparameter,omitempty"`
	Repository string   `json:"helmrepositoryname,omitempty"` // helm's name for the repository; not used here
	Chart      string   `json:"helmchartname,omitempty" param:"is=chart name"`
	// Version is the chart's version in the repository; "" is the newest. Tacker has no such member.
	Version string `json:"helmchartversion,omitempty"`
	URL     string `json:"exthelmrepo_url,omitempty" param:"is=repository"`
}

// mostCharts bounds the charts of a VNF: each is rendered in a process of its own while a request waits.
const mostCharts = 20

// CheckMembers implements params.Checker.
func (p Params) CheckMembers(wrong params.Wrong) {
	if p.UseHelm && len(p.Install) == 0 && p.ChartFile == "" {
		wrong("using_helm_install_param", "is missing: it names the charts in the VNF package")
	}
	if len(p.Install) > mostCharts {
		wrong("using_helm_install_param", "has %d charts; a VNF may have %d", len(p.Install), mostCharts)
		return
	}
	known := map[string]bool{}
	for i, in := range p.Install {
		if in.Release != "" && known[in.Release] {
			wrong(fmt.Sprintf("using_helm_install_param[%d].helmreleasename", i), "is the name of two releases, %q", in.Release)
		}
		known[in.Release] = true
	}
	for _, key := range sortedKeys(p.Parameters) {
		if err := setAny(map[string]any{}, key, p.Parameters[key]); err != nil {
			wrong(memberOf("helm_parameters", key), "cannot be a value of a chart: %v", err)
		}
	}
}

func memberOf(path, key string) string {
	return strings.TrimPrefix(lcm.MemberPath("$."+path, key), "$.")
}

// CheckMembers implements params.Checker.
func (in Install) CheckMembers(wrong params.Wrong) {
	switch {
	case !in.External && in.ChartFile == "":
		wrong("helmchartfile_path", "is missing: it names the chart in the VNF package")
	case in.External && in.URL == "":
		wrong("exthelmrepo_url", "is missing: it is the URL of the repository that has the chart")
	case in.External && in.Chart == "":
		wrong("helmchartname", "is missing: it is the name of the chart in the repository")
	}
	for i, parameter := range in.Parameters {
		if err := setText(map[string]any{}, parameter); err != nil {
			wrong(fmt.Sprintf("helmparameter[%d]", i), "must have the form of helm --set, key=value: %v", err)
		}
	}
}

func (p Params) hasCharts() bool { return p.ChartFile != "" || len(p.Install) > 0 }

// at is the path for problems that concern all objects.
func (p Params) at() string {
	switch {
	case len(p.Files) > 0 || !p.hasCharts():
		return filesPath
	case p.ChartFile != "":
		return chartPath
	default:
		return installPath
	}
}

// chart is a chart that the request names.
type chart struct {
	file, release string
	source        *Source // instead of a file
	values        map[string]any
	at            string // the path of the file's name
}

// charts are the charts of the request. It leaves out invalid ones: ReadParams reports them.
func (p Params) charts(id lcm.VnfInstanceID) (out []chart) {
	if p.ChartFile != "" && chartProblem(p.ChartFile) == "" {
		c := chart{file: p.ChartFile, release: ReleaseName(id), values: map[string]any{}, at: chartPath}
		if isURL(c.file) {
			c.source = &Source{URL: c.file, At: chartPath}
		}
		for _, key := range sortedKeys(p.Parameters) {
			_ = setAny(c.values, key, p.Parameters[key])
		}
		out = append(out, c)
	}
	for i, in := range p.Install {
		c, ok := in.chart(params.ItemPath(installPath, i))
		if !ok {
			continue
		}
		for _, parameter := range in.Parameters {
			_ = setText(c.values, parameter)
		}
		out = append(out, c)
	}
	return out
}

// chart is the chart of an install at the path; ok is false if the install does not name a chart correctly.
func (in Install) chart(at string) (c chart, ok bool) {
	c = chart{file: in.ChartFile, release: in.Release, values: map[string]any{}, at: at + ".helmchartfile_path"}
	switch {
	case in.External:
		c.at = at + ".exthelmrepo_url"
		c.source = &Source{URL: in.URL, Chart: in.Chart, Version: in.Version, At: c.at}
		if strings.HasPrefix(in.URL, "oci://") { // there, the repository is a folder of charts
			c.source = &Source{URL: strings.TrimSuffix(in.URL, "/") + "/" + in.Chart + ":" + in.Version, At: c.at}
			c.source.URL = strings.TrimSuffix(c.source.URL, ":")
		}
		c.file = c.source.Key()
		return c, in.URL != "" && in.Chart != "" && urlProblem(in.URL, chartSchemes) == "" && chartNameProblem(in.Chart) == ""
	case isURL(in.ChartFile):
		c.source = &Source{URL: in.ChartFile, At: c.at}
	}
	return c, in.ChartFile != "" && chartProblem(in.ChartFile) == ""
}

// ReleaseName is the Helm release name of a VNF whose request names none.
func ReleaseName(id lcm.VnfInstanceID) string { return "vnf" + strings.ReplaceAll(string(id), "-", "") }

// keys are the keys of the values with the numbers of Pods, by VDU id, and the JSON paths for problems about them.
func (p Params) keys(f *descriptor.Flavour) (keys, paths map[string]string, problems []lcm.Problem) {
	keys, paths = map[string]string{}, map[string]string{}
	for _, vdu := range sortedKeys(p.ValueNames) {
		at := lcm.MemberPath(valueNamesPath, vdu)
		if _, ok := f.Vdu(vdu); !ok {
			problems = append(problems, lcm.Problem{Path: at, Detail: fmt.Sprintf("the flavour %s has no VDU %q", f.ID, vdu)})
			continue
		}
		keys[vdu], paths[vdu] = p.ValueNames[vdu].Replica, at+".replica"
	}
	for _, id := range sortedKeys(p.ReplicaValues) {
		at := lcm.MemberPath(replicasPath, id)
		known := false
		for _, aspect := range f.Aspects {
			if aspect.ID != id {
				continue
			}
			known = true
			for _, vdu := range sortedKeys(aspect.Deltas) {
				keys[vdu], paths[vdu] = p.ReplicaValues[id], at
			}
		}
		if !known {
			problems = append(problems, lcm.Problem{
				Path: at, Detail: fmt.Sprintf("the flavour %s has no scaling aspect %q", f.ID, id),
			})
		}
	}
	return keys, paths, problems
}

// setText sets a value as helm --set does.
func setText(values map[string]any, parameter string) error {
	if key, _, ok := strings.Cut(parameter, "="); !ok || strings.TrimSpace(key) == "" {
		return fmt.Errorf("%q has no key and no value", parameter)
	}
	if err := effective(parameter, strvals.ParseInto); err != nil {
		return err
	}
	return strvals.ParseInto(parameter, values)
}

// effective refuses a parameter whose key Helm reads as no key at all, such as "a[": it would have no effect.
func effective(parameter string, parse func(string, map[string]any) error) error {
	alone := map[string]any{}
	if err := parse(parameter, alone); err != nil {
		return err
	}
	if len(alone) == 0 {
		return errors.New("its key is the key of no value; write it as for helm --set, such as web.replicaCount or list[0].name")
	}
	return nil
}

// escaped escapes the characters with a special meaning for helm --set.
var escaped = strings.NewReplacer(`\`, `\\`, `,`, `\,`, `{`, `\{`, `}`, `\}`)

// setAny sets a value whose key has dots. A text gets the type that it looks like, as with helm --set, which Tacker
// uses.
func setAny(values map[string]any, key string, value any) error {
	if text, ok := value.(string); ok {
		return setText(values, key+"="+escaped.Replace(text))
	}
	doc, err := json.Marshal(value)
	if err != nil {
		return err
	}
	if strings.TrimSpace(key) == "" {
		return errors.New("its key is empty")
	}
	if err := effective(key+"="+string(doc), strvals.ParseJSON); err != nil {
		return err
	}
	return strvals.ParseJSON(key+"="+string(doc), values)
}

// valueKey matches the key of a value: names with dots between them, or an index of a list.
var valueKey = regexp.MustCompile(`^[^=,{}\s]{1,200}$`)

// releaseName matches a valid Helm release name, but for its length.
var releaseName = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`)

// longestRelease is Helm's limit: names of objects have the name of the release and more.
const longestRelease = 53

func releaseProblem(name string) string {
	if len(name) <= longestRelease && releaseName.MatchString(name) {
		return ""
	}
	return fmt.Sprintf("must be the name of a release (at most %d small letters, digits, dashes and dots), not %q",
		longestRelease, name)
}

func repositoryProblem(text string) string { return urlProblem(text, chartSchemes) }

// chartName matches a chart's name in a repository.
var chartName = regexp.MustCompile(`^[A-Za-z0-9]([-_.A-Za-z0-9/]{0,250}[A-Za-z0-9])?$`)

func chartNameProblem(name string) string {
	if chartName.MatchString(name) && !strings.Contains(name, "..") {
		return ""
	}
	return fmt.Sprintf("%q is no name of a chart, such as web", name)
}

func chartProblem(file string) string {
	switch {
	case isURL(file):
		return urlProblem(file, chartSchemes)
	case inPackage(file):
		return ""
	}
	return fmt.Sprintf("%q is no path in the VNF package, such as Files/kubernetes/chart-0.1.0.tgz", file)
}
