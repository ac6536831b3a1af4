package worker

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/secrets"
	"github.com/windlass-nfv/windlass/internal/vim/openstack"
	"github.com/windlass-nfv/windlass/vnfpkg"
)

// defaultStackTimeout is Heat's time for a stack; Tacker's is 10 to 20 minutes, too short for a slow cloud.
const defaultStackTimeout = 30 * time.Minute

// StackName implements activities.Stacks. The name and the owner depend on the instance only, so that every
// operation, retry and rollback finds the same stack.
func (o *resolver) StackName(ctx context.Context, id lcm.OpOccID) (name, owner string, err error) {
	opOcc, err := o.Store.Operation(ctx, id)
	if err != nil {
		return "", "", err
	}
	return stackName(opOcc.VnfInstanceID), "windlass-vnf-" + string(opOcc.VnfInstanceID), nil
}

func stackName(id lcm.VnfInstanceID) string { return "vnf-" + string(id) }

// GracePeriod implements activities.Stacks.
func (o *resolver) GracePeriod(ctx context.Context, id lcm.OpOccID) (time.Duration, error) {
	opOcc, err := o.Store.Operation(ctx, id)
	if err != nil {
		return 0, err
	}
	request, err := lcm.ParseTerminate(opOcc.Params)
	if err != nil || request.GracefulTerminationTimeout != nil {
		return request.GracePeriod(), err
	}
	j, err := o.loadOf(ctx, opOcc)
	if err != nil || j.Flavour == nil {
		return request.GracePeriod(), err
	}
	return max(request.GracePeriod(), j.Flavour.LeastGrace()), nil
}

// Stack implements activities.Stacks.
func (o *resolver) Stack(ctx context.Context, id lcm.OpOccID) (openstack.Stack, error) {
	j, err := o.load(ctx, id)
	if err != nil {
		return openstack.Stack{}, err
	}
	name, owner, err := o.StackName(ctx, id)
	if err != nil {
		return openstack.Stack{}, err
	}
	whole, err := j.whole()
	if err != nil {
		return openstack.Stack{}, err
	}
	template, parameters, opened, err := o.heat(ctx, j, whole)
	if err != nil {
		return openstack.Stack{}, err
	}
	return openstack.Stack{
		Name: name, Template: template.Top, Files: template.Files, Parameters: parameters,
		Owner: owner, Operation: stackTag(id), Timeout: o.stackTimeout(j), Secrets: opened,
	}, nil
}

// Change implements activities.Stacks.
func (o *resolver) Change(
	ctx context.Context, id lcm.OpOccID, sizes activities.Sizes,
) (openstack.Change, []string, error) {
	j, err := o.load(ctx, id)
	if err != nil {
		return openstack.Change{}, nil, err
	}
	name, owner, err := o.StackName(ctx, id)
	if err != nil {
		return openstack.Change{}, nil, err
	}
	if sizes == activities.SizesRecorded { // also the parameters
		j.Request.ExtVirtualLinks, j.Request.AdditionalParams = j.Instance.Instantiated.ExtVirtualLinks,
			j.Instance.Instantiated.AdditionalParams
	}
	sized, err := j.sized(sizes)
	if err != nil {
		return openstack.Change{}, nil, err
	}
	template, parameters, opened, err := o.heat(ctx, j, sized)
	change := openstack.Change{
		Name: name, Owner: owner, Operation: stackTag(id), Parameters: parameters, Timeout: o.stackTimeout(j),
		Secrets: opened,
	}
	if sized.members != nil { // the size is in the template
		change.Template, change.Files = template.Top, template.Files
	}
	return change, j.Servers(), err
}

// sizes are how many VMs of each VDU a VNF that is there has, or gets.
func (j *job) sizes(sizes activities.Sizes) map[string]int {
	capacity := j.Recorded()
	if p := j.OpOcc.Plan; p != nil && sizes != activities.SizesRecorded {
		for _, g := range p.Groups {
			if sizes == activities.SizesPlanned || g.To > g.From {
				capacity[g.VduID] = g.To
			}
		}
	}
	return capacity
}

