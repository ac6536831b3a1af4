// Package descriptor is what Windlass uses of a VNF descriptor (SOL001), with the arithmetic of its levels and aspects.
// Package vnfd reads it from definitions.
package descriptor

import (
	"slices"
	"strings"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg/document"
)

// Vnfd is what Windlass uses of a VNF descriptor (SOL001). Its JSON form is stored with the package, so
// fields are added, never renamed.
type Vnfd struct {
	ID              lcm.VnfdID `json:"id"`
	Provider        string     `json:"provider"`
	ProductName     string     `json:"productName"`
	SoftwareVersion string     `json:"softwareVersion"`
	Version         string     `json:"version"`
	Description     string     `json:"description,omitempty"`
	VnfmInfo        []string   `json:"vnfmInfo,omitempty"`
	// Metadata, Extensions and ConfigurableProperties are the initial values of a VnfInstance, as far as the VNFD gives
	// them.
	Metadata               map[string]any `json:"metadata,omitempty"`
	Extensions             map[string]any `json:"extensions,omitempty"`
	ConfigurableProperties map[string]any `json:"configurableProperties,omitempty"`
	// Declared gives the types of these attributes, and which members a VNF must have.
	Declared Declared `json:"declared,omitzero"`
	// Definitions are the paths of the VNFD's files, the entry definition first. Packages from an older Windlass have
	// none.
	Definitions []string `json:"definitions,omitempty"`
	// Flavours are ordered by ID.
	Flavours []Flavour `json:"flavours"`
}

// Flavour is one deployment flavour: a definition file whose substitution_mappings names it.
type Flavour struct {
	ID          string `json:"id"`
	Description string `json:"description,omitempty"`
	// Definition is the path of the definition file, "" for packages from an older Windlass.
	Definition string `json:"definition,omitempty"`
	// Containers is set if all VDUs are Pods. Hybrid is set if some VDUs are Pods (Vdu.Containers) and the others VMs.
	Containers   bool             `json:"containers,omitempty"`
	Hybrid       bool             `json:"hybrid,omitempty"`
	Vdus         []Vdu            `json:"vdus,omitempty"`
	Cps          []VduCp          `json:"cps,omitempty"`
	Storages     []VirtualStorage `json:"storages,omitempty"`
	VirtualLinks []VirtualLink    `json:"virtualLinks,omitempty"`
	Aspects      []ScalingAspect  `json:"aspects,omitempty"`
	Levels       []Level          `json:"levels,omitempty"`
	// DefaultLevel is "" when the flavour has no instantiation levels, or several and no default.
	DefaultLevel  string         `json:"defaultLevel,omitempty"`
	AffinityRules []AffinityRule `json:"affinityRules,omitempty"`
	// LcmOperations is lcm_operations_configuration; nil when the VNFD has none.
	LcmOperations *LcmOperations `json:"lcmOperations,omitempty"`
	// Hooks are the operations of the Vnflcm interface that have an implementation, e.g. "instantiate_end".
	Hooks map[string]Hook `json:"hooks,omitempty"`
	// BaseHOT is the path of the top Heat template in the package, or of a template made from the VNFD; "" if the flavour
	// has none.
	BaseHOT string `json:"baseHot,omitempty"`
	// Groups maps the groups of the Base HOT whose size follows from the VNFD to the VDUs of a member.
	Groups map[string][]string `json:"groups,omitempty"`
	// Nested maps the names of other files in templates to their paths in the package.
	Nested map[string]string `json:"nested,omitempty"`
	// Generated are the templates made from the VNFD if the package has no Base HOT, by their paths.
	Generated map[string]string `json:"generated,omitempty"`
	// Services are the Services of the Pods that the VNFD describes. Charts are the package's charts that make VDUs.
	Services []Service `json:"services,omitempty"`
	Charts   []Chart   `json:"charts,omitempty"`
}

