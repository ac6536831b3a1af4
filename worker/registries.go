package worker

import "github.com/windlass-nfv/windlass/internal/lcm"

// changesRegistries reports whether a modification gives the nodes of a cluster other registries of images.
func (j *job) changesRegistries() bool {
	if j.former.Instantiated == nil || !j.isCluster() {
		return false
	}
	request, err := lcm.ParseModify(j.opOcc.Params)
	if err != nil {
		return false // told where it is applied
	}
	_, given := request.Registries(j.former)
	return given
}

// formerRegistries are those that a modification replaces.
func (j *job) formerRegistries() []lcm.PrivateRegistry {
	if j.former.Instantiated == nil {
		return nil
	}
	params, _ := lcm.ParseClusterParams(j.former.Instantiated.AdditionalParams) // what cannot be read was refused with its request
	return params.PrivateRegistries
}
