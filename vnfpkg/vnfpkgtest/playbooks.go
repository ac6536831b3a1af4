package vnfpkgtest

import "testing"

const hooksOfAnsible = `instantiate_end: { implementation: { primary: ansible_driver, dependencies: [playbooks] } }
          scale_end: { implementation: ansible_driver }
          operate_end: { implementation: ansible_driver }
`

// Played returns a package whose hooks name Tacker's Ansible driver.
func Played(t testing.TB) Files {
	t.Helper()
	return Minimal().
		ReplaceVnfd(t, "instantiate_end:\n            implementation: mgmt-drivers-kubernetes\n", hooksOfAnsible).
		ReplaceVnfd(t, "      interfaces:\n", "      artifacts:\n"+
			"        ansible_driver: { type: tosca.artifacts.Implementation.Python, file: /opt/ansible.py }\n"+
			"        playbooks: { type: tosca.artifacts.File, file: ../Other/config.yaml }\n      interfaces:\n")
}