// Vdu is a tosca.nodes.nfv.Vdu.Compute, or a tosca.nodes.nfv.Vdu.OsContainerDeployableUnit.
type Vdu struct {
	ID string `json:"id"`
	// Name is, for a VDU of containers, the name of its workload on the cluster (metadata.name), unless a request names
	// another one.
	Name        string `json:"name,omitempty"`
	Description string `json:"description,omitempty"`
	// MinInstances and MaxInstances are from vdu_profile; MaxInstances 0 means that there is no maximum.
	MinInstances int `json:"minInstances,omitempty"`
	MaxInstances int `json:"maxInstances,omitempty"`
	// InitialInstances is the VduInitialDelta; nil when there is none.
	InitialInstances *int     `json:"initialInstances,omitempty"`
	Image            *SwImage `json:"image,omitempty"`
	// ComputeFlavour is requested_additional_capability_name: the name of a Nova flavour.
	ComputeFlavour string   `json:"computeFlavour,omitempty"`
	VirtualCpus    int      `json:"virtualCpus,omitempty"`
	VirtualMemory  string   `json:"virtualMemory,omitempty"` // with its unit, e.g. "4 GB"
	Storages       []string `json:"storages,omitempty"`
	// OwnFlavour is set if the stack makes the Nova flavour when neither the VNFD nor a request names one.
	OwnFlavour bool `json:"ownFlavour,omitempty"`
	// ConfigurableProperties are the properties that its VNFCs may have. There are none if the VNFD declares none, or if
	// the package is from an older Windlass.
	ConfigurableProperties map[string]Member `json:"configurableProperties,omitempty"`
	// Zone is the availability zone of nfvi_constraints, for templates made from the VNFD.
	Zone string `json:"zone,omitempty"`
	// Containers is set if the VDU's instances are Pods and other VDUs of the flavour are VMs.
	Containers bool `json:"containers,omitempty"`
	// Pod describes the Pods of a VDU of containers; nil if the VNFD leaves that to manifests and charts.
	Pod *Pod `json:"pod,omitempty"`
	// Unsized is set for a VDU of containers if nobody can set its number of Pods; see WithWorkloads. It is not from the
	// VNFD.
	Unsized bool `json:"-"`
	// Autoscaler is the name of the autoscaler that decides how many Pods a VDU of containers has, "" for none. It is not
	// from the VNFD.
	Autoscaler string `json:"-"`
}

// SwImage is sw_image_data with the artifact that holds the image.
type SwImage struct {
	Name              string `json:"name"`
	Version           string `json:"version,omitempty"`
	ChecksumAlgorithm string `json:"checksumAlgorithm,omitempty"`
	ChecksumHash      string `json:"checksumHash,omitempty"`
	ContainerFormat   string `json:"containerFormat,omitempty"`
	DiskFormat        string `json:"diskFormat,omitempty"`
	MinDisk           string `json:"minDisk,omitempty"`
	MinRAM            string `json:"minRam,omitempty"`
	Size              string `json:"size,omitempty"`
	// File is the image's path in the package, "" if the package does not contain it.
	File string `json:"file,omitempty"`
}

// VduCp is a tosca.nodes.nfv.VduCp.
type VduCp struct {
	ID    string `json:"id"`
	VduID string `json:"vduId,omitempty"`
	// VirtualLink is the internal virtual link, "" for an external connection point.
	VirtualLink    string   `json:"virtualLink,omitempty"`
	External       bool     `json:"external,omitempty"`
	Order          int      `json:"order,omitempty"`
	LayerProtocols []string `json:"layerProtocols,omitempty"`
}

// VirtualStorage is a tosca.nodes.nfv.Vdu.VirtualBlockStorage (or of another kind of storage).
type VirtualStorage struct {
	ID    string   `json:"id"`
	Kind  string   `json:"kind"` // "block", "object" or "file"
	Size  string   `json:"size,omitempty"`
	Image *SwImage `json:"image,omitempty"`
}

// VirtualLink is a tosca.nodes.nfv.VnfVirtualLink.
type VirtualLink struct {
	ID          string `json:"id"`
	Description string `json:"description,omitempty"`
	// Made is set if the Base HOT makes the link's network. The top template makes it once; a server's template makes it
	// for each VNFC of that VDU.
	Made  bool   `json:"made,omitempty"`
	VduID string `json:"vduId,omitempty"`
	// Rated is set if a template uses the link's bit rate.
	Rated bool `json:"rated,omitempty"`
	// MinBitrate and MaxBitrate are from vl_profile, InitialBitrate is the VirtualLinkBitrateInitialDelta; nil means
	// none.
	MinBitrate     *Bitrate `json:"minBitrate,omitempty"`
	MaxBitrate     *Bitrate `json:"maxBitrate,omitempty"`
	InitialBitrate *Bitrate `json:"initialBitrate,omitempty"`
	// ManagedElsewhere is set if the VNFD requires an externally managed network.
	ManagedElsewhere bool `json:"managedElsewhere,omitempty"`
}

// AffinityRule is an AffinityRule or AntiAffinityRule policy.
type AffinityRule struct {
	ID    string `json:"id"`
	Anti  bool   `json:"anti,omitempty"`
	Scope string `json:"scope,omitempty"` // "nfvi_node", "zone" ...
	// Vdus are the targets, with the members of placement groups.
	Vdus []string `json:"vdus,omitempty"`
}

