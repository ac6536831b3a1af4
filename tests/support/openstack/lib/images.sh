# Guest images: built once, each under a name that ends with the hash of all that it is made of.
# shellcheck shell=bash

build_images() {
	local kernel tiny node layers
	kernel=$(artefact kernel) || return 1
	tiny=$(artefact tiny) || return 1
	describe tiny tiny "$tiny" "$kernel"
	mapfile -t layers < <(cd "$here/.." && GOFLAGS=-buildvcs=false go run ./openstack/layers 2>>"$log/images.log")
	[ ${#layers[@]} = 3 ] || { echo "the lab's node image could not be built" >>"$log/images.log"; return 1; }
	node=$(artefact node "${layers[@]}" "$kernel") || return 1
	describe node debian-12-k8s "$node" "$kernel"
	find "$images" -mindepth 1 -maxdepth 1 -type d ! -path "$kernel" ! -path "$tiny" ! -path "$node" -exec rm -rf {} +
}

# artefact NAME [INPUT]...: prints the directory that images/NAME.sh fills from the inputs.
artefact() {
	local name=$1 dir
	shift
	dir=$images/$name-$(find "$here/images/$name.sh" "$here/guest/$name" -type f -print0 | sort -z | xargs -0 cat | sha256sum - <(echo "$*") | sha256sum | head -c 12)
	echo "$dir"
	[ ! -e "$dir" ] || return 0
	say "building guest image part: $name" >&2
	rm -rf "$images/.new-$name"
	mkdir -p "$images/.new-$name"
	# Namespaces again: whatever the build mounts or starts ends with it.
	timeout --kill-after 10 900 unshare --mount --pid --fork --kill-child --mount-proc --propagation private \
		bash "$here/images/$name.sh" "$images/.new-$name" "$here/guest/$name" "$@" >>"$log/images.log" 2>&1 9>&- || return 1
	mv "$images/.new-$name" "$dir"
	say "built $name" >&2
}

# An emulated processor has no sign that its cores' clocks agree, so the kernel would ask a chip for the time: a call of
# the kernel and of QEMU each time a Go program looks at its clock, which is all the time.
kernel_arguments="console=ttyS0 tsc=reliable mitigations=off"

# describe FILE NAME DIRECTORY KERNEL: tells cloud.py what to upload under which name.
describe() {
	cat >"$images/$1.image.json" <<-EOF
		{
			"name": "$2", "hash": "$(basename "$3") $(basename "$4") $kernel_arguments", "disk": "$(basename "$3")/disk.qcow2",
			"kernel": "$(basename "$4")/vmlinuz", "ramdisk": "$(basename "$4")/initrd.gz",
			"properties": {
				"os_command_line": "$kernel_arguments", "hw_cdrom_bus": "scsi", "hw_scsi_model": "virtio-scsi",
				"hw_rng_model": "virtio", "hw_disk_bus": "virtio", "hw_vif_model": "virtio"
			}
		}
	EOF
}
