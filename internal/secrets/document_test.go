package secrets_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/secrets"
)

// request contains each form of a secret once; every secret contains "hunter2".
const request = `{
  "flavourId": "complex", "big": 12345678901234567890,
  "additionalParams": {
    "k8s_cluster_installation_param": {
      "master_node": {"username": "ubuntu", "password": "hunter2-a", "pod_cidr": "10.0.0.0/16"},
      "proxy": {"http_proxy": "http://user:hunter2-b@proxy:3128", "https_proxy": "http://proxy:3128", "no_proxy": "10.0.0.0/8"}
    },
    "odd.key": {"clientSecret": "hunter2-c"},
    "note": "-----BEGIN OPENSSH PRIVATE KEY-----\nhunter2-d\n-----END OPENSSH PRIVATE KEY-----",
    "credentials": {"user": "hunter2-e", "list": ["hunter2-f", {"x": "hunter2-g"}], "flag": true, "none": null}
  },
  "vimConnectionInfo": [{"accessInfo": {"bearer_token": "hunter2-h", "PASSWORD": "hunter2-i", "empty_password": ""}}]
}`

func TestSealDocument_leavesNoSecretInIt(t *testing.T) {
	t.Parallel()
	m := newMemory()
	vault := secrets.NewVault(load(t, keyFile(t)), m)
	sealed, err := secrets.SealDocument(t.Context(), vault, "vnf/1/request", []byte(request))
	require.NoError(t, err)
	assert.NotContains(t, string(sealed), "hunter2")
	for _, kept := range []string{
		`"ubuntu"`, `"http://proxy:3128"`, `"flag":true`, `"none":null`, `12345678901234567890`,
		`"empty_password":""`,
	} {
		assert.Contains(t, string(sealed), kept)
	}
	assert.Len(t, m.rows, 9)
	for _, ref := range []lcm.SecretRef{
		"vnf/1/request/additionalParams.k8s_cluster_installation_param.master_node.password",
		`vnf/1/request/additionalParams["odd.key"].clientSecret`,
		"vnf/1/request/additionalParams.credentials.list[1].x",
		"vnf/1/request/vimConnectionInfo[0].accessInfo.PASSWORD",
	} {
		assert.Contains(t, m.rows, ref)
	}
	opened, err := secrets.OpenDocument(t.Context(), vault, sealed)
	require.NoError(t, err)
	assert.JSONEq(t, request, string(opened))
	assert.Contains(t, string(opened), "12345678901234567890", "numbers stay as they are written")

	masked := secrets.MaskDocument(sealed)
	assert.NotContains(t, string(masked), "hunter2")
	assert.NotContains(t, string(masked), "$secret")
	assert.Contains(t, string(masked), `"password":"***"`)
}

func TestSealDocument_resultIsWhatTheDomainReads(t *testing.T) {
	t.Parallel()
	vault := secrets.NewVault(load(t, keyFile(t)), newMemory())
	sealed, err := secrets.SealDocument(t.Context(), vault, "r",
		[]byte(`{"password": "hunter2", "private_key": 7, "username": "u"}`))
	require.NoError(t, err)
	var node k8s.NodeParams
	require.NoError(t, json.Unmarshal(sealed, &node))
	assert.Equal(t, lcm.SecretRef("r/password"), node.Password.Ref)
	assert.Equal(t, "u", node.Username)
	number, err := vault.Get(t.Context(), node.PrivateKey.Ref)
	require.NoError(t, err)
	assert.Equal(t, "7", number)
}

func TestSealDocument_refusesReferencesInRequests(t *testing.T) {
	t.Parallel()
	m := newMemory()
	vault := secrets.NewVault(load(t, keyFile(t)), m)
	_, err := secrets.SealDocument(t.Context(), vault, "r",
		[]byte(`{"password": "x", "a": {"password": {"$secret": "vnf/other/password"}}, "b": [{"$secret": 1, "c": 2}]}`))
	e, ok := errors.AsType[*lcm.Error](err)
	require.True(t, ok)
	assert.Equal(t, lcm.KindInvalid, e.Kind)
	require.Len(t, e.Problems, 2)
	assert.Equal(t, `$.a.password["$secret"]`, e.Problems[0].Path)
	assert.Empty(t, m.rows, "a refused document leaves nothing behind")
}

