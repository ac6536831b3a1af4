package faults

import (
	"strings"
	"testing"
)

const (
	chartPackage = "vnfpkg/samples/cnf-helm"
	chartVnfdID  = "4f0c2f0e-7f0f-4c1b-8f43-6d0a6c1f9b52"
	// laterChartVnfdID is the VNFD id of a later version of the chart's package.
	laterChartVnfdID = "4f0c2f0e-7f0f-4c1b-8f43-6d0a6c1f9b53"

	laterVnfdID = "3d1f0c52-8f0a-4a53-9a7c-5be2f7f0c1ab"
	laterImage  = "lab.local/web:v2"
)

// laterPackage makes a later version of the sample of manifests, with another VNFD and image.
func (s *site) laterPackage(t testing.TB) (dir string) {
	t.Helper()
	return s.bed.ChangedPackage(t, containersPackage, strings.NewReplacer(containersVnfdID, laterVnfdID,
		"software_version: '1.0'", "software_version: '2.0'", "lab.local/web:v1", laterImage))
}

// laterChart makes a later version of the sample with a chart.
func (s *site) laterChart(t testing.TB) (dir string) {
	t.Helper()
	return s.bed.ChangedPackage(t, chartPackage, strings.NewReplacer(chartVnfdID, laterChartVnfdID,
		"software_version: '1.0'", "software_version: '2.0'", "lab.local/web:v1", laterImage))
}

// clusterConnection returns a vimConnectionInfo with the cluster of containerised VNFs.
func (s *site) clusterConnection() []any {
	return []any{map[string]any{"id": "cluster", "vimId": s.clusterVim, "vimType": "kubernetes"}}
}

// instantiateContainers begins to instantiate a containerised VNF, of manifests or of a chart.
func (s *site) instantiateContainers(t testing.TB, as state) (op string) {
	t.Helper()
	vnfd, request := containersVnfdID, map[string]any{
		"flavourId": "simple", "instantiationLevelId": "small", "vimConnectionInfo": s.clusterConnection(),
	}
	if as.chart {
		vnfd, request["additionalParams"] = chartVnfdID, map[string]any{
			"helm_chart_path": "Files/kubernetes/web", "namespace": "default",
			"helm_value_names": map[string]any{"web": map[string]any{"replica": "replicaCount"}},
		}
	} else {
		request["extVirtualLinks"] = mediaOn("media")
		request["additionalParams"] = map[string]any{
			"lcm-kubernetes-def-files": []string{
				"Files/kubernetes/networks.yaml", "Files/kubernetes/page.yaml", "Files/kubernetes/web.yaml",
			},
			"namespace": "default",
		}
	}
	s.vnf = s.bed.CreateOf(t, vnfd, "containers-"+s.unique())
	return s.bed.Begin(t, s.vnf, "instantiate", request)
}
