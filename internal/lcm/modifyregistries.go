package lcm

// Registries reports whether the modification changes the registries of the VNF, and returns the new ones; nil for
// none.
func (r ModifyRequest) Registries(inst VnfInstance) (list any, given bool) {
	switch {
	case !r.ConfigurableProperties.Given:
		return nil, false
	case r.ConfigurableProperties.Members == nil: // the patch removes all properties
		_, had := inst.ConfigurableProperties[RegistriesKey]
		return nil, had
	default:
		list, given = r.ConfigurableProperties.Members[RegistriesKey]
		return list, given
	}
}
