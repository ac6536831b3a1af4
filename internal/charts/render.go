package charts

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"helm.sh/helm/v4/pkg/chart/common"
	commonutil "helm.sh/helm/v4/pkg/chart/common/util"
	"helm.sh/helm/v4/pkg/chart/loader/archive"
	chart "helm.sh/helm/v4/pkg/chart/v2"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	chartutil "helm.sh/helm/v4/pkg/chart/v2/util"
	"helm.sh/helm/v4/pkg/engine"
	releaseutil "helm.sh/helm/v4/pkg/release/v1/util"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/windlass-nfv/windlass/internal/expansion"
)

// render is the work of the process. The error completes a sentence about the chart.
func render(j job) (a answer, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("it makes Helm fail: %v", p)
		}
	}()
	if a.Chart, err = load(j.Release.Content); err != nil {
		return a, err
	}
	if err := usable(a.Chart, j.Capabilities); err != nil {
		return a, err
	}
	if err := chartutil.ProcessDependencies(a.Chart, j.Release.Values); err != nil {
		return a, err
	}
	on, err := capabilities(j.Capabilities)
	if err != nil {
		return a, err
	}
	values, err := commonutil.ToRenderValuesWithSchemaValidation(a.Chart, j.Release.Values, common.ReleaseOptions{
		Name: j.Release.Name, Namespace: j.Release.Namespace, Revision: j.Revision,
		IsInstall: j.Revision == 1, IsUpgrade: j.Revision > 1,
	}, on, true)
	if err != nil {
		return a, err
	}
	if err := validate(a.Chart, values); err != nil {
		return a, err
	}
	files, open, err := templates(j, a.Chart, values)
	switch {
	case len(open) > 0:
		return answer{Open: open}, nil // with the answers it may become another chart, and an error may go
	case err != nil:
		return a, err
	}
	a.Notes = takeNotes(a.Chart, files)
	return a, a.take(j.Release, j.Revision, files)
}

// templates renders the files of a chart, and returns the questions about the cluster that have no answer yet.
func templates(j job, of *chart.Chart, values common.Values) (files map[string]string, open []Lookup, err error) {
	if !j.Asks {
		files, err = engine.Engine{}.RenderWithContext(context.Background(), of, values)
		return files, nil, err
	}
	l := &lookups{namespace: j.Release.Namespace, known: j.Answers}
	files, err = engine.RenderWithClientProvider(of, values, l)
	return files, l.open, err
}

// take makes objects and hooks from the rendered files.
func (a *answer) take(of Release, revision int, files map[string]string) error {
	hooks, manifests, err := releaseutil.SortManifests(files, nil, releaseutil.InstallOrder)
	if err != nil {
		return err
	}
	a.Hooks = hooks
	objects := []map[string]any{}
	add := func(file, text string, change func(o map[string]any)) error {
		made, err := objectsOf(text)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		for _, o := range made {
			change(o)
			if of.holds(o) {
				Pull(o, of.PullSecret)
			}
			mark(o, of)
			objects, a.Paths = append(objects, o), append(a.Paths, file)
		}
		return nil
	}
	for _, crd := range a.Chart.CRDObjects() {
		// Helm does not uninstall them: other releases of the chart need them.
		if err := add(crd.Filename, string(crd.File.Data), stay); err != nil {
			return err
		}
	}
	for _, m := range manifests {
		if err := add(m.Name, m.Content, func(map[string]any) {}); err != nil {
			return err
		}
	}
	for i, h := range a.Hooks {
		if err := of.hook(h, revision, i); err != nil {
			return fmt.Errorf("the hook of %s: %w", h.Path, err)
		}
	}
	a.Objects, err = json.Marshal(objects)
	return err
}

func load(c Content) (*chart.Chart, error) {
	if c.Archive != nil {
		return loader.LoadArchive(bytes.NewReader(c.Archive))
	}
	leaveOut, err := ignored(c.Files)
	if err != nil {
		return nil, err
	}
	var files []*archive.BufferedFile
	for _, name := range slices.Sorted(maps.Keys(c.Files)) {
		if leaveOut(name) {
			continue
		}
		files = append(files, &archive.BufferedFile{Name: name, Data: c.Files[name]})
	}
	return loader.LoadFiles(files)
}

