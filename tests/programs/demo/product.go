package main

// product is the VNF that the demo makes: a Kubernetes cluster.
type product struct {
	dir, vnfdID string // of the package
	instance    string // the name of the VNF instance
	request     string // its file among the sample requests
	cluster     string // the name of the VIM that Windlass registers for the cluster
	nodes       []string
}

// product returns the VNF of the chosen driver.
func (o options) product() product {
	nodes := []string{"masterNode", "workerNode"}
	if o.kubespray {
		return product{
			dir: "vnfpkg/samples/k8s-kubespray", vnfdID: "2d0c6f0a-3f0b-4a6b-9a53-7f2f4f0d1c77", instance: "demo-kubespray",
			request: "instantiate-kubespray-balanced.json", cluster: "kubernetes-kubespray", nodes: nodes,
		}
	}
	return product{
		dir: "vnfpkg/samples/k8s-ha", vnfdID: "ee1f8f34-7c92-4023-840d-6f3b6885d92e", instance: "demo",
		request: "instantiate-" + o.flavour + ".json", cluster: "kubernetes-" + o.flavour, nodes: nodes,
	}
}