func TestDocuments_oddInput(t *testing.T) {
	t.Parallel()
	vault := secrets.NewVault(load(t, keyFile(t)), newMemory())
	for _, doc := range []string{`{"a"`, `{} {}`, `nonsense`} {
		_, err := secrets.SealDocument(t.Context(), vault, "r", []byte(doc))
		require.Equal(t, lcm.KindInvalid, lcm.KindOf(err), doc)
		assert.JSONEq(t, `"***"`, string(secrets.MaskDocument([]byte(doc))))
	}
	for _, doc := range []string{"", "null", "7", `"x"`, "[]"} {
		sealed, err := secrets.SealDocument(t.Context(), vault, "r", []byte(doc))
		require.NoError(t, err)
		assert.Equal(t, doc, string(sealed))
		opened, err := secrets.OpenDocument(t.Context(), vault, sealed)
		require.NoError(t, err)
		assert.Equal(t, doc, string(opened))
		assert.Equal(t, doc, string(secrets.MaskDocument(sealed)))
	}
	_, err := secrets.OpenDocument(t.Context(), vault, []byte(`{"a": {"$secret": "absent"}}`))
	require.Equal(t, lcm.KindNotFound, lcm.KindOf(err))

	deep := strings.Repeat(`{"abcdefghij":`, 200) + `{"password": "x"}` + strings.Repeat("}", 200)
	sealed, err := secrets.SealDocument(t.Context(), vault, "r", []byte(deep))
	require.NoError(t, err)
	opened, err := secrets.OpenDocument(t.Context(), vault, sealed)
	require.NoError(t, err)
	assert.JSONEq(t, deep, string(opened))
}

func TestMaskDocument_hidesWhatWasNeverSealed(t *testing.T) {
	t.Parallel()
	got := secrets.MaskDocument([]byte(`{"password": "hunter2", "token": 42, "proxy": ["http://u:hunter2@p"], "ok": "yes"}`))
	assert.JSONEq(t, `{"password": "***", "token": "***", "proxy": ["***"], "ok": "yes"}`, string(got))
}

func TestIsSecretKey(t *testing.T) {
	t.Parallel()
	for _, key := range []string{
		"password", "Password", "ssh_password", "k8s_password", "passwd", "passphrase", "bearer_token", "accessToken",
		"client_key",
		"token",
		"client_secret", "clientSecret", "CLIENT-SECRET", "private_key", "privateKey", "access_key", "secretAccessKey",
		"api_key",
		"credentials", "pass", "auth_pass", "adminPass", "pwd", "certificate_key", "kubeconfig",
	} {
		assert.True(t, secrets.IsSecretKey(key), key)
	}
	for _, key := range []string{
		"username", "key_name", "token_ttl", "bypass", "compass", "passive", "secretName", "password_policy",
		"certificate_path",
		"ssh_cp_name", "accessInfo", "auth_url", "public_key", "author",
	} {
		assert.False(t, secrets.IsSecretKey(key), key)
	}
}

func FuzzSealDocument(f *testing.F) {
	f.Add([]byte(request))
	f.Add([]byte(`[{"password":[1,{"a":"b"}]}]`))
	path := f.TempDir() + "/keys"
	if err := secrets.GenerateKeyFile(f.Context(), path, nil); err != nil {
		f.Fatal(err)
	}
	keys, err := secrets.LoadKeyring(f.Context(), secrets.Source{File: path})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		vault := secrets.NewVault(keys, newMemory())
		sealed, err := secrets.SealDocument(t.Context(), vault, "r", doc)
		if err != nil {
			return
		}
		if _, err := secrets.OpenDocument(t.Context(), vault, sealed); err != nil {
			t.Fatalf("what was sealed does not open: %v", err)
		}
		if len(doc) > 0 && !json.Valid(secrets.MaskDocument(sealed)) {
			t.Fatal("a masked document is not JSON")
		}
	})
}

func TestSealDocument_hidesSettingsThatAreSecrets(t *testing.T) {
	v := secrets.NewVault(load(t, keyFile(t)), newMemory())
	const text = `{"using_helm_install_param": [{"helmparameter": ["service.port=8081", "auth.password=s3cr3t-1", "token"]}],
		"helm_parameters": {"auth.password": "s3cr3t-2", "page": "password=shown"}}`
	sealed, err := secrets.SealDocument(t.Context(), v, "op/1", []byte(text))
	require.NoError(t, err)
	require.NotContains(t, string(sealed), "s3cr3t")
	require.Contains(t, string(sealed), `"service.port=8081"`)
	require.Contains(t, string(sealed), "password=shown")
	clear, opened, err := secrets.Open(t.Context(), v, sealed)
	require.NoError(t, err)
	require.JSONEq(t, text, string(clear))
	require.ElementsMatch(t, []string{"auth.password=s3cr3t-1", "s3cr3t-1", "s3cr3t-2"}, opened)
	require.NotContains(t, string(secrets.MaskDocument([]byte(text))), "s3cr3t")
}