// Reconnection implements activities.Stacks.
func (o *resolver) Reconnection(ctx context.Context, id lcm.OpOccID, asBefore bool) (openstack.Change, error) {
	j, err := o.load(ctx, id)
	if err != nil {
		return openstack.Change{}, err
	}
	if asBefore {
		j.Request.ExtVirtualLinks, j.Request.AdditionalParams = j.Instance.Instantiated.ExtVirtualLinks,
			j.Instance.Instantiated.AdditionalParams
	}
	name, owner, err := o.StackName(ctx, id)
	if err != nil {
		return openstack.Change{}, err
	}
	present, err := j.present()
	if err != nil {
		return openstack.Change{}, err
	}
	template, parameters, opened, err := o.heat(ctx, j, present)
	if err != nil {
		return openstack.Change{}, err
	}
	direction := map[bool]string{false: "", true: " taken back"}[asBefore]
	if template, err = template.Renewed(j.Flavour, string(id)+direction); err != nil {
		return openstack.Change{}, err
	}
	return openstack.Change{
		Name: name, Owner: owner, Operation: stackTag(id), Parameters: parameters, Timeout: o.stackTimeout(j),
		Secrets:  opened,
		Template: template.Top, Files: template.Files,
	}, nil
}

func stackTag(id lcm.OpOccID) string { return "windlass-op-" + string(id) }

// unusablePorts is what errors begin with that name given ports which the stack cannot have.
const unusablePorts = "The ports of the request cannot be used"

// heat makes the template and the parameters of the VNF's stack of that shape; opened are the parameters' secrets.
func (o *resolver) heat(ctx context.Context, j *job, s shape) (vnfpkg.Template, map[string]any, []string, error) {
	template, err := vnfpkg.StackTemplate(j.Flavour, func(path string) ([]byte, error) {
		return o.Store.PackageFile(ctx, j.Instance.VnfPkgID, path)
	})
	if err == nil {
		template, err = template.Managed(j.Flavour, j.Request.ExtManagedVirtualLinks)
	}
	if err != nil {
		return template, nil, nil, err
	}
	class := lcm.ParseUserData(j.Request.AdditionalParams)
	ports, err := template.PortsProblems(j.Flavour, j.Request.ExtVirtualLinks, s.capacity, s.members)
	if err == nil && class.BuiltIn(o.userData != nil) {
		err = lcm.InvalidAll(unusablePorts, ports)
	}
	if err == nil && s.members != nil {
		template, err = template.Separate(j.Flavour, s.members)
	}
	if err != nil {
		return template, nil, nil, err
	}
	additional, opened, err := o.additionalParams(ctx, j)
	if err != nil {
		return template, nil, nil, err
	}
	request := vnfpkg.HeatRequest{
		Capacity: s.capacity, Members: s.members, Bitrates: s.bitrates, AdditionalParams: additional,
		ExtVirtualLinks: j.Request.ExtVirtualLinks, ExtManagedVirtualLinks: j.Request.ExtManagedVirtualLinks,
		Images: j.Choices.Images, ComputeFlavours: j.Choices.ComputeFlavours, Zones: j.Choices.Zones,
		KeptImages: j.Choices.KeptImages,
	}
	if !class.BuiltIn(o.userData != nil) {
		template, parameters, err := o.scripted(ctx, j, class, template, request, opened)
		if err == nil {
			err = lcm.InvalidAll(unusablePorts, vnfpkg.MadePortsProblems(j.Flavour, j.Request.ExtVirtualLinks, s.capacity,
				parameters))
		}
		return template, parameters, opened, err
	}
	parameters, err := vnfpkg.HeatParameters(j.Flavour, template, request)
	return template, parameters, opened, err
}

// additionalParams opens the request's parameters: a HOT parameter of the same name gets the value of each, also
// of a sealed one. opened are those that were sealed.
func (o *resolver) additionalParams(ctx context.Context, j *job) (params map[string]any, opened []string, err error) {
	if len(j.Request.AdditionalParams) == 0 {
		return nil, nil, nil
	}
	doc, err := secrets.OpenDocument(ctx, o.vault, j.Request.AdditionalParams)
	if err != nil {
		return nil, nil, err
	}
	var sealed map[string]any
	if err := errors.Join(json.Unmarshal(doc, &params), json.Unmarshal(j.Request.AdditionalParams, &sealed)); err != nil {
		return nil, nil, lcm.Wrap(lcm.KindInvalid, err, "additionalParams must be a JSON object.")
	}
	return params, differing(params, sealed), nil
}

// differing collects the strings of clear that stand for something else in sealed.
func differing(clear, sealed any) (out []string) {
	switch c := clear.(type) {
	case map[string]any:
		s, _ := sealed.(map[string]any)
		for key, value := range c {
			out = append(out, differing(value, s[key])...)
		}
	case []any:
		s, _ := sealed.([]any)
		for i, value := range c {
			if i < len(s) {
				out = append(out, differing(value, s[i])...)
			}
		}
	case string:
		if sealed != clear {
			out = append(out, c)
		}
	}
	return out
}

func (o *resolver) stackTimeout(j *job) time.Duration {
	if j.IsCluster() || j.IsRegistryServer() {
		if params, _, err := j.Access(); err == nil && params.Timeouts.Stack > 0 {
			return time.Duration(params.Timeouts.Stack) * time.Second
		}
	}
	return defaultStackTimeout
}

