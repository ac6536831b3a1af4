package main

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// fullID matches a complete id. The client uses such an id without a check that it exists.
var fullID = regexp.MustCompile(`^[0-9a-fA-F]{8}-([0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$`)

// named is something that has an id and goes by other names.
type named struct {
	id    string
	names []string
	about string
}

// naming describes a kind of resources with ids, and finds those with a given name or a given beginning of the id.
type naming struct {
	kind, group string // group has their commands; it is also their type in the output of "-o name"
	find        func(ctx context.Context, c *cli, word string) ([]named, error)
}

var (
	vnfNaming = naming{"VNF instance", "vnf", findVnfNamed}
	opNaming  = naming{"operation", "op", findOpNamed}
	pkgNaming = naming{"package", "package", findPackageNamed}
	vimNaming = naming{"VIM", "vim", findVimNamed}
	subNaming = naming{"subscription", "subscription", findSubscriptionNamed}
)

// list is the command that lists the resources.
func (n naming) list() string { return "windlass " + n.group + " list" }

// untyped returns a word without its type: "-o name" prints TYPE/ID. A word with the type of other resources is refused.
// A name may contain a slash.
func (n naming) untyped(word string) (string, error) {
	typ, rest, found := strings.Cut(word, "/")
	if !found || rest == "" {
		return word, nil
	}
	for _, other := range []naming{vnfNaming, opNaming, pkgNaming, vimNaming, subNaming} {
		switch {
		case other.group != typ:
		case typ == n.group:
			return rest, nil
		case fullID.MatchString(rest):
			return "", fmt.Errorf("%q is the id of another kind of resource (%s), and this command takes the id or the name of a "+
				"resource of the kind %s; '%s' shows them all", word, other.kind, n.kind, n.list())
		}
	}
	return word, nil
}

// addNames lets every command of a group take names, and unique beginnings of ids, in place of ids. It finds these
// arguments by their names in usage, as addCompletion does.
func (c *cli) addNames(group *cobra.Command) {
	for _, cmd := range group.Commands() {
		places, run := argumentsOf(cmd.Use), cmd.RunE
		cmd.RunE = func(cmd *cobra.Command, args []string) error {
			args = slices.Clone(args)
			for i := range args {
				naming, takesNames := namingOf(group.Name(), strings.TrimSuffix(places[min(i, len(places)-1)], "..."))
				if !takesNames {
					continue
				}
				id, err := c.idOf(cmd.Context(), naming, args[i])
				if err != nil {
					return err
				}
				args[i] = id
			}
			return run(cmd, args)
		}
	}
}

func namingOf(group, place string) (naming, bool) {
	if place != "ID" {
		return naming{}, false
	}
	of, found := map[string]naming{"vnf": vnfNaming, "op": opNaming, "package": pkgNaming, "subscription": subNaming}[group]
	return of, found
}

// idOf is the id of the resource called word. word is its id, its name, or a beginning of its id that no other id has;
// it may have the type in front, as "-o name" prints it.
func (c *cli) idOf(ctx context.Context, of naming, word string) (string, error) {
	word, err := of.untyped(word)
	if err != nil {
		return "", err
	}
	if fullID.MatchString(word) {
		return c.idOrVnfd(ctx, of, word), nil
	}
	all, err := of.find(ctx, c, word)
	if err != nil {
		return "", err
	}
	fits := slices.Clone(all)
	fits = slices.DeleteFunc(fits, func(n named) bool { return n.id != word && !slices.Contains(n.names, word) })
	if len(fits) == 0 {
		fits = slices.DeleteFunc(all, func(n named) bool { return !strings.HasPrefix(n.id, strings.ToLower(word)) })
	}
	switch len(fits) {
	case 0:
		return "", fmt.Errorf("there is no %s %q; '%s' shows them all", of.kind, word, of.list())
	case 1:
		return fits[0].id, nil
	}
	lines := make([]string, 0, len(fits))
	for _, n := range fits {
		lines = append(lines, n.id+"  "+n.about)
	}
	return "", fmt.Errorf("%q may be any of %d; give more of the id:\n  %s", word, len(fits), strings.Join(lines, "\n  "))
}

// idOrVnfd returns a full id unchanged, but replaces a VNFD's id by the id of its package. If the packages cannot be
// read, the command itself tells why.
func (c *cli) idOrVnfd(ctx context.Context, of naming, id string) string {
	if of.kind != pkgNaming.kind {
		return id
	}
	packages, err := of.find(ctx, c, id)
	if err != nil {
		return id
	}
	for _, p := range packages {
		if p.id != id && slices.Contains(p.names, id) {
			return p.id
		}
	}
	return id
}

// wordQueries are filters: for a name, and for ids that contain a text.
func wordQueries(nameAttribute, word string) []string {
	var queries []string
	if nameAttribute != "" {
		queries = append(queries, filter(eq{nameAttribute, word}))
	}
	return append(queries, filterText("(cont,id,"+quotedValue(strings.ToLower(word))+")"))
}

