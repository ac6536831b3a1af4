package vnfpkg

import "github.com/windlass-nfv/windlass/internal/lcm"

// renewedKey is the member of the metadata of a group's members that tells which change they follow.
const renewedKey = "windlass_change"

// Renewed is the template with other metadata for the members of groups. Heat gives members another definition only
// where that of the group differs from the one that its last good update had: to take a change back that has failed
// half-way would change nothing.
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
