package openstack

import (
	"context"

	"github.com/windlass-nfv/windlass/deployments/lab/hot"
	"github.com/windlass-nfv/windlass/deployments/lab/state"
)

func (h heatResources) createKeyPair(_ context.Context, i hot.Item) (string, error) {
	name := str(i.Properties, "name")
	if i.Physical != "" {
		if _, found := state.Load(h.c.store, keypairs, i.UserID+"/"+name); found {
			return name, nil
		}
	}
	keep := boolPtr(i.Properties, "save_private_key")
	k, _, err := h.c.createKeyPair(i.UserID, i.ProjectID, name, str(i.Properties, "public_key"), keep != nil && *keep)
	if err != nil {
		return "", err
	}
	i.Exists(k.Name)
	return k.Name, nil
}

func (h heatResources) removeKeyPair(_ context.Context, i hot.Item) error {
	if i.Physical == "" {
		return nil // it was never made; another one may have its name
	}
	return state.Remove(h.c.store, keypairs, i.UserID+"/"+i.Physical)
}

func (h heatResources) keyPairAttributes(i hot.Item) (map[string]any, error) {
	k, found := state.Load(h.c.store, keypairs, i.UserID+"/"+i.Physical)
	if !found {
		return nil, notFound("NotFound", "Keypair %s not found for user %s", i.Physical, i.UserID)
	}
	return map[string]any{"public_key": k.PublicKey, "private_key": k.PrivateKey, "show": generic(keyPairView(k))}, nil
}

func (h heatResources) createVolume(_ context.Context, i hot.Item) (string, error) {
	v, err := h.c.newVolume(i.UID, i.ProjectID, i.UserID, h.volumeRequest(i))
	return v.ID, err
}

func (h heatResources) volumeRequest(i hot.Item) volumeRequest {
	p := i.Properties
	q := volumeRequest{
		Name: new(i.FullName), Size: hot.Int(p["size"], 0), AZ: str(p, "availability_zone"),
		Type: str(p, "volume_type"), Metadata: textMap(p["metadata"]), Image: str(p, "image"),
		Snapshot: str(p, "snapshot_id"), Source: str(p, "source_volid"), Description: strPtr(p, "description"),
	}
	if name := str(p, "name"); name != "" {
		q.Name = &name
	}
	return q
}

func (h heatResources) updateVolume(_ context.Context, i hot.Item, _ map[string]any) error {
	q := h.volumeRequest(i)
	return h.c.store.Update(func(tx *state.Tx) error {
		v, found := volumes.Get(tx, i.ID())
		if !found {
			return volumeNotFound(i.ID())
		}
		if size := intOf(q.Size, v.Size); size > v.Size {
			if err := h.c.cinderQuota(tx, v.ProjectID, 0, size-v.Size); err != nil {
				return err
			}
			v.Size = size
		}
		set(&v.Name, q.Name)
		set(&v.Description, q.Description)
		v.Metadata = q.Metadata
		return volumes.Put(tx, v.ID, v)
	})
}

func (h heatResources) removeVolume(ctx context.Context, i hot.Item) error {
	v, found := state.Load(h.c.store, volumes, i.ID())
	if !found {
		return nil
	}
	if v.ServerID != "" {
		if err := h.c.detach(ctx, v.ServerID, v.ID); err != nil {
			return err
		}
	}
	return h.c.dropVolume(ctx, v.ID)
}

func (h heatResources) volumeAttributes(i hot.Item) (map[string]any, error) {
	v, err := record(h, volumes, i)
	if err != nil {
		return nil, err
	}
	view := generic(volumeView(v))
	attached := view["attachments"]
	return map[string]any{
		"show": view, "size": v.Size, "status": v.Status, "attachments": attached, "attachments_list": attached,
		"availability_zone": v.AZ, "display_name": v.Name, "display_description": v.Description, "volume_type": v.Type,
		"metadata": view["metadata"], "metadata_values": view["metadata"], "bootable": view["bootable"],
		"encrypted": false, "created_at": view["created_at"], "source_volid": nil, "snapshot_id": nil,
		"multiattach": false,
	}, nil
}

func (h heatResources) createAttachment(ctx context.Context, i hot.Item) (string, error) {
	volume := str(i.Properties, "volume_id")
	if _, err := h.c.attach(ctx, str(i.Properties, "instance_uuid"), Attachment{VolumeID: volume}); err != nil {
		return "", err
	}
	return volume, nil
}

func (h heatResources) updateAttachment(ctx context.Context, i hot.Item, old map[string]any) error {
	if err := h.c.detach(ctx, str(old, "instance_uuid"), str(old, "volume_id")); err != nil {
		return err
	}
	_, err := h.createAttachment(ctx, i)
	return err
}

func (h heatResources) removeAttachment(ctx context.Context, i hot.Item) error {
	return h.c.detach(ctx, str(i.Properties, "instance_uuid"), str(i.Properties, "volume_id"))
}