// Hook is the implementation of one operation of the Vnflcm interface.
type Hook struct {
	// Implementation is the artifact's name as the VNFD writes it.
	Implementation string `json:"implementation"`
	// Driver is the name of the built-in driver that does the work, "" when there is none.
	Driver string `json:"driver,omitempty"`
	// Also are further built-in drivers, which run after Driver. The VNFD names them as dependencies of the
	// implementation.
	Also []string `json:"also,omitempty"`
	// File is the script in the package, "" when a built-in driver replaces an absent one.
	File string `json:"file,omitempty"`
	// AlsoScripts are scripts in the package that run after the built-in driver: its dependencies.
	AlsoScripts []string `json:"alsoScripts,omitempty"`
	// Vdus are the VDUs whose servers run shell scripts, empty for all; Inputs are variables for the scripts.
	Vdus   []string          `json:"vdus,omitempty"`
	Inputs map[string]string `json:"inputs,omitempty"`
	// Playbooks is the config.yaml with Ansible's plays at the hook. Played are the VDUs whose servers it plays for.
	Playbooks string   `json:"playbooks,omitempty"`
	Played    []string `json:"played,omitempty"`
}

// Flavour finds a flavour. For an unknown id the error is Invalid and names the known flavours.
func (v *Vnfd) Flavour(id string) (*Flavour, error) {
	for i := range v.Flavours {
		if v.Flavours[i].ID == id {
			return &v.Flavours[i], nil
		}
	}
	known := make([]string, 0, len(v.Flavours))
	for _, f := range v.Flavours {
		known = append(known, f.ID)
	}
	return nil, lcm.Errorf(lcm.KindInvalid, "the VNFD %s has no flavour %s; it has %s", v.ID, document.Quote(id),
		strings.Join(known, ", "))
}

// Driver names the driver for an operation of the Vnflcm interface, e.g. "instantiate_end"; false when
// the VNFD asks for nothing there. A name without a built-in driver is returned as the VNFD writes it.
func (f *Flavour) Driver(hook string) (string, bool) {
	h, ok := f.Hooks[hook]
	if !ok {
		return "", false
	}
	if h.Driver != "" {
		return h.Driver, true
	}
	return h.Implementation, true
}

// Drivers are the names of the built-in drivers that work on the VNF's servers, in the VNFD's order: the drivers at the
// start and at the end of an instantiation, each followed by its dependencies. The driver that runs scripts comes last,
// unless a script stands before a driver.
func (f *Flavour) Drivers() (names []string) {
	for _, at := range []string{"instantiate_start", "instantiate_end"} {
		hook := f.Hooks[at]
		own := hook.Driver
		if own == "" && len(hook.Scripts()) > 0 {
			own = DriverScripts
		}
		for _, name := range append([]string{own}, hook.Also...) {
			if name != "" && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	if f.PlaysPlaybooks() && !slices.Contains(names, DriverAnsible) {
		names = append(names, DriverAnsible)
	}
	if f.RunsScripts() && !slices.Contains(names, DriverScripts) {
		names = append(names, DriverScripts)
	}
	return names
}

// Vdu finds a VDU.
func (f *Flavour) Vdu(id string) (*Vdu, bool) {
	i := slices.IndexFunc(f.Vdus, func(v Vdu) bool { return v.ID == id })
	if i < 0 {
		return nil, false
	}
	return &f.Vdus[i], true
}

// Cp finds a connection point.
func (f *Flavour) Cp(id string) (*VduCp, bool) {
	i := slices.IndexFunc(f.Cps, func(c VduCp) bool { return c.ID == id })
	if i < 0 {
		return nil, false
	}
	return &f.Cps[i], true
}

// VirtualLink finds an internal virtual link.
func (f *Flavour) VirtualLink(id string) (*VirtualLink, bool) {
	i := slices.IndexFunc(f.VirtualLinks, func(l VirtualLink) bool { return l.ID == id })
	if i < 0 {
		return nil, false
	}
	return &f.VirtualLinks[i], true
}

// LinksOf are the internal virtual links whose networks are made for each VNFC of a VDU. For "" they are the links
// whose networks are made once for the VNF.
func (f *Flavour) LinksOf(vdu string) (out []VirtualLink) {
	for _, l := range f.VirtualLinks {
		if l.Made && l.VduID == vdu {
			out = append(out, l)
		}
	}
	return out
}

// GeneratedDir is the path prefix of the templates that Windlass makes; the package has no such directory.
const GeneratedDir = "generated"

// MadeTemplate reads a generated template; false for a template of the package.
func (f *Flavour) MadeTemplate(path string) ([]byte, bool) {
	made, ok := f.Generated[path]
	return []byte(made), ok
}