// usable checks what Helm requires before it installs a chart.
func usable(c *chart.Chart, on Capabilities) error {
	if c.Metadata.Type == "library" {
		return errors.New("it is a library for other charts")
	}
	for _, wanted := range c.Metadata.Dependencies {
		if !slices.ContainsFunc(c.Dependencies(), func(d *chart.Chart) bool { return d.Name() == wanted.Name }) {
			return fmt.Errorf("it needs the chart %s, which is not in its folder charts: package it with its dependencies",
				wanted.Name)
		}
	}
	if wants := c.Metadata.KubeVersion; wants != "" && on.Version != "" && !chartutil.IsCompatibleRange(wants, on.Version) {
		return fmt.Errorf("it is for Kubernetes %s, and the cluster has %s", wants, on.Version)
	}
	return nil
}

func capabilities(of Capabilities) (*common.Capabilities, error) {
	on := common.DefaultCapabilities.Copy()
	if of.Version != "" {
		version, err := common.ParseKubeVersion(of.Version)
		if err != nil {
			return nil, fmt.Errorf("the version of the cluster, %s, is none that Helm knows: %w", of.Version, err)
		}
		on.KubeVersion = *version
	}
	if of.APIs != nil {
		on.APIVersions = common.VersionSet(of.APIs)
	}
	return on, nil
}

const notesFile = "NOTES.txt"

// takeNotes removes the charts' notes, which are for people, from the files and returns the chart's own.
func takeNotes(c *chart.Chart, files map[string]string) string {
	own := files[path.Join(c.Name(), "templates", notesFile)]
	maps.DeleteFunc(files, func(name, _ string) bool { return path.Base(name) == notesFile })
	return own
}

// objectsOf reads the documents of a file. It splits lists into objects and leaves out empty documents.
func objectsOf(text string) (out []map[string]any, err error) {
	documents := releaseutil.SplitManifests(text)
	budget := expansion.NewYAML(expansion.MostYAML)
	for _, key := range slices.SortedFunc(maps.Keys(documents), inOrder) {
		if err := budget.Take([]byte(documents[key])); err != nil {
			return nil, fmt.Errorf("it has a document that %w", err)
		}
		var value any
		if err := yaml.Unmarshal([]byte(documents[key]), &value); err != nil {
			return nil, err
		}
		switch o := value.(type) {
		case nil:
		case map[string]any:
			items, isList := o["items"].([]any)
			if u := (&unstructured.Unstructured{Object: o}); !isList || !strings.HasSuffix(u.GetKind(), "List") {
				out = append(out, o)
				continue
			}
			for _, item := range items {
				one, ok := item.(map[string]any)
				if !ok {
					return nil, errors.New("it has a list with an item that is no object")
				}
				out = append(out, one)
			}
		default:
			return nil, errors.New("it makes a document that is no object")
		}
	}
	return out, nil
}

// inOrder sorts "manifest-2" before "manifest-10".
func inOrder(a, b string) int { return cmp.Or(len(a)-len(b), strings.Compare(a, b)) }

// mark sets the labels and annotations of an object of the release.
func mark(o map[string]any, of Release) {
	set(o, "labels", managedBy, helm)
	set(o, "annotations", releaseName, of.Name)
	set(o, "annotations", releaseNamespace, of.Namespace)
}

// stay marks an object that stays when its release is uninstalled.
func stay(o map[string]any) { set(o, "annotations", policy, keep) }

func set(o map[string]any, of, key, value string) {
	_ = unstructured.SetNestedField(o, value, "metadata", of, key) // the API server refuses an invalid object
}

// sentence is a problem in one line of limited length. It hides the secrets that the chart has looked up.
func sentence(err error, known answers) string {
	const most = 1000
	text := strings.Join(strings.Fields(strings.ToValidUTF8(known.hidden(err.Error()), "?")), " ")
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + " ..."
	}
	return strings.TrimSuffix(text, ".") + "."
}
