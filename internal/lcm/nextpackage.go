package lcm

import "maps"

// NextPackage is the VNF package that a modification assigns to an instance.
type NextPackage struct {
	VnfPkg
	// Succeeds is set when its VNFD differs from the present one in software images only. Then an instantiated VNF may
	// get it, too.
	Succeeds bool
	// KeptImages are the images that VDUs and storages have from the present package.
	KeptImages map[string]string
}

func (r ModifyRequest) applyPackage(inst *VnfInstance, pkg *NextPackage, done *VnfInfoModifications) error {
	if pkg == nil || pkg.ID == inst.VnfPkgID {
		return nil
	}
	if inst.Instantiated != nil {
		if !pkg.Succeeds {
			return Errorf(KindConflict, "The VNF instance %s is INSTANTIATED: its new VNF package may differ from the old one in "+
				"software images only. Terminate the VNF before you set another package.", inst.ID)
		}
		inst.Instantiated = inst.Instantiated.keeping(pkg.KeptImages)
	}
	inst.Take(pkg.VnfPkg)
	done.VnfPkgID, done.VnfdID, done.Provider, done.ProductName = pkg.ID, pkg.VnfdID, pkg.Provider, pkg.ProductName
	done.SoftwareVersion, done.VnfdVersion = pkg.SoftwareVersion, pkg.VnfdVersion
	return nil
}

// Take assigns a package to the instance.
func (i *VnfInstance) Take(pkg VnfPkg) {
	i.VnfPkgID, i.VnfdID, i.Provider, i.ProductName = pkg.ID, pkg.VnfdID, pkg.Provider, pkg.ProductName
	i.SoftwareVersion, i.VnfdVersion = pkg.SoftwareVersion, pkg.VnfdVersion
}

// keeping returns a copy that keeps the images until all servers are made anew. Images that were kept before stay kept.
func (i *InstantiatedVnfInfo) keeping(images map[string]string) *InstantiatedVnfInfo {
	after, choices := *i, GrantedChoices{}
	if i.Granted != nil {
		choices = *i.Granted
	}
	kept := map[string]string{}
	maps.Copy(kept, images)
	maps.Copy(kept, choices.KeptImages)
	if len(kept) == 0 {
		return &after
	}
	choices.KeptImages = kept
	after.Granted = &choices
	return &after
}
