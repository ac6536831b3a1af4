package cnf

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/windlass-nfv/windlass/internal/expansion"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/params"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

// Manifests are the manifests of a request, with their problems.
type Manifests struct {
	// Objects are in the order of the request's files, and of their documents.
	Objects []unstructured.Unstructured
	// Missing are files that the package does not have. Broken are files that do not contain valid objects.
	Missing, Broken []lcm.Problem
}

// Problems are Missing and Broken together.
func (m Manifests) Problems() []lcm.Problem { return slices.Concat(m.Missing, m.Broken) }

// mostManifests is the largest number of objects of a VNF. It lets Windlass answer a request within a second, whatever
// the package contains.
const mostManifests = 2000

// Read reads the manifest files, each once. It leaves out files with invalid names: ReadParams reports them.
func Read(p Params, from Files) (m Manifests, err error) {
	known, merge := map[string]bool{}, merger{at: map[identity]int{}}
	budget := expansion.NewYAML(expansion.MostYAML)
	for i, file := range p.Files {
		name, at := file, params.ItemPath(filesPath, i)
		if !isURL(file) {
			name = path.Clean(file)
		}
		if fileProblem(file) != "" || known[name] {
			continue
		}
		known[name] = true
		text, err := from.manifest(name)
		switch {
		case lcm.Is(err, lcm.KindNotFound) && isURL(file):
			m.Missing = append(m.Missing, lcm.Problem{Path: at, Detail: fmt.Sprintf("%s was not fetched", file)})
		case lcm.Is(err, lcm.KindNotFound):
			m.Missing = append(m.Missing, lcm.Problem{Path: at, Detail: fmt.Sprintf("the VNF package has no file %q", file)})
		case err != nil:
			return m, err
		default:
			objects, broken := documents(text, mostManifests-merge.read-len(m.Broken), budget)
			m.Objects = merge.put(m.Objects, objects)
			for _, detail := range broken {
				m.Broken = append(m.Broken, lcm.Problem{Path: at, Detail: file + ", " + detail})
			}
			if len(objects) == 0 && len(broken) == 0 {
				m.Broken = append(m.Broken, lcm.Problem{Path: at, Detail: file + " has no manifest in it"})
			}
		}
	}
	return m, nil
}

// merger collects the objects of files. If two files have the same object, the later file wins.
type merger struct {
	at   map[identity]int
	read int // including replaced ones
}

type identity struct{ group, kind, namespace, name string }

func (m *merger) put(into []unstructured.Unstructured, objects []unstructured.Unstructured) []unstructured.Unstructured {
	m.read += len(objects)
	for _, o := range objects {
		kind := o.GroupVersionKind()
		id := identity{kind.Group, kind.Kind, o.GetNamespace(), o.GetName()}
		if at, had := m.at[id]; had && id.name != "" {
			into[at] = o
			continue
		}
		m.at[id] = len(into)
		into = append(into, o)
	}
	return into
}

// documents reads the documents of a file, at most `most` of them. It splits lists into objects and leaves out empty
// documents.
func documents(
	text []byte, most int, budget *expansion.YAML,
) (out []unstructured.Unstructured, broken []string) {
	// The reader can lose a last line without a newline.
	reader := yaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(append(text, '\n'))))
	for n := 1; ; n++ {
		if max(len(out), len(broken), n-1) > most {
			return nil, []string{fmt.Sprintf("document %d is too many: a VNF may have %d manifests", n-1,
				mostManifests)}
		}
		document, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return out, broken
		}
		if err != nil { // the start of the next document is unknown
			return out, append(broken, fmt.Sprintf("document %d cannot be read: %v", n, err))
		}
		if err := budget.Take(document); err != nil {
			broken = append(broken, fmt.Sprintf("document %d %v", n, err))
			continue
		}
		objects, err := objectsOf(document)
		if err != nil {
			broken = append(broken, fmt.Sprintf("document %d %v", n, err))
		}
		out = append(out, objects...)
	}
}

// objectsOf reads one document; the error completes a sentence about it.
func objectsOf(document []byte) (out []unstructured.Unstructured, err error) {
	var value any
	if err := yaml.Unmarshal(document, &value); err != nil {
		return nil, fmt.Errorf("cannot be read: %w", err)
	}
	if value == nil {
		return nil, nil
	}
	object, ok := value.(map[string]any)
	if !ok {
		return nil, errors.New("is no manifest: it is no mapping")
	}
	o := unstructured.Unstructured{Object: object}
	if !o.IsList() {
		return []unstructured.Unstructured{o}, complete(o)
	}
	err = o.EachListItem(func(item runtime.Object) error {
		i := item.(*unstructured.Unstructured) // EachListItem yields nothing else
		if err := complete(*i); err != nil {
			return fmt.Errorf("is a list whose item %d %w", len(out)+1, err)
		}
		out = append(out, *i)
		return nil
	})
	return out, err
}

// complete checks the members that every manifest must have; the error completes a sentence about the manifest.
func complete(o unstructured.Unstructured) error {
	for _, path := range [][]string{{"apiVersion"}, {"kind"}, {"metadata", "name"}, {"metadata", "namespace"}} {
		if _, _, err := unstructured.NestedString(o.Object, path...); err != nil {
			return fmt.Errorf("has a %s that is no text: put quotation marks around it", strings.Join(path, "."))
		}
	}
	switch {
	case o.GetAPIVersion() == "":
		return errors.New("has no apiVersion")
	case o.GetKind() == "":
		return errors.New("has no kind")
	case o.GetName() == "" && !onlyAnswered[o.GetKind()]:
		return fmt.Errorf("is a %s without a name (metadata.name)", o.GetKind())
	}
	return nil
}

// onlyAnswered are the kinds that an API server only answers and does not store: they need no names.
var onlyAnswered = map[string]bool{
	"TokenReview": true, "SubjectAccessReview": true, "LocalSubjectAccessReview": true, "SelfSubjectAccessReview": true,
	"SelfSubjectRulesReview": true, "SelfSubjectReview": true,
}

// Differing lists the manifest files and the charts whose content differs between two packages. The flavour is the same
// in both VNFDs. Comments and the form of a manifest's text do not count.
func Differing(f *descriptor.Flavour, p Params, before, after Files) (out []string, err error) {
	for _, file := range p.Files {
		one := Params{Files: []string{file}}
		a, err := Read(one, before)
		if err != nil {
			return nil, err
		}
		b, err := Read(one, after)
		if err != nil {
			return nil, err
		}
		if !reflect.DeepEqual(a, b) {
			out = append(out, file)
		}
	}
	charts := p.charts("")
	if !p.named() {
		charts = p.chartsOf(f, "")
	}
	for _, c := range charts {
		a, err := before.chart(c)
		if err != nil && !lcm.Is(err, lcm.KindNotFound) {
			return nil, err
		}
		b, err := after.chart(c)
		if err != nil && !lcm.Is(err, lcm.KindNotFound) {
			return nil, err
		}
		if !reflect.DeepEqual(a, b) {
			out = append(out, c.file)
		}
	}
	return out, nil
}
