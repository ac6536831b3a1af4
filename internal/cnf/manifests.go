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

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/params"
	"github.com/windlass-nfv/windlass/vnfpkg"
)

// Manifests are those of a request, and what is wrong with them.
type Manifests struct {
	// Objects are in the order of the request's files, and of their documents.
	Objects []unstructured.Unstructured
	// Missing are files that the package does not have, Broken what no objects can be made of.
	Missing, Broken []lcm.Problem
}

// Problems are all of them.
func (m Manifests) Problems() []lcm.Problem { return slices.Concat(m.Missing, m.Broken) }

// mostManifests is how many a VNF may have: a request is answered in a second, whatever its package has.
const mostManifests = 2000

// Read reads the files of manifests, each once. Files whose names are wrong are left out: ReadParams tells of them.
func Read(p Params, from Files) (m Manifests, err error) {
	known, merge := map[string]bool{}, merger{at: map[identity]int{}}
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
			objects, broken := documents(text, mostManifests-merge.read-len(m.Broken))
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

// merger adds up the objects of files. One that a file before has, too, is as the later file says.
type merger struct {
	at   map[identity]int
	read int // with those that were replaced
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

// documents reads the documents of a file, which may be so many. Lists are taken apart, empty documents left out.
func documents(text []byte, most int) (out []unstructured.Unstructured, broken []string) {
	// A last line without an end can be lost.
	reader := yaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(append(text, '\n'))))
	for n := 1; ; n++ {
		if max(len(out), len(broken), n-1) > most {
			return nil, []string{fmt.Sprintf("document %d is one more than the %d manifests that a VNF may have", n-1,
				mostManifests)}
		}
		document, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return out, broken
		}
		if err != nil { // where the next one begins is not known
			return out, append(broken, fmt.Sprintf("document %d cannot be read: %v", n, err))
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
		i := item.(*unstructured.Unstructured) // EachListItem makes nothing else
		if err := complete(*i); err != nil {
			return fmt.Errorf("is a list whose item %d %w", len(out)+1, err)
		}
		out = append(out, *i)
		return nil
	})
	return out, err
}

// complete wants what every manifest has; the error completes a sentence about it.
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

// onlyAnswered are the kinds of which an API server keeps no objects: they need no names.
var onlyAnswered = map[string]bool{
	"TokenReview": true, "SubjectAccessReview": true, "LocalSubjectAccessReview": true, "SelfSubjectAccessReview": true,
	"SelfSubjectRulesReview": true, "SelfSubjectReview": true,
}

// Differing are the files of manifests, and the charts, that do not say the same in two packages, whose VNFDs do not
// differ in the flavour. Comments and the form of the text of a manifest change nothing.
func Differing(f *vnfpkg.Flavour, p Params, before, after Files) (out []string, err error) {
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
