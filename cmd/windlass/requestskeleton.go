package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/windlass-nfv/windlass/internal/cnf"
	"github.com/windlass-nfv/windlass/internal/driver/all"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/params"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
	"github.com/windlass-nfv/windlass/vnfpkg/hot"
)

// skeleton writes an InstantiateVnfRequest as YAML for people to fill in. Required values are placeholders with
// REPLACE-; optional values are comments.
type skeleton struct {
	flavour *descriptor.Flavour
	version int // of the API
	// vdu is the VDU whose servers the current members describe, nil if it is not known; role is the member that contains
	// them.
	vdu  *descriptor.Vdu
	role string
	out  strings.Builder
}

// requestSkeleton is the request for a flavour of a package; heat are the parameters of its Base HOT.
func requestSkeleton(v *descriptor.Vnfd, f *descriptor.Flavour, heat []hot.Parameter, version int) string {
	s := &skeleton{flavour: f, version: version}
	s.line(0, "# An InstantiateVnfRequest for the flavour %s of %s %s, for version %d of the API.", f.ID, v.ProductName,
		v.SoftwareVersion, version)
	s.line(0, "# The VNFD is %s.", v.ID)
	s.line(0, "# Replace every value that begins with %s.", unreplaced)
	s.line(0, "# Parameters in comments are optional; a comment shows the default, if there is one.")
	s.line(0, "flavourId: %q", f.ID)
	s.levels()
	s.links()
	s.managed()
	s.vims()
	s.attributes(v)
	s.additional(heat)
	return s.out.String()
}

func (s *skeleton) line(indent int, format string, args ...any) {
	fmt.Fprintf(&s.out, strings.Repeat("  ", indent)+format+"\n", args...)
}

func (s *skeleton) levels() {
	if len(s.flavour.Levels) == 0 {
		return
	}
	for _, l := range s.flavour.Levels {
		capacity, err := s.flavour.Capacity(l.ID)
		if err != nil {
			continue
		}
		var sizes []string
		for _, vdu := range sortedKeys(capacity) {
			sizes = append(sizes, fmt.Sprintf("%d %s", capacity[vdu], vdu))
		}
		s.line(0, "# Level %s: %s.", l.ID, strings.Join(sizes, ", "))
	}
	if s.flavour.DefaultLevel == "" {
		s.line(0, "instantiationLevelId: %q", placeholder("instantiation level"))
		return
	}
	s.line(0, "instantiationLevelId: %q # the default", s.flavour.DefaultLevel)
}

// links writes the external networks: at first, one network for all connection points.
func (s *skeleton) links() {
	external := slices.DeleteFunc(slices.Clone(s.flavour.Cps), func(cp descriptor.VduCp) bool { return !cp.External })
	if len(external) == 0 {
		return
	}
	s.line(0, "# External networks, each with its connection points. There may be several.")
	s.line(0, "extVirtualLinks:")
	s.line(1, "- id: external")
	s.line(2, "resourceId: %q # the VIM's name or id of the network", placeholder("network"))
	s.line(2, "extCps:")
	for _, cp := range external {
		s.line(3, "- cpdId: %q # of the servers of %s", cp.ID, cp.VduID)
		if s.version == 1 {
			s.line(4, "cpConfig: [{cpProtocolData: [{layerProtocol: IP_OVER_ETHERNET}]}]")
			continue
		}
		s.line(4, "cpConfig: {all: {cpProtocolData: [{layerProtocol: IP_OVER_ETHERNET}]}}")
	}
}

// managed writes the internal networks that exist already.
func (s *skeleton) managed() {
	begun := false
	for _, l := range s.flavour.VirtualLinks {
		if !l.ManagedElsewhere {
			continue
		}
		if !begun {
			s.line(0, "extManagedVirtualLinks:")
			begun = true
		}
		s.line(1, "- id: %q", l.ID)
		if s.version == 1 {
			s.line(2, "virtualLinkDescId: %q", l.ID)
		} else {
			s.line(2, "vnfVirtualLinkDescId: %q", l.ID)
		}
		s.line(2, "resourceId: %q # the VIM's id of the network", placeholder("network"))
	}
}

// vims writes the VIMs for the VNF, one for each type that it needs.
func (s *skeleton) vims() {
	kinds := []lcm.VimKind{lcm.VimKindFor(s.flavour.Containers)}
	if s.flavour.Hybrid {
		kinds = []lcm.VimKind{lcm.VimKindFor(false), lcm.VimKindFor(true)}
	}
	s.line(0, "vimConnectionInfo: # 'windlass vim list' shows the VIMs; without this Windlass takes the default VIM")
	for _, k := range kinds {
		id := fmt.Sprintf("%q", placeholder("name or id of "+k.Name))
		if s.version == 1 {
			s.line(1, "- id: %s", k.Type)
		} else {
			s.line(1, "%s:", k.Type)
		}
		s.line(2, "vimId: %s", id)
		s.line(2, "vimType: %s", k.Type)
	}
}

// additional are the parameters of the templates, of containers and of the drivers.
func (s *skeleton) additional(heat []hot.Parameter) {
	before := s.out.Len()
	s.line(0, "additionalParams:")
	begun := s.out.Len()
	s.heat(heat)
	if s.flavour.Containers || s.flavour.Hybrid {
		s.line(1, "# What the containers are made of.")
		s.members(1, params.Describe(cnf.Params{}), false)
	}
	for _, name := range s.flavour.Drivers() {
		d, known := all.Drivers.Named(name)
		if !known {
			continue
		}
		of := d.Describe()
		s.member(1, of.Optional, "%s: # for %s", of.Member, name)
		s.members(2, slices.DeleteFunc(params.Describe(of.Params), func(m params.Member) bool {
			return slices.Contains(of.Without, m.Name)
		}), of.Optional)
	}
	text := s.out.String()
	switch made := text[begun:]; {
	case made == "":
		text = text[:before]
	case onlyComments(made): // an empty object would have no place for what somebody takes out of its comment
		text = text[:before] + "# additionalParams:\n" + made
	}
	s.out.Reset()
	s.out.WriteString(text)
}

func onlyComments(text string) bool {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			return false
		}
	}
	return true
}

func (s *skeleton) heat(heat []hot.Parameter) {
	if len(heat) > 0 {
		s.line(1, "# Parameters of the Heat template.")
	}
	for _, p := range heat {
		about := cmp.Or(p.Type, "text")
		if p.Description != "" {
			about += ": " + strings.Join(strings.Fields(p.Description), " ")
		}
		if p.HasDefault {
			s.member(1, true, "%s: %s # %s", p.Name, cmp.Or(yamlText(p.Default), `""`), about)
			continue
		}
		s.member(1, false, "%s: %q # required; %s", p.Name, placeholder(p.Name), about)
	}
}

// flavourNamed finds the flavour with that id; "" means the only flavour.
func flavourNamed(v *descriptor.Vnfd, id string) (*descriptor.Flavour, error) {
	if id == "" && len(v.Flavours) == 1 {
		return &v.Flavours[0], nil
	}
	if id == "" {
		known := map[string]bool{}
		for _, f := range v.Flavours {
			known[f.ID] = true
		}
		return nil, fmt.Errorf("choose a flavour with --flavour: %s",
			strings.Join(slices.Sorted(maps.Keys(known)), ", "))
	}
	return v.Flavour(id)
}
