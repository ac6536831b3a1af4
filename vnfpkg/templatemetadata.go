package vnfpkg

import "github.com/windlass-nfv/windlass/internal/lcm"

// renewedKey is the metadata key, in the members of a group, that identifies the last change.
const renewedKey = "windlass_change"

// Renewed is the template with new metadata for the members of groups. Heat updates members only if the group's
// definition differs from that of its last successful update. Without new metadata, the rollback of a change that
// failed half-way would update nothing.
func (t Template) Renewed(f *Flavour, change string) (Template, error) {
	parsed, err := t.parse(f)
	if err != nil {
		return Template{}, err
	}
	found := false
	for _, resource := range parsed.top.at("resources").members() {
		member := resource.at("properties").at("resource")
		if resource.at("type").str() != "OS::Heat::AutoScalingGroup" || !member.has("type") {
			continue
		}
		metadata := mapping()
		for name, v := range member.at("metadata").members() {
			metadata.set(name, v)
		}
		metadata.set(renewedKey, scalar("!!str", change))
		member.set("metadata", metadata)
		found = true
	}
	if !found {
		return t, nil
	}
	text, err := parsed.top.encode()
	if err != nil {
		return Template{}, lcm.Wrap(lcm.KindInvalid, err, "%s cannot be written again", f.BaseHOT)
	}
	return Template{Top: text, Files: t.Files}, nil
}
