package fake

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"
	"go.yaml.in/yaml/v3"

	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/scripts"
)

// PersistentVolume is a PersistentVolume of a cluster, with the fields that scripts read.
type PersistentVolume struct {
	Name    string `json:"name"`
	UID     string `json:"uid"`
	Version int    `json:"version"`
	Phase   string `json:"phase"`
	// Claim is "namespace/name" of the volume's present or former claim.
	Claim    string `json:"claim,omitempty"`
	ClaimUID string `json:"claimUid,omitempty"`
	Server   string `json:"server,omitempty"`
	Path     string `json:"path,omitempty"`
	// Provisioner made the volume for its claim; it is "" for a volume from a manifest. Reclaim is its reclaim policy.
	Provisioner string `json:"provisioner,omitempty"`
	Reclaim     string `json:"reclaim,omitempty"`
}

// Bind binds a volume to a claim, "namespace/name"; "" releases the volume.
func (h *Hypervisor) Bind(clusterID, volume, claim string) error {
	w := h.locked()
	defer w.mu.Unlock()
	c := w.clusters[clusterID]
	if c == nil || c.volumes[volume] == nil {
		return lcm.Errorf(lcm.KindNotFound, "there is no volume %s in a cluster %s", volume, clusterID)
	}
	v := c.volumes[volume]
	v.Version++
	if claim == "" {
		c.release(v)
		return nil
	}
	v.Phase, v.Claim, v.ClaimUID = "Bound", claim, uuid.NewString()
	return nil
}

func (h *Hypervisor) lookAtVolumes(ctx context.Context, m *Machine, p ScriptParams) Result {
	return h.onCluster(ctx, m, p, func(c *cluster) Result {
		line := func(key string, fields ...string) {
			p.Result(key, base64.StdEncoding.EncodeToString([]byte(strings.Join(fields, "|"))))
		}
		for _, name := range slices.Sorted(maps.Keys(c.volumes)) {
			v := c.volumes[name]
			line("volume", v.Name, v.UID, strconv.Itoa(v.Version), v.Phase, v.Claim, v.ClaimUID, v.Server, v.Path,
				cmp.Or(v.Reclaim, k8s.ReclaimRetain), v.Provisioner)
		}
		for _, name := range slices.Sorted(maps.Keys(c.pods)) {
			if pod := c.pods[name]; pod.Claim != "" {
				line("pod", cmp.Or(pod.Namespace, "default"), pod.Name, "Running", pod.Claim, "", "")
			}
		}
		for _, name := range slices.Sorted(maps.Keys(c.classes)) {
			if class := c.classes[name]; class.Running {
				line("pod", scripts.ProvisionerNamespace, "nfs-"+name+"-0", "Running", "", class.Server, name)
			}
		}
		return Result{}
	})
}

func (h *Hypervisor) removeVolumes(ctx context.Context, m *Machine, p ScriptParams) Result {
	list := p.Input("volumes")
	return h.onCluster(ctx, m, p, func(c *cluster) Result {
		for line := range strings.Lines(list) {
			words := append(strings.Fields(line), "", "", "")
			v := c.volumes[words[0]]
			switch {
			case v == nil:
				p.Print("the PersistentVolume %s is gone already", words[0])
				continue
			case v.UID != words[1] || strconv.Itoa(v.Version) != words[2]:
				return p.Fail(75, "the PersistentVolume %s has changed while it was looked at", v.Name)
			case v.Phase == "Bound":
				c.violate("the volume %s was deleted while it was bound", v.Name)
			}
			delete(c.volumes, v.Name)
			p.Print("the PersistentVolume %s is deleted", v.Name)
		}
		return Result{}
	})
}

// object has the relevant fields of a Kubernetes object.
type object struct {
	Kind     string   `yaml:"kind"`
	Items    []object `yaml:"items"`
	Metadata struct {
		Name string `yaml:"name"`
	} `yaml:"metadata"`
	Spec struct {
		NFS *struct {
			Server string `yaml:"server"`
			Path   string `yaml:"path"`
		} `yaml:"nfs"`
	} `yaml:"spec"`
}

// volumesIn reads the PersistentVolumes of a manifest.
func volumesIn(text string) (out []object, err error) {
	decoder := yaml.NewDecoder(strings.NewReader(text))
	for {
		var o object
		if err := decoder.Decode(&o); errors.Is(err, io.EOF) {
			return out, nil
		} else if err != nil {
			return nil, err
		}
		for _, one := range append([]object{o}, o.Items...) {
			if one.Kind == "PersistentVolume" {
				out = append(out, one)
			}
		}
	}
}

func (h *Hypervisor) registerVolumes(ctx context.Context, m *Machine, p ScriptParams) Result {
	list, err := volumesIn(p.Input("manifest"))
	if err != nil || len(list) == 0 {
		return p.Fail(1, "%s cannot be applied: error: no objects passed to apply", p.Get("MANIFEST"))
	}
	return h.onCluster(ctx, m, p, func(c *cluster) Result {
		for _, o := range list {
			next := &PersistentVolume{Name: o.Metadata.Name, UID: uuid.NewString(), Version: 1, Phase: "Available"}
			if o.Spec.NFS != nil {
				next.Server, next.Path = o.Spec.NFS.Server, o.Spec.NFS.Path
			}
			have := c.volumes[next.Name]
			switch {
			case have == nil:
				c.volumes[next.Name] = next
			case have.Server != next.Server || have.Path != next.Path:
				return p.Fail(1, "%s cannot be applied: spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is "+
					"immutable after creation", p.Get("MANIFEST"))
			case have.Phase != "Available" && have.Phase != "Bound":
				return p.Fail(1, "after %s s these volumes of %s are not Available: %s (%s); delete one that is Released or "+
					"Failed, then retry",
					p.Get("TIMEOUT"), p.Get("MANIFEST"), have.Name, have.Phase)
			}
			p.Print("persistentvolume/%s serverside-applied", next.Name)
		}
		return Result{}
	})
}
