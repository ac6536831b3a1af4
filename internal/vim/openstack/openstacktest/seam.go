package openstacktest

import (
	"github.com/windlass-nfv/windlass/internal/vim"
	"github.com/windlass-nfv/windlass/internal/vim/openstack"
	"github.com/windlass-nfv/windlass/internal/vim/vimtest"
)

// groupTop is a group. Each member is a server with a port.
const groupTop = header + `
parameters:
  image: {type: string}
  flavor: {type: string}
  network: {type: string}
  size: {type: number}
resources:
  workers:
    type: OS::Heat::AutoScalingGroup
    properties:
      min_size: 0
      max_size: 4
      desired_capacity: {get_param: size}
      resource:
        type: worker.yaml
        properties: {image: {get_param: image}, flavor: {get_param: flavor}, network: {get_param: network}}
`

var groupFiles = map[string]string{"worker.yaml": header + `
parameters:
  image: {type: string}
  flavor: {type: string}
  network: {type: string}
resources:
  cp: {type: OS::Neutron::Port, properties: {network: {get_param: network}}}
  vdu:
    type: OS::Nova::Server
    properties: {image: {get_param: image}, flavor: {get_param: flavor}, networks: [{port: {get_resource: cp}}]}
`}

// seam checks that OpenStack does what package vim promises of every VIM.
func (s *site) seam() {
	vimtest.Run(s.T, vimtest.Bed{
		VIM: s.cloud, Name: s.name, Patience: s.Patience,
		Define: func(n int) vim.Definition {
			st := s.stack(groupTop, map[string]any{"size": n}, groupFiles)
			return openstack.Definition{Template: st.Template, Files: st.Files, Parameters: st.Parameters}
		},
		Resize: func(n int) vim.Definition {
			return openstack.Definition{Parameters: map[string]any{"size": n}}
		},
	})
}
