package vnflcm

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lcm/lcmtest"
)

func FuzzChangesNeverPanicAndCanBeRead(f *testing.F) {
	f.Add([]byte(`{"type":"SCALE_IN","aspectId":"a","numberOfSteps":"1","additionalParams":{"vnfc_instance_ids":"a","scale_in_policy":"oldest"}}`))
	f.Add([]byte(`{"scaleInfo":[{"aspectId":"a","scaleLevel":1}],"instantiationLevelId":"x"}`))
	f.Add([]byte(`{"vnfcInstanceId":null,"cause":"x","additionalParams":{"k8s_cluster_installation_param":{"master_node":{"password":"x"}}}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		for op, read := range map[lcm.Operation]func() error{
			lcm.OpScale: func() error {
				r, err := lcmtest.Read[lcm.ScaleRequest](body)
				return readChoice(r.AdditionalParams, err)
			},
			lcm.OpScaleToLevel: func() error {
				r, err := lcmtest.Read[lcm.ScaleToLevelRequest](body)
				return readChoice(r.AdditionalParams, err)
			},
			lcm.OpHeal: func() error { _, err := lcmtest.Read[lcm.HealRequest](body); return err },
		} {
			if dialectV1.form(op)(body) == nil {
				require.NoError(t, read(), "what was checked can be read")
			}
		}
	})
}

func readChoice(additional json.RawMessage, err error) error {
	if err == nil {
		_, err = lcm.ParseScaleInChoice(additional)
	}
	return err
}
