package containers

import (
	"bytes"
	"errors"
	"io"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// PersistentVolumes is a manifest of Kubernetes objects, with PersistentVolumes among them.
type PersistentVolumes struct {
	// Volumes are the PersistentVolumes, in the order of the file.
	Volumes []PersistentVolume
	docs    []*yaml.Node
	servers []*yaml.Node // the scalars that name NFS servers
}

// PersistentVolume is the part of a PersistentVolume that Windlass uses.
type PersistentVolume struct {
	Name string
	// Path is the directory on the NFS server, "" for a volume of another kind.
	Path string
}

// maxManifest is far above the size of any manifest of volumes.
const maxManifest = 1 << 20

// ReadPersistentVolumes reads a manifest: every YAML document in it, and the items of lists. It keeps other objects,
// such as a StorageClass, as they are. Errors are sentences about the file, without its name.
func ReadPersistentVolumes(text []byte) (*PersistentVolumes, error) {
	if len(text) > maxManifest {
		return nil, lcm.Errorf(lcm.KindInvalid, "is larger than the %d bytes allowed", maxManifest)
	}
	m := &PersistentVolumes{}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	for {
		var doc yaml.Node
		err := decoder.Decode(&doc)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, lcm.Errorf(lcm.KindInvalid, "is not YAML: %s", err)
		}
		object := resolve(&doc)
		if object == nil || object.Kind == yaml.ScalarNode && object.Tag == "!!null" {
			continue // between two separators there may be nothing
		}
		if object.Kind != yaml.MappingNode {
			return nil, lcm.Errorf(lcm.KindInvalid, "has a document that is no Kubernetes object")
		}
		m.docs = append(m.docs, &doc)
		if err := m.take(object); err != nil {
			return nil, err
		}
	}
	if len(m.Volumes) == 0 {
		return nil, lcm.Errorf(lcm.KindInvalid, "has no PersistentVolume")
	}
	return m, nil
}

// take records the volumes of one object.
func (m *PersistentVolumes) take(object *yaml.Node) error {
	switch textOf(object, "kind") {
	case "":
		return lcm.Errorf(lcm.KindInvalid, "has an object without a kind")
	case "List", "PersistentVolumeList":
		items := memberOf(object, "items")
		if items == nil || items.Kind != yaml.SequenceNode {
			return nil
		}
		for _, item := range items.Content {
			if item = resolve(item); item == nil || item.Kind != yaml.MappingNode {
				return lcm.Errorf(lcm.KindInvalid, "has a list with an item that is no Kubernetes object")
			}
			if err := m.take(item); err != nil {
				return err
			}
		}
	case "PersistentVolume":
		return m.takeVolume(object)
	}
	return nil
}

func (m *PersistentVolumes) takeVolume(object *yaml.Node) error {
	v := PersistentVolume{Name: textOf(memberOf(object, "metadata"), "name")}
	if v.Name == "" {
		return lcm.Errorf(lcm.KindInvalid, "has a PersistentVolume without a name")
	}
	if slices.ContainsFunc(m.Volumes, func(o PersistentVolume) bool { return o.Name == v.Name }) {
		return lcm.Errorf(lcm.KindInvalid, "has the PersistentVolume %s twice", v.Name)
	}
	if nfs := memberOf(memberOf(object, "spec"), "nfs"); nfs != nil {
		if nfs.Kind != yaml.MappingNode {
			return lcm.Errorf(lcm.KindInvalid, "has the PersistentVolume %s whose spec.nfs is no object", v.Name)
		}
		if v.Path = textOf(nfs, "path"); v.Path == "" {
			return lcm.Errorf(lcm.KindInvalid, "has the PersistentVolume %s without spec.nfs.path", v.Name)
		}
		m.servers = append(m.servers, serverOf(nfs))
	}
	m.Volumes = append(m.Volumes, v)
	return nil
}

// serverOf is the scalar that names the NFS server; it adds the scalar if there is none.
func serverOf(nfs *yaml.Node) *yaml.Node {
	for i := 0; i+1 < len(nfs.Content); i += 2 {
		if nfs.Content[i].Value == "server" {
			// A new node replaces it: a change through an alias would change its anchor.
			nfs.Content[i+1] = &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", LineComment: nfs.Content[i+1].LineComment}
			return nfs.Content[i+1]
		}
	}
	server := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str"}
	nfs.Content = append(nfs.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: "server"}, server)
	return server
}

// Names are the names of the PersistentVolumes.
func (m *PersistentVolumes) Names() (out []string) {
	for _, v := range m.Volumes {
		out = append(out, v.Name)
	}
	return out
}

// WithServer is the manifest, with all documents of the file. Every NFS volume in it has that address as its server.
func (m *PersistentVolumes) WithServer(address string) (string, error) {
	for _, server := range m.servers {
		server.Value = address
	}
	var out bytes.Buffer
	encoder := yaml.NewEncoder(&out)
	encoder.SetIndent(2)
	for _, doc := range m.docs {
		if err := encoder.Encode(doc); err != nil {
			return "", lcm.Wrap(lcm.KindInvalid, err, "cannot be written again")
		}
	}
	return out.String(), encoder.Close()
}

// resolve is the node that a document contains or that an alias refers to.
func resolve(n *yaml.Node) *yaml.Node {
	for n != nil {
		switch {
		case n.Kind == yaml.DocumentNode && len(n.Content) > 0:
			n = n.Content[0]
		case n.Kind == yaml.AliasNode:
			n = n.Alias
		case n.Kind == yaml.DocumentNode || n.Kind == 0:
			return nil
		default:
			return n
		}
	}
	return nil
}

// memberOf is the value of a key of a mapping, nil if there is none.
func memberOf(n *yaml.Node, key string) *yaml.Node {
	if n = resolve(n); n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return resolve(n.Content[i+1])
		}
	}
	return nil
}

// textOf is the text of a key's scalar, "" for anything else.
func textOf(n *yaml.Node, key string) string {
	if v := memberOf(n, key); v != nil && v.Kind == yaml.ScalarNode && v.Tag != "!!null" {
		return v.Value
	}
	return ""
}
