package plan

// connecting is the step that lets nodes pull from the registries of the request, if it names any.
func (o outline) connecting(title string) []PlannedStep {
	if len(o.facts.Cluster.PrivateRegistries) == 0 {
		return nil
	}
	return []PlannedStep{{Title: title}}
}
