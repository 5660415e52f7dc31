/** The names of the kinds of sources. Browser-safe. */

export const KINDS = [
  ...(['document', 'netbox', 'proxmox', 'vcenter', 'libvirt', 'docker', 'kubernetes', 'aws'] as const),
] as const
