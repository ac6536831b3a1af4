package apiserver

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// knownNames has one instance, edge-1, on the VIM north, and the VIMs of vimsByID.
type knownNames struct {
	instance  lcm.VnfInstance
	request   string
	automatic bool
}

var vimsByID = map[lcm.VimID]string{"id-north": "north", "id-south": "south", "id-default": "default"}

func (k knownNames) Instance(context.Context, lcm.VnfInstanceID) (lcm.VnfInstance, error) {
	if k.instance.ID == "" {
		k.instance = lcm.VnfInstance{ID: "vnf-1", Name: "edge-1", VimConnections: on("id-north")}
	}
	return k.instance, nil
}

func (k knownNames) Operation(context.Context, lcm.OpOccID) (lcm.VnfLcmOpOcc, error) {
	o := lcm.VnfLcmOpOcc{Operation: lcm.OpHeal, IsAutomaticInvocation: k.automatic, Params: []byte(k.request)}
	if k.request != "" {
		o.Operation = lcm.OpInstantiate
	}
	return o, nil
}

func (knownNames) Vim(_ context.Context, id lcm.VimID) (lcm.Vim, error) {
	if name, ok := vimsByID[id]; ok {
		return lcm.Vim{ID: id, Name: name}, nil
	}
	return lcm.Vim{}, lcm.Errorf(lcm.KindNotFound, "There is no such VIM.")
}

func (k knownNames) DefaultVim(ctx context.Context) (lcm.Vim, error) { return k.Vim(ctx, "id-default") }

func on(ids ...lcm.VimID) (out []lcm.VimConnectionInfo) {
	for _, id := range ids {
		out = append(out, lcm.VimConnectionInfo{ID: string(id), VimID: id})
	}
	return out
}

func TestCaption_namesTheVnfAndItsVims(t *testing.T) {
	t.Parallel()
	instantiate := lcm.OperationInput{OpOccID: "op-1", VnfInstanceID: "vnf-1", Operation: lcm.OpInstantiate}
	for name, c := range map[string]struct {
		names Names
		in    lcm.OperationInput
		want  caption
	}{
		"the VIM of the request": {
			knownNames{
				instance: lcm.VnfInstance{ID: "vnf-1", Name: "edge-1"},
				request:  `{"flavourId":"simple","vimConnectionInfo":[{"id":"c","vimId":"id-south"}]}`,
			}, instantiate, caption{"INSTANTIATE edge-1", "edge-1", "south"},
		},
		"the default VIM": {
			knownNames{instance: lcm.VnfInstance{ID: "vnf-1", Name: "edge-1"}, request: `{"flavourId":"simple"}`},
			instantiate,
			caption{"INSTANTIATE edge-1", "edge-1", "default"},
		},
		"both VIMs of a hybrid VNF": {
			knownNames{instance: lcm.VnfInstance{ID: "vnf-1", Name: "edge-1", VimConnections: on("id-north", "id-south", "id-north")}},
			lcm.OperationInput{VnfInstanceID: "vnf-1", Operation: lcm.OpHeal},
			caption{"HEAL edge-1", "edge-1", "north, south"},
		},
		"an instance without a name, on a VIM that is not registered": {
			knownNames{instance: lcm.VnfInstance{ID: "vnf-1", VimConnections: on("elsewhere")}},
			lcm.OperationInput{VnfInstanceID: "vnf-1", Operation: lcm.OpScale},
			caption{"SCALE vnf-1", "", "elsewhere"},
		},
		"a name that is no line": {
			knownNames{instance: lcm.VnfInstance{ID: "vnf-1", Name: "a\nb" + strings.Repeat("é", 200), VimConnections: on("id-north")}},
			lcm.OperationInput{VnfInstanceID: "vnf-1", Operation: lcm.OpScale},
			caption{"SCALE a b" + strings.Repeat("é", 95), "a b" + strings.Repeat("é", 98), "north"},
		},
		"a heal that nobody has asked for": {
			knownNames{automatic: true},
			lcm.OperationInput{VnfInstanceID: "vnf-1", Operation: lcm.OpHeal},
			caption{"HEAL edge-1 (automatic)", "edge-1", "north"},
		},
		"no names": {nil, instantiate, caption{"INSTANTIATE vnf-1", "", ""}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, (&Temporal{Names: c.names}).captionOf(t.Context(), c.in))
		})
	}
}