// quotedValue is a value of a filter. A value that contains characters of the filter syntax stands in quotes (SOL013
// clause 5.2.2).
func quotedValue(value string) string {
	if strings.ContainsAny(value, "(),;'") {
		return "'" + strings.ReplaceAll(value, "'", "''") + "'"
	}
	return value
}

// matching reads the results of all queries, without duplicates.
func matching[T any](ctx context.Context, c *cli, path string, queries []string, id func(T) string) ([]T, error) {
	var all []T
	for _, query := range queries {
		found, err := list[T](ctx, c.client, path+query)
		if err != nil {
			return nil, err
		}
		for _, f := range found {
			if !slices.ContainsFunc(all, func(have T) bool { return id(have) == id(f) }) {
				all = append(all, f)
			}
		}
	}
	return all, nil
}

func findVnfNamed(ctx context.Context, c *cli, word string) (out []named, err error) {
	found, err := matching(ctx, c, c.client.lcm+"/vnf_instances", wordQueries("vnfInstanceName", word),
		func(i vnfInstance) string { return i.ID })
	for _, i := range found {
		out = append(out, named{i.ID, []string{i.Name}, i.Name + "  " + i.State})
	}
	return out, err
}

// findOpNamed finds operations by their ids; the name of a VNF instance stands for its last operation.
func findOpNamed(ctx context.Context, c *cli, word string) (out []named, err error) {
	path := c.client.lcm + "/vnf_lcm_op_occs"
	found, err := matching(ctx, c, path, wordQueries("", word), func(o opOcc) string { return o.ID })
	if err != nil {
		return nil, err
	}
	for _, o := range found {
		out = append(out, named{o.ID, nil, string(o.Operation) + "  " + string(o.State)})
	}
	if slices.ContainsFunc(out, func(n named) bool { return strings.HasPrefix(n.id, strings.ToLower(word)) }) {
		return out, nil
	}
	vnfs, err := list[vnfInstance](ctx, c.client, c.client.lcm+"/vnf_instances"+filter(eq{"vnfInstanceName", word}))
	if err != nil || len(vnfs) != 1 || vnfs[0].Name != word {
		return out, err
	}
	ops, err := list[opOcc](ctx, c.client, path+filter(eq{"vnfInstanceId", vnfs[0].ID}))
	if err != nil || len(ops) == 0 {
		return out, err
	}
	last := slices.MaxFunc(ops, func(a, b opOcc) int { return a.Start.Compare(b.Start) })
	return append(out, named{last.ID, []string{word}, string(last.Operation)}), nil
}

// findPackageNamed reads all packages: there are few, and they go by several names.
func findPackageNamed(ctx context.Context, c *cli, _ string) (out []named, err error) {
	found, err := list[vnfPackage](ctx, c.client, packagesPath)
	for _, p := range found {
		out = append(out, named{p.ID, p.names(), p.Product + " " + p.SoftwareVersion + "  " + p.VnfdID})
	}
	return out, err
}

// names are the names that people use for a package: its VNFD, its product, and the product with its version; also with
// its provider, as 'package show' prints the product.
func (p vnfPackage) names() []string {
	names := []string{p.VnfdID}
	if p.Product == "" {
		return names
	}
	for _, product := range []string{p.Product, p.Provider + " " + p.Product} {
		names = append(names, product, product+" "+p.SoftwareVersion, product+":"+p.SoftwareVersion)
	}
	return names
}

// vnfdNamed is the VNFD of the package with that name. The API checks full ids; it also checks other words if the
// packages cannot be read.
func (c *cli) vnfdNamed(ctx context.Context, word string) (string, error) {
	word, err := pkgNaming.untyped(word)
	if err != nil {
		return "", err
	}
	found, err := list[vnfPackage](ctx, c.client, packagesPath)
	if err != nil || fullID.MatchString(word) && !slices.ContainsFunc(found, func(p vnfPackage) bool { return p.ID == word }) {
		return word, nil //nolint:nilerr // the request tells what is wrong
	}
	fits := slices.DeleteFunc(found, func(p vnfPackage) bool {
		return p.VnfdID == "" || !slices.Contains(append(p.names(), p.ID), word)
	})
	switch len(fits) {
	case 0:
		return "", fmt.Errorf("no package on board has the VNFD or the product %q; 'windlass package list' shows them all", word)
	case 1:
		return fits[0].VnfdID, nil
	}
	lines := make([]string, 0, len(fits))
	for _, p := range fits {
		lines = append(lines, fmt.Sprintf("%s  %s %s", p.VnfdID, p.Product, p.SoftwareVersion))
	}
	return "", fmt.Errorf("%q may be any of %d packages; give the version, too, or the VNFD:\n  %s", word, len(fits),
		strings.Join(lines, "\n  "))
}

func findVimNamed(ctx context.Context, c *cli, _ string) (out []named, err error) {
	var answer struct {
		Vims []vim `json:"vims"`
	}
	err = c.client.get(ctx, vimsPath, &answer)
	for _, v := range answer.Vims {
		out = append(out, named{v.ID, []string{v.Name}, v.Name})
	}
	return out, err
}
