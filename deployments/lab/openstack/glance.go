package openstack

import (
	"crypto/md5" //nolint:gosec // Glance's checksum is MD5
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/windlass-nfv/windlass/deployments/lab/state"
)

// Image is a Glance image. Servers always run the lab's node image: the lab counts the bytes of an upload and discards
// them.
type Image struct {
	ID, Name, ProjectID, Status, DiskFormat, ContainerFormat, Visibility, Checksum string
	Size                                                                           int64
	MinDisk, MinRAM                                                                int
	Properties                                                                     map[string]string
	Tags                                                                           []string
	Created, Updated                                                               time.Time
}

const images = state.Table[Image]("glance_images")

// imageSpace is the UUID namespace for configured images: their ids derive from their names and stay the same.
var imageSpace = uuid.MustParse("6d1b0f3a-9c3b-4f0e-8a57-6c6162000000")

func (c *Cloud) plantImages(tx *state.Tx) error {
	for _, name := range c.cfg.Images {
		id := uuid.NewSHA1(imageSpace, []byte(name)).String()
		if _, found := images.Get(tx, id); found {
			continue
		}
		err := images.Put(tx, id, Image{
			ID: id, Name: name, ProjectID: c.seed.Projects["admin"], Status: "active", DiskFormat: "raw",
			ContainerFormat: "bare",
			Visibility:      "public", Size: 1 << 30, Created: c.now(), Updated: c.now(),
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// findImage looks an image up by id or name.
func (c *Cloud) findImage(project, nameOrID string) (Image, bool) {
	return imageIn(state.LoadAll(c.store, images, ""), project, nameOrID)
}

func imageIn(all []Image, project, nameOrID string) (Image, bool) {
	for _, i := range all {
		if (i.ID == nameOrID || i.Name == nameOrID) && (i.Visibility == "public" || i.ProjectID == project) {
			return i, true
		}
	}
	return Image{}, false
}

func (rt *router) glance() {
	c := rt.c
	for _, path := range []string{"", "/{$}", "/versions"} {
		rt.open(glance, "GET "+path, func(*request) (reply, error) {
			return reply{status: http.StatusMultipleChoices, body: object{"versions": []object{{
				"id": "v2.9", "status": "CURRENT", "links": []object{{"rel": "self", "href": c.cfg.Endpoint + "/image/v2/"}},
			}}}}, nil
		})
	}
	rt.on(glance, "GET /v2/images", c.listImages)
	rt.on(glance, "POST /v2/images", c.createImage)
	rt.on(glance, "GET /v2/images/{id}", c.showImage)
	rt.on(glance, "PATCH /v2/images/{id}", c.patchImage)
	rt.on(glance, "DELETE /v2/images/{id}", c.deleteImage)
	rt.on(glance, "PUT /v2/images/{id}/file", c.uploadImage)
	rt.on(glance, "PUT /v2/images/{id}/tags/{tag}", c.tagImage)
	rt.on(glance, "DELETE /v2/images/{id}/tags/{tag}", c.untagImage)
}

func imageView(i Image) object {
	view := object{}
	for k, v := range i.Properties {
		view[k] = v
	}
	tagList := i.Tags
	if tagList == nil {
		tagList = []string{}
	}
	view["id"], view["name"], view["status"], view["owner"], view["visibility"] = i.ID, i.Name, i.Status, i.ProjectID,
		i.Visibility
	view["disk_format"], view["container_format"], view["min_disk"], view["min_ram"] = i.DiskFormat, i.ContainerFormat,
		i.MinDisk, i.MinRAM
	view["protected"], view["os_hidden"], view["tags"], view["size"], view["checksum"] = false, false, tagList, nil, nil
	view["self"], view["file"], view["schema"] = "/v2/images/"+i.ID, "/v2/images/"+i.ID+"/file", "/v2/schemas/image"
	view["created_at"], view["updated_at"] = stamp(i.Created), stamp(i.Updated)
	if i.Status == "active" {
		view["size"] = i.Size
		view["checksum"] = i.Checksum
	}
	return view
}

func (c *Cloud) listImages(r *request) (reply, error) {
	q := r.URL.Query()
	out := []object{}
	for _, i := range state.LoadAll(c.store, images, "") {
		name := q.Get("name")
		if len(name) > 3 && name[:3] == "in:" {
			name = name[3:]
		}
		wanted := (i.Visibility == "public" || r.sees(i.ProjectID)) && q.Get("marker") == "" &&
			(name == "" || i.Name == name) && (!q.Has("status") || q.Get("status") == i.Status) &&
			(!q.Has("visibility") || q.Get("visibility") == i.Visibility) && hasAll(i.Tags, q["tag"])
		if wanted {
			out = append(out, imageView(i))
		}
	}
	return ok(object{"images": out, "schema": "/v2/schemas/images", "first": "/v2/images"})
}

func hasAll(have, want []string) bool {
	return !slices.ContainsFunc(want, func(tag string) bool { return !slices.Contains(have, tag) })
}

func (c *Cloud) image(r *request) (Image, error) {
	i, found := state.Load(c.store, images, r.PathValue("id"))
	if !found || i.Visibility != "public" && !r.sees(i.ProjectID) {
		return i, notFound("NotFound", "Failed to find image %s", r.PathValue("id"))
	}
	return i, nil
}

func (c *Cloud) ownImage(r *request) (Image, error) {
	i, err := c.image(r)
	if err == nil && !r.sees(i.ProjectID) {
		err = fail(http.StatusForbidden, "Forbidden", "You are not authorized to complete this action on image %s.", i.ID)
	}
	return i, err
}

func (c *Cloud) showImage(r *request) (reply, error) {
	i, err := c.image(r)
	if err != nil {
		return reply{}, err
	}
	return ok(imageView(i))
}

// baseFields are the fields of an image other than its free properties.
var baseFields = []string{
	"id", "name", "visibility", "disk_format", "container_format", "min_disk", "min_ram", "tags",
	"protected", "os_hidden", "owner",
}

func (c *Cloud) createImage(r *request) (reply, error) {
	var q struct {
		ID              string   `json:"id"`
		Name            string   `json:"name"`
		Visibility      string   `json:"visibility"`
		DiskFormat      string   `json:"disk_format"`
		ContainerFormat string   `json:"container_format"`
		MinDisk         int      `json:"min_disk"`
		MinRAM          int      `json:"min_ram"`
		Tags            []string `json:"tags"`
	}
	var all map[string]any
	if err := errors.Join(r.decode("", &q), r.decode("", &all)); err != nil {
		return reply{}, badRequest("Malformed request body")
	}
	if q.Visibility == "public" && !r.token.Admin() {
		return reply{}, fail(http.StatusForbidden, "Forbidden", "You are not authorized to publicize the image.")
	}
	i := Image{
		ID: q.ID, Name: q.Name, ProjectID: r.project(), Status: "queued", Visibility: q.Visibility, DiskFormat: q.DiskFormat,
		ContainerFormat: q.ContainerFormat,
		MinDisk:         q.MinDisk, MinRAM: q.MinRAM, Tags: q.Tags, Properties: map[string]string{}, Created: c.now(),
		Updated: c.now(),
	}
	if i.ID == "" {
		i.ID = uuid.NewString()
	}
	if i.Visibility == "" {
		i.Visibility = "shared"
	}
	for k, v := range all {
		if s, isText := v.(string); isText && !slices.Contains(baseFields, k) {
			i.Properties[k] = s
		}
	}
	if _, exists := state.Load(c.store, images, i.ID); exists {
		return reply{}, conflict("Conflict", "Image ID %s already exists!", i.ID)
	}
	if err := state.Save(c.store, images, i.ID, i); err != nil {
		return reply{}, err
	}
	return created(imageView(i))
}

func (c *Cloud) patchImage(r *request) (reply, error) {
	i, err := c.ownImage(r)
	if err != nil {
		return reply{}, err
	}
	var ops []struct {
		Op, Path string
		Value    any
	}
	if err := r.decode("", &ops); err != nil {
		return reply{}, err
	}
	i, _, err = state.Change(c.store, images, i.ID, func(i *Image) error {
		for _, op := range ops {
			value, _ := op.Value.(string)
			switch field := op.Path[min(len(op.Path), 1):]; {
			case field == "name":
				i.Name = value
			case field == "visibility":
				i.Visibility = value
			case op.Op == "remove":
				delete(i.Properties, field)
			default:
				if i.Properties == nil {
					i.Properties = map[string]string{}
				}
				i.Properties[field] = value
			}
		}
		i.Updated = c.now()
		return nil
	})
	if err != nil {
		return reply{}, err
	}
	return ok(imageView(i))
}

func (c *Cloud) uploadImage(r *request) (reply, error) {
	i, err := c.ownImage(r)
	if err != nil {
		return reply{}, err
	}
	if i.Status != "queued" {
		return reply{}, conflict("Conflict", "Image status transition from %s to saving is not allowed", i.Status)
	}
	sum := md5.New() //nolint:gosec // Glance's checksum is MD5
	n, err := io.Copy(sum, r.Body)
	if err != nil {
		return reply{}, badRequest("The upload broke off: %v", err)
	}
	_, _, err = state.Change(c.store, images, i.ID, func(i *Image) error {
		i.Status, i.Size, i.Checksum, i.Updated = "active", n, hex.EncodeToString(sum.Sum(nil)), c.now()
		return nil
	})
	return reply{status: http.StatusNoContent}, err
}

func (c *Cloud) deleteImage(r *request) (reply, error) {
	i, err := c.ownImage(r)
	if err != nil {
		return reply{}, err
	}
	return reply{status: http.StatusNoContent}, state.Remove(c.store, images, i.ID)
}

// tagImage adds a tag; a tag that exists already is no error.
func (c *Cloud) tagImage(r *request) (reply, error) {
	return c.retag(r, func(tags []string, tag string) ([]string, error) {
		if slices.Contains(tags, tag) {
			return tags, nil
		}
		return append(slices.Clone(tags), tag), nil
	})
}

func (c *Cloud) untagImage(r *request) (reply, error) {
	return c.retag(r, func(tags []string, tag string) ([]string, error) {
		if !slices.Contains(tags, tag) {
			return nil, notFound("NotFound", "Tag %s is not found.", tag)
		}
		return slices.DeleteFunc(slices.Clone(tags), func(t string) bool { return t == tag }), nil
	})
}

func (c *Cloud) retag(r *request, change func(tags []string, tag string) ([]string, error)) (reply, error) {
	i, err := c.ownImage(r)
	if err != nil {
		return reply{}, err
	}
	_, _, err = state.Change(c.store, images, i.ID, func(i *Image) (err error) {
		i.Tags, err = change(i.Tags, r.PathValue("tag"))
		return err
	})
	return reply{status: http.StatusNoContent}, err
}
