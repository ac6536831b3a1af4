package kubernetes

import (
	"context"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// NodePorts implements vim.Exposer. It returns the deployment's Services of type NodePort with their TCP ports. If a
// manifest names no number, the cluster has chosen it.
func (c *Connection) NodePorts(ctx context.Context, name string) (out []lcm.ExposedService, err error) {
	r, err := c.recordOf(ctx, name)
	if err != nil {
		return nil, err
	}
	for _, namespace := range r.namespaces() {
		list, err := c.core.Services(namespace).List(ctx, listOptions(r.Owner))
		if err != nil {
			return nil, translate("list the Services", err)
		}
		for _, s := range list.Items {
			if s.Spec.Type != corev1.ServiceTypeNodePort {
				continue
			}
			service := lcm.ExposedService{Namespace: s.Namespace, Name: s.Name}
			for _, port := range s.Spec.Ports {
				if port.NodePort != 0 && (port.Protocol == corev1.ProtocolTCP || port.Protocol == "") {
					service.NodePorts = append(service.NodePorts, int(port.NodePort))
				}
			}
			out = append(out, service)
		}
	}
	slices.SortFunc(out, func(a, b lcm.ExposedService) int {
		return strings.Compare(a.Namespace+"/"+a.Name, b.Namespace+"/"+b.Name)
	})
	return out, nil
}
