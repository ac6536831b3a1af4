package cnf

// Autoscaler is the name of the VNF's HorizontalPodAutoscaler that decides how many Pods a VDU has, "" for none.
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
