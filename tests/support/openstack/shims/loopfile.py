"""A Cinder driver: each volume is a sparse file behind a loop device.

Device-mapper, which LVM needs, and NFS are not in every kernel, and this is the smallest thing that
hands libvirt a real block device.
"""
import os
import subprocess

from oslo_config import cfg

from cinder import interface
from cinder.image import image_utils
from cinder.volume import configuration
from cinder.volume import driver

OPTS = [cfg.StrOpt('loopfile_directory', default='/var/lib/cinder/volumes')]
cfg.CONF.register_opts(OPTS, group=configuration.SHARED_CONF_GROUP)


def _run(*cmd):
    return subprocess.run(cmd, check=True, stdout=subprocess.PIPE,
                          universal_newlines=True).stdout.strip()


@interface.volumedriver
class LoopFileDriver(driver.VolumeDriver):
    VERSION = '1.0'

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.configuration.append_config_values(OPTS)

    def do_setup(self, context):
        self.root = self.configuration.loopfile_directory
        os.makedirs(self.root, exist_ok=True)

    def check_for_setup_error(self):
        pass

    def _path(self, obj):
        return os.path.join(self.root, obj.name)

    def _loop(self, volume):
        out = _run('losetup', '-j', self._path(volume), '-O', 'NAME', '-n')
        return out.splitlines()[0].strip() if out else None

    def _attach(self, volume):
        return self._loop(volume) or _run(
            'losetup', '-f', '--show', self._path(volume))

    def _detach(self, volume):
        dev = self._loop(volume)
        if dev:
            _run('losetup', '-d', dev)

    def create_volume(self, volume):
        with open(self._path(volume), 'ab') as f:
            f.truncate(volume.size << 30)

    def delete_volume(self, volume):
        self._detach(volume)
        if os.path.exists(self._path(volume)):
            os.unlink(self._path(volume))

    def create_snapshot(self, snapshot):
        _run('cp', '--sparse=always', self._path(snapshot.volume),
             self._path(snapshot))

    def delete_snapshot(self, snapshot):
        if os.path.exists(self._path(snapshot)):
            os.unlink(self._path(snapshot))

    def create_volume_from_snapshot(self, volume, snapshot):
        _run('cp', '--sparse=always', self._path(snapshot),
             self._path(volume))
        self.create_volume(volume)

    def create_cloned_volume(self, volume, src_vref):
        _run('cp', '--sparse=always', self._path(src_vref),
             self._path(volume))
        self.create_volume(volume)

    def extend_volume(self, volume, new_size):
        with open(self._path(volume), 'ab') as f:
            f.truncate(new_size << 30)
        dev = self._loop(volume)
        if dev:
            _run('losetup', '-c', dev)

    def copy_image_to_volume(self, context, volume, image_service, image_id,
                             disable_sparse=False):
        image_utils.fetch_to_raw(context, image_service, image_id,
                                 self._path(volume), '1M', size=volume.size,
                                 disable_sparse=disable_sparse)
        self.create_volume(volume)

    def ensure_export(self, context, volume):
        pass

    def create_export(self, context, volume, connector):
        pass

    def remove_export(self, context, volume):
        pass

    def initialize_connection(self, volume, connector):
        return {'driver_volume_type': 'local',
                'data': {'device_path': self._attach(volume)}}

    def terminate_connection(self, volume, connector, **kwargs):
        self._detach(volume)

    def get_volume_stats(self, refresh=False):
        st = os.statvfs(self.root)
        gib = 1 << 30
        return {'volume_backend_name': 'file', 'vendor_name': 'windlass',
                'driver_version': self.VERSION, 'storage_protocol': 'local',
                'total_capacity_gb': st.f_blocks * st.f_frsize // gib,
                'free_capacity_gb': st.f_bavail * st.f_frsize // gib,
                'reserved_percentage': 0, 'multiattach': False,
                'thin_provisioning_support': True,
                'max_over_subscription_ratio': '20.0',
                'provisioned_capacity_gb': 0, 'QoS_support': False}
