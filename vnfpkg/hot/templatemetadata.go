package hot

import (
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
	"github.com/windlass-nfv/windlass/vnfpkg/document"
)

// renewedKey is the metadata key, in the members of a group, that identifies the last change.
const renewedKey = "windlass_change"

// Renewed is the template with new metadata for the members of groups. Heat updates members only if the group's
// definition differs from that of its last successful update. Without new metadata, the rollback of a change that
// failed half-way would update nothing.
func (t Template) Renewed(f *descriptor.Flavour, change string) (Template, error) {
	parsed, err := t.parse(f)
	if err != nil {
		return Template{}, err
	}
	found := false
	for _, resource := range parsed.top.At("resources").Members() {
		member := resource.At("properties").At("resource")
		if resource.At("type").Str() != "OS::Heat::AutoScalingGroup" || !member.Has("type") {
			continue
		}
		metadata := document.Mapping()
		for name, v := range member.At("metadata").Members() {
			metadata.Set(name, v)
		}
		metadata.Set(renewedKey, document.Scalar("!!str", change))
		member.Set("metadata", metadata)
		found = true
	}
	if !found {
		return t, nil
	}
	text, err := parsed.top.Encode()
	if err != nil {
		return Template{}, lcm.Wrap(lcm.KindInvalid, err, "%s cannot be written again", f.BaseHOT)
	}
	return Template{Top: text, Files: t.Files}, nil
}
