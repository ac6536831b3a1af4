package cnf

// Autoscaler is the name of the HorizontalPodAutoscaler among the VNF's objects that decides how many Pods a VDU has,
// "" where none does.
func (v *VNF) Autoscaler(vdu string) string {
	w, is := v.Workloads[vdu]
	if !is {
		return ""
	}
	for i := range v.Objects {
		if scales(v.Objects[i], w) {
			return v.Objects[i].GetName()
		}
	}
	return ""
}
