# shellcheck shell=bash
# nfs_kind says which NFS server this machine can run: the kernel's where the kernel has one, else Ganesha where the image
# has it. A container has its host's kernel, whose NFS server is not its own.
nfs_kind() {
  if ! in_container && { grep -qsw nfsd /proc/filesystems || modprobe -qn nfsd 2>/dev/null; }; then
    echo kernel
  elif command -v ganesha.nfsd >/dev/null; then
    echo ganesha
  else
    echo none
  fi
}

NO_NFS_SERVER="it cannot be an NFS server: its kernel has none (nfsd) and the image has no NFS-Ganesha; take an image with one of them"
