package main

import (
	"bytes"
	"fmt"
	"os"
)

// The plugins are Debian's containernetworking-plugins; 0.4.0 is the newest version they and
// containerd 1.6 both speak.
const conflist = `{"cniVersion":"0.4.0","name":"labnet","plugins":[
 {"type":"bridge","bridge":"cni0","mtu":%d,"isGateway":true,"ipMasq":true,"hairpinMode":true,
  "ipam":{"type":"host-local","ranges":[[{"subnet":%q}]],"routes":[{"dst":"0.0.0.0/0"}]}},
 {"type":"portmap","capabilities":{"portMappings":true}}]}
`

func writeConf(path, podCIDR string, mtu int) error {
	want := fmt.Appendf(nil, conflist, mtu, podCIDR)
	if have, err := os.ReadFile(path); err == nil && bytes.Equal(have, want) {
		return nil
	}
	// containerd reads every *.conflist at once: the name must not end so before it is whole.
	temp := path + ".new"
	if err := os.WriteFile(temp, want, 0o644); err != nil {
		return err
	}
	return os.Rename(temp, path)
}
