package vims_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver/servertest"
)

func TestVim_sendsNoSecretToWhomNobodyVerifies(t *testing.T) {
	b := servertest.New(t)
	id := b.RegisterVim("lab", true)
	before := b.Sealed()
	put := func(cred map[string]any) servertest.Answer {
		return b.Do("PUT", "/v1.0/vims/"+id, map[string]any{"vim": map[string]any{"auth_cred": cred}})
	}
	tried := len(b.Vims.Seen)
	for _, cred := range []map[string]any{{"cert_verify": "False"}, {"ca_cert": "-----BEGIN CERTIFICATE-----"}} {
		a := put(cred)
		a.Want(http.StatusBadRequest)
		require.Contains(t, string(a.Body), "must be given again")
	}
	require.Len(t, b.Vims.Seen, tried, "nobody has got the password")
	require.Equal(t, before, b.Sealed())
	put(map[string]any{"cert_verify": "False", "password": servertest.Marker + "-new"}).Want(http.StatusOK)
	put(map[string]any{"cert_verify": false, "username": "other"}).Want(http.StatusOK)
}

func TestVim_refusesDeniedAddresses(t *testing.T) {
	b := servertest.New(t, servertest.WithDenied)
	register := func(url string) servertest.Answer {
		return b.Do("POST", "/v1.0/vims", map[string]any{"vim": map[string]any{
			"name": "lab", "type": "openstack", "auth_url": url, "auth_cred": map[string]any{"password": servertest.Marker},
		}})
	}
	for _, host := range servertest.DeniedHosts {
		a := register("http://" + host + ":5000/v3")
		a.Want(http.StatusUnprocessableEntity)
		require.Contains(t, string(a.Body), servertest.Denied, host)
	}
	a := register("169.254.169.254:6443") // the form for a Kubernetes
	a.Want(http.StatusUnprocessableEntity)
	require.Empty(t, b.Vims.Seen, "nobody was called")
	require.Empty(t, b.Sealed())
	register("http://192.0.2.5:5000/v3").Want(http.StatusCreated)
}
