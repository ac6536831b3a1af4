# Nova with libvirt; guests are emulated by QEMU unless the machine has KVM.
# shellcheck shell=bash

nova_config=(--config-file "$etc/common.conf" --config-file "$etc/nova.conf")

nova_schema() { once nova-schema nova_schemas; }

nova_schemas() {
	local manage=(timeout 300 nova-manage "${nova_config[@]}")
	"${manage[@]}" api_db sync && "${manage[@]}" cell_v2 map_cell0 && "${manage[@]}" db sync &&
		{ "${manage[@]}" cell_v2 list_cells | grep -q ' cell1 ' || "${manage[@]}" cell_v2 create_cell --name=cell1; }
}

start_nova() {
	start_libvirt
	daemon nova-api nova-api "${nova_config[@]}"
	daemon nova-conductor nova-conductor "${nova_config[@]}"
	daemon nova-scheduler nova-scheduler "${nova_config[@]}"
	await_port placement 8778
	daemon nova-compute nova-compute "${nova_config[@]}"
}

start_libvirt() {
	cp "$etc/qemu.conf" /etc/libvirt/qemu.conf
	# libvirt takes the first emulator in PATH.
	mkdir -p "$run/bin"
	cp "$here/shims/qemu-system-x86_64" "$run/bin/"
	daemon virtlogd virtlogd
	daemon libvirtd env PATH="$run/bin:$PATH" libvirtd -f "$etc/libvirtd.conf"
	await 30 libvirtd "answer" virsh --connect qemu:///system version
}
