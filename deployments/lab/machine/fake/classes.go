package fake

import (
	"cmp"
	"context"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/google/uuid"
	"go.yaml.in/yaml/v3"

	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// StorageClass is a StorageClass of a cluster, with its provisioner.
type StorageClass struct {
	Name        string `json:"name"`
	Provisioner string `json:"provisioner"`
	Default     bool   `json:"default,omitempty"`
	Reclaim     string `json:"reclaim"`
	Image       string `json:"image"`
	// The provisioner mounts Path of Server.
	Server string `json:"server"`
	Path   string `json:"path"`
	// Running is false while the provisioner's deployment is scaled to zero.
	Running bool `json:"running"`
}

// Provision makes a volume of a class for a claim, "namespace/name", as a running provisioner does. If server is set,
// the volume comes from an earlier storage server at that address.
func (h *Hypervisor) Provision(clusterID, class, claim, server string) error {
	w := h.locked()
	defer w.mu.Unlock()
	c := w.clusters[clusterID]
	if c == nil || c.classes[class] == nil || !c.classes[class].Running {
		return lcm.Errorf(lcm.KindNotFound, "nobody provisions the class %s in a cluster %s", class, clusterID)
	}
	of, id := c.classes[class], uuid.NewString()
	name := "pvc-" + id
	c.volumes[name] = &PersistentVolume{
		Name: name, UID: uuid.NewString(), Version: 1, Phase: "Bound", Claim: claim, ClaimUID: id,
		Server: cmp.Or(server, of.Server), Path: of.Path + "/" + strings.ReplaceAll(claim, "/", "-") + "-" + name,
		Reclaim: of.Reclaim, Provisioner: of.Provisioner,
	}
	return nil
}

// release handles a volume whose claim was deleted. The caller holds w.mu.
func (c *cluster) release(v *PersistentVolume) {
	v.Phase = "Released"
	for _, class := range c.classes {
		if v.Provisioner == class.Provisioner && v.Reclaim == k8s.ReclaimDelete && class.Running {
			delete(c.volumes, v.Name)
		}
	}
}

// uses reports whether a pod uses the volume's claim, or the class's provisioner runs.
func (c *cluster) uses(v *PersistentVolume) bool {
	for _, class := range c.classes {
		if class.Provisioner == v.Provisioner && class.Running {
			return true
		}
	}
	for _, pod := range c.pods {
		if pod.Claim != "" && pod.Namespace+"/"+pod.Claim == v.Claim {
			return true
		}
	}
	return false
}

// classObject has the relevant fields of the objects in the manifest of a class.
type classObject struct {
	Kind     string `yaml:"kind"`
	Metadata struct {
		Name        string            `yaml:"name"`
		Annotations map[string]string `yaml:"annotations"`
	} `yaml:"metadata"`
	Provisioner string `yaml:"provisioner"`
	Reclaim     string `yaml:"reclaimPolicy"`
	Spec        struct {
		Replicas int `yaml:"replicas"`
		Template struct {
			Spec struct {
				Containers []struct {
					Image string `yaml:"image"`
				} `yaml:"containers"`
				Volumes []struct {
					NFS struct {
						Server string `yaml:"server"`
						Path   string `yaml:"path"`
					} `yaml:"nfs"`
				} `yaml:"volumes"`
			} `yaml:"spec"`
		} `yaml:"template"`
	} `yaml:"spec"`
}

// classIn reads the StorageClass from a manifest.
func classIn(text string) (class StorageClass, err error) {
	decoder := yaml.NewDecoder(strings.NewReader(text))
	for {
		var o classObject
		if err := decoder.Decode(&o); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return class, err
		}
		switch pod := o.Spec.Template.Spec; {
		case o.Kind == "StorageClass":
			class.Name, class.Provisioner, class.Reclaim = o.Metadata.Name, o.Provisioner, o.Reclaim
			class.Default = o.Metadata.Annotations["storageclass.kubernetes.io/is-default-class"] == "true"
		case o.Kind == "Deployment" && len(pod.Containers) > 0 && len(pod.Volumes) > 0:
			class.Image, class.Running = pod.Containers[0].Image, o.Spec.Replicas == 1
			class.Server, class.Path = pod.Volumes[0].NFS.Server, pod.Volumes[0].NFS.Path
		}
	}
	if class.Name == "" || class.Provisioner == "" || class.Server == "" || !class.Running {
		return class, errors.New("the manifest has no StorageClass or no Deployment")
	}
	return class, nil
}

func (h *Hypervisor) setUpStorageClass(ctx context.Context, m *Machine, p ScriptParams) Result {
	class, err := classIn(p.Input("manifest"))
	if err != nil {
		return p.Fail(1, "the StorageClass %s cannot be applied: %s", p.Get("CLASS"), err)
	}
	if other := h.machineAt(class.Server); other == nil || !other.works() || !h.state().exports(other, class.Path) {
		return p.Fail(1, "the provisioner nfs-%s of the StorageClass %s is not available after %s s: it is Pending; see "+
			"that the nodes can pull its image",
			class.Name, class.Name, p.Get("TIMEOUT"))
	}
	return h.onCluster(ctx, m, p, func(c *cluster) Result {
		if have := c.classes[class.Name]; have != nil &&
			(have.Provisioner != class.Provisioner || have.Reclaim != class.Reclaim) {
			return p.Fail(1, "the StorageClass %s cannot be applied: updates to provisioner are forbidden", class.Name)
		}
		for _, v := range c.volumes {
			if v.Provisioner == class.Provisioner && v.Server != class.Server {
				c.violate("the volume %s is at %s, and its provisioner at %s", v.Name, v.Server, class.Server)
			}
		}
		c.classes[class.Name] = &class
		p.Print("claims of the StorageClass %s get volumes", class.Name)
		return Result{}
	})
}

// exports reports whether a machine exports a directory, or one above it.
func (w *world) exports(m *Machine, dir string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.servers[m] == nil {
		return false
	}
	return slices.ContainsFunc(slices.Collect(maps.Keys(w.servers[m].Exports)), func(exported string) bool {
		return dir == exported || strings.HasPrefix(dir, exported+"/")
	})
}

func (h *Hypervisor) scaleProvisioners(ctx context.Context, m *Machine, p ScriptParams) Result {
	return h.onCluster(ctx, m, p, func(c *cluster) Result {
		for name := range strings.FieldsSeq(p.Get("CLASSES")) {
			if class := c.classes[name]; class != nil {
				class.Running = p.Get("STOP") == "no"
			}
		}
		return Result{}
	})
}

func (h *Hypervisor) moveVolumes(ctx context.Context, m *Machine, p ScriptParams) Result {
	return h.onCluster(ctx, m, p, func(c *cluster) Result {
		for _, name := range slices.Sorted(maps.Keys(c.volumes)) {
			v := c.volumes[name]
			if v.Provisioner != p.Get("PROVISIONER") || v.Server == p.Get("SERVER") {
				continue
			}
			if c.uses(v) {
				c.violate("the volume %s was moved while it was in use", v.Name)
			}
			v.UID, v.Version, v.Server = uuid.NewString(), 1, p.Get("SERVER")
			p.Print("the PersistentVolume %s is at %s", v.Name, v.Server)
		}
		return Result{}
	})
}