// clouds keeps one authenticated client a VIM, so that a step costs no new token.
type clouds struct {
	operations *resolver
	mu         sync.Mutex
	open       map[string]*login
}

// login is a client, and when it was asked for last.
type login struct {
	*openstack.Cloud
	used time.Time
}

// idleLogin is how long a client is kept that nobody asks for: VNFs may come with a VIM of their own each.
const idleLogin = time.Hour

// Cloud implements activities.Clouds.
func (c *clouds) Cloud(ctx context.Context, id lcm.OpOccID) (activities.Cloud, error) {
	vim, err := c.operations.vim(ctx, id)
	if err != nil {
		return nil, err
	}
	return c.of(ctx, vim)
}

// of is the cloud of a VIM.
func (c *clouds) of(ctx context.Context, vim lcm.Vim) (activities.Cloud, error) {
	cloud, err := c.connect(ctx, vim)
	if err != nil {
		return nil, err
	}
	return cloud, nil
}

// ofOperation is the cloud of an operation's VIM.
func (c *clouds) ofOperation(ctx context.Context, id lcm.OpOccID) (*openstack.Cloud, error) {
	vim, err := c.operations.vim(ctx, id)
	if err != nil {
		return nil, err
	}
	return c.connect(ctx, vim)
}

// connect logs in to a VIM's cloud, once for each VIM and its present credentials.
func (c *clouds) connect(ctx context.Context, vim lcm.Vim) (*openstack.Cloud, error) {
	key, err := loginKey(vim)
	if err != nil {
		return nil, err
	}
	if cloud := c.kept(key); cloud != nil {
		return cloud, nil
	}
	cred, err := c.operations.openMap(ctx, vim.AuthCred)
	if err != nil {
		return nil, err
	}
	cloud, err := openstack.Connect(ctx, vim, cred, c.operations.vimGuard, c.operations.vimWraps...)
	if err != nil {
		return nil, err
	}
	c.keep(key, cloud)
	return cloud, nil
}

// loginKey tells logins apart. Of a VIM that is not in the registry only what it consists of tells that it has changed;
// secrets in it are references, which are others for every request.
func loginKey(vim lcm.Vim) (string, error) {
	of, err := json.Marshal([]any{vim.ID, vim.Updated, vim.AuthURL, vim.AuthCred, vim.Extra})
	return string(of), err
}

func (c *clouds) kept(key string) *openstack.Cloud {
	c.mu.Lock()
	defer c.mu.Unlock()
	l, ok := c.open[key]
	if !ok {
		return nil
	}
	l.used = time.Now()
	return l.Cloud
}

func (c *clouds) keep(key string, cloud *openstack.Cloud) {
	c.mu.Lock()
	defer c.mu.Unlock()
	maps.DeleteFunc(c.open, func(_ string, l *login) bool { return time.Since(l.used) > idleLogin })
	c.open[key] = &login{cloud, time.Now()}
}

// logout revokes the tokens of all clouds at once; those that are used again get new ones.
func (c *clouds) logout(ctx context.Context) error {
	c.mu.Lock()
	open := c.open
	c.open = map[string]*login{}
	c.mu.Unlock()
	var g errgroup.Group
	for _, l := range open {
		g.Go(func() error { return l.Logout(ctx) })
	}
	return g.Wait()
}

// vim is the registered VIM of the operation, or one made of the connection's own data.
func (o *resolver) vim(ctx context.Context, id lcm.OpOccID) (lcm.Vim, error) {
	j, err := o.load(ctx, id)
	if err != nil {
		return lcm.Vim{}, err
	}
	return o.vimOf(ctx, j)
}

func (o *resolver) vimOf(ctx context.Context, j *job) (lcm.Vim, error) {
	connection, err := o.Connection(ctx, j.Operation)
	if err != nil {
		return lcm.Vim{}, err
	}
	if registered := connection.Registered(); registered != "" {
		return o.Store.Vim(ctx, registered)
	}
	return connection.OwnVim(lcm.VimID(j.Instance.ID) + "/" + lcm.VimID(connection.ID)), nil
}

// openMap opens the sealed values of stored credentials.
func (o *resolver) openMap(ctx context.Context, sealed map[string]any) (map[string]any, error) {
	doc, err := json.Marshal(sealed)
	if err != nil {
		return nil, err
	}
	if doc, err = secrets.OpenDocument(ctx, o.vault, doc); err != nil {
		return nil, err
	}
	var out map[string]any
	return out, json.Unmarshal(doc, &out)
}
